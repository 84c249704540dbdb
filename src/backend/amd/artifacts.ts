/** The LLVM IR made of a module after the last pass. */
import { amdGpuOf, archOf } from "../../gpu/amd.js";
import { intOf } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import { amdgcnTarget } from "../../target/amdgcn/llvm-ir.js";
import type { Artifacts } from "../../trace/trace.js";
import { llvmIrOf, translatable } from "../artifacts.js";
import type { ArtifactRequest, BackendTarget } from "../backend.js";
import { type HipOptions, hipDefaults } from "./options.js";

/** The artifacts that are asked for and that there are for these targets. */
export function artifactsOf(module: Operation, request: BackendTarget<Partial<HipOptions>> & ArtifactRequest): Artifacts {
  if (request.artifacts?.includes("llir") !== true || !translatable(module, request)) return {};
  const { numWarps, wavesPerEu, allowFlushDenorm, scheduleHint } = { ...hipDefaults(request.target), ...request.options };
  const target = amdgcnTarget(module, {
    gpu: amdGpuOf(archOf(request.target)!)!,
    numWarps: intOf(module.attr("ttg.num-warps")) ?? numWarps,
    wavesPerEu,
    flushesDenormals: allowFlushDenorm,
    schedulesIlp: scheduleHint.split(",").includes("memory-bound-attention"),
  });
  return llvmIrOf(module, target);
}
