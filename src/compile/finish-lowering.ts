/** Takes a module from the midst of the pipeline to the LLVM dialect by no more passes than it needs: so it can be executed as it is there. */

import { NVIDIA } from "../backend/nvidia/nvidia.js";
import type { TargetOptions } from "../backend/targets.js";
import type { Operation } from "../ir/operation.js";
import { runPipeline } from "../pass/pass-manager.js";
import type { TritonVersion } from "../support/triton-version.js";
import { pipelineOf } from "./compile.js";

/** Flags of the passes that code needs to run. */
export const LOWERING: ReadonlySet<string> = new Set(NVIDIA.lowering.map(({ flag }) => flag));

/** Changes `module` in place; `done` are the flags of the passes that have run on it. False where that fails. */
export function finishLowering(
  module: Operation,
  target: { readonly target: string; readonly options: TargetOptions; readonly version?: TritonVersion },
  done: ReadonlySet<string>,
): boolean {
  const steps = pipelineOf(target).filter(({ flag }) => LOWERING.has(flag) && !done.has(flag));
  return runPipeline(
    module,
    steps.map(({ step }) => step),
  ).ok;
}
