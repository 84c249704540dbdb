/** The LLVM IR made of a module after the last pass, and the text that is executed. */
import { amdGpuOf, archOf } from "../../gpu/amd.js";
import { intOf } from "../../ir/builtin-attrs.js";
import { positionOfLocation } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import { translateToPtx } from "../../simulate/llvm/translate.js";
import { amdgcnTarget } from "../../target/amdgcn/llvm-ir.js";
import type { Artifacts } from "../../trace/trace.js";
import { llvmIrOf, translatable } from "../artifacts.js";
import type { ArtifactRequest, BackendTarget } from "../backend.js";
import { type HipOptions, hipDefaults } from "./options.js";

/** The file that the code is from, by the first op with a place. */
function fileOf(module: Operation): string {
  let file: string | undefined;
  module.walk((op) => {
    file ??= positionOfLocation(op.ctx, op.locRef)?.file;
  });
  return file ?? "";
}

/** The artifacts that are asked for and that there are for these targets. */
export function artifactsOf(module: Operation, request: BackendTarget<Partial<HipOptions>> & ArtifactRequest): Artifacts {
  if (!translatable(module, request)) return {};
  const { artifacts = [] } = request;
  // A module without a kernel has none.
  const executable = artifacts.includes("executable") ? translateToPtx(module, fileOf(module)) : undefined;
  const text = executable && "text" in executable ? { executable: executable.text } : {};
  if (!artifacts.includes("llir")) return text;
  const { numWarps, wavesPerEu, allowFlushDenorm, scheduleHint } = { ...hipDefaults(request.target), ...request.options };
  const target = amdgcnTarget(module, {
    gpu: amdGpuOf(archOf(request.target)!)!,
    numWarps: intOf(module.attr("ttg.num-warps")) ?? numWarps,
    wavesPerEu,
    flushesDenormals: allowFlushDenorm,
    schedulesIlp: scheduleHint.split(",").includes("memory-bound-attention"),
  });
  return { ...text, ...llvmIrOf(module, target) };
}
