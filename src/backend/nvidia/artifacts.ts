/** The LLVM IR and PTX text made of a module after the last pass. */

import { LLVMArrayType } from "../../dialects/llvm/types/types.js";
import { capabilityOf } from "../../gpu/nvidia.js";
import type { Type } from "../../ir/attribute.js";
import { numElements, VectorType } from "../../ir/builtin-types.js";
import { positionOfLocation } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import { untranslatable } from "../../target/llvm-ir/instructions.js";
import { llvmIrText } from "../../target/llvm-ir/translate.js";
import { ptxText } from "../../target/ptx/translate.js";
import { type Artifacts, countOps } from "../../trace/trace.js";
import type { ArtifactRequest, BackendTarget } from "../backend.js";
import { type CudaOptions, ptxVersionOf } from "./options.js";

/**
 * The artifacts that are asked for; none while the module is not in the LLVM dialect. An op without a translation is a
 * diagnostic of the module's Context, and the artifact is missing.
 */
export function artifactsOf(
  module: Operation,
  { artifacts = [], maxArtifactOps = Number.POSITIVE_INFINITY, target: name, options }: BackendTarget<CudaOptions> & ArtifactRequest,
): Artifacts {
  const capability = capabilityOf(name)!;
  if (artifacts.length === 0 || !isLowered(module) || countOps(module) > maxArtifactOps) return {};
  const tooLarge = valueTooLarge(module);
  if (tooLarge) {
    report(tooLarge, `'${tooLarge.name}' has a value of more than ${MAX_ELEMENTS} elements, which no thread holds`);
    return {};
  }
  const target = { capability, fusion: options.enableFpFusion, reflectFtz: options.enableReflectFtz };
  const made: { -readonly [K in keyof Artifacts]: Artifacts[K] } = {};
  if (artifacts.includes("llir")) {
    const unknown = untranslatable(module);
    for (const op of unknown) report(op, `'${op.name}' has no LLVM IR`);
    if (unknown.length === 0) made.llir = llvmIrText(module, target);
  }
  if (artifacts.includes("ptx") || artifacts.includes("instructions")) {
    const ptx = ptxText(module, { ...target, version: ptxVersionOf(options, capability, module.ctx.triton) });
    if ("text" in ptx) {
      if (artifacts.includes("ptx")) made.ptx = ptx.text;
      if (artifacts.includes("instructions"))
        made.instructions = Object.fromEntries([...ptx.instructions].map(([op, names]) => [op.id, names]));
    } else if (artifacts.includes("ptx")) for (const { op, message } of ptx.problems) report(op, message);
  }
  return made;
}

/** As many as a tensor has at most. */
const MAX_ELEMENTS = 2 ** 20;

/** An op with a vector or array that cannot be taken apart. */
function valueTooLarge(module: Operation): Operation | undefined {
  let found: Operation | undefined;
  module.walk((op) => {
    if (op.results.some((result) => elementsIn(result.type) > MAX_ELEMENTS)) found ??= op;
  });
  return found;
}
function elementsIn(type: Type): number {
  if (VectorType.is(type)) return numElements(type.params.shape);
  return LLVMArrayType.is(type) ? type.params.numElements * elementsIn(type.params.elementType) : 1;
}

function report(op: Operation, message: string): void {
  const position = positionOfLocation(op.ctx, op.locRef);
  op.ctx.emit({ severity: "error", code: "target.op", message, notes: [], ...(position ? { position } : {}) });
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
