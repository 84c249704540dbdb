/** Takes a module from the midst of the pipeline to the LLVM dialect by no more passes than it needs: so it can be executed as it is there. */

import { NVIDIA } from "../backend/nvidia/nvidia.js";
import type { TargetOptions } from "../backend/targets.js";
import type { Operation } from "../ir/operation.js";
import { runPipeline } from "../pass/pass-manager.js";
import type { TritonVersion } from "../support/triton-version.js";
import { STAGES } from "../trace/stage.js";
import { pipelineOf } from "./compile.js";

/** Flags of the passes that code needs to run. */
export const LOWERING: ReadonlySet<string> = new Set(NVIDIA.lowering.map(({ flag }) => flag));

/**
 * Changes `module` in place; `done` are the flags of the passes that have run on it, or names of stages that have ended, as a cache
 * folder's texts have them. False where that fails.
 */
export function finishLowering(
  module: Operation,
  target: { readonly target: string; readonly options: TargetOptions; readonly version?: TritonVersion },
  done: ReadonlySet<string>,
): boolean {
  const ended = STAGES.findLastIndex((stage) => done.has(stage));
  const steps = pipelineOf(target).filter(({ flag, stage }) => LOWERING.has(flag) && !done.has(flag) && STAGES.indexOf(stage) > ended);
  return runPipeline(
    module,
    steps.map(({ step }) => step),
  ).ok;
}
