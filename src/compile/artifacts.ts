/** What is made of a module behind the last pass: LLVM IR and PTX as text. */
import type { Operation } from "../ir/operation.js";
import { llvmIrText } from "../target/llvm-ir/translate.js";
import type { CudaOptions } from "./options.js";
import type { Artifacts } from "./trace.js";

export type ArtifactKind = keyof Artifacts;

/** The artifacts that are asked for; none while the module is not in the LLVM dialect. */
export function artifactsOf(
  module: Operation,
  { artifacts = [], options }: { readonly artifacts?: readonly ArtifactKind[]; readonly capability: number; readonly options: CudaOptions },
): Artifacts {
  if (artifacts.length === 0 || !isLowered(module)) return {};
  return artifacts.includes("llir") ? { llir: llvmIrText(module, { reflectFtz: options.enableReflectFtz }) } : {};
}

/** Whether the module is in the LLVM dialect: a function of it, and none of another dialect. */
export function isLowered(module: Operation): boolean {
  let lowered = false;
  for (const op of module.regions[0]?.firstBlock?.ops() ?? []) {
    if (op.name === "llvm.func") lowered = true;
    else if (op.name.endsWith(".func")) return false;
  }
  return lowered;
}
