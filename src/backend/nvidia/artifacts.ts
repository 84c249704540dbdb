/** The LLVM IR and PTX text made of a module after the last pass. */

import { capabilityOf } from "../../gpu/nvidia.js";
import type { Operation } from "../../ir/operation.js";
import { nvptxTarget } from "../../target/ptx/llvm-ir.js";
import { ptxText } from "../../target/ptx/translate.js";
import type { Artifacts } from "../../trace/trace.js";
import { llvmIrOf, report, translatable } from "../artifacts.js";
import type { ArtifactRequest, BackendTarget } from "../backend.js";
import { type CudaOptions, ptxVersionOf } from "./options.js";

/**
 * The artifacts that are asked for; none while the module is not in the LLVM dialect. An op without a translation is a
 * diagnostic of the module's Context, and the artifact is missing.
 */
export function artifactsOf(module: Operation, request: BackendTarget<CudaOptions> & ArtifactRequest): Artifacts {
  if (!translatable(module, request)) return {};
  const { artifacts = [], target: name, options } = request;
  const capability = capabilityOf(name)!;
  const target = { capability, fusion: options.enableFpFusion, reflectFtz: options.enableReflectFtz };
  const made: { -readonly [K in keyof Artifacts]: Artifacts[K] } = {};
  if (artifacts.includes("llir")) Object.assign(made, llvmIrOf(module, nvptxTarget(target)));
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
