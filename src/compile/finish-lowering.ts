/** Takes a module from the midst of the pipeline to the LLVM dialect by no more passes than it needs: so it can be executed as it is there. */
import type { Operation } from "../ir/operation.js";
import { runPipeline } from "../pass/pass-manager.js";
import { PASSES } from "../passes/index.js";
import { passStepOf, pipelineOf } from "./compile.js";
import type { CudaOptions } from "./options.js";

/** Passes that code needs to run; all others only make it better. */
export const LOWERING: ReadonlySet<string> = new Set([
  "triton-rewrite-tensor-pointer",
  "triton-rewrite-tensor-descriptor-to-pointer",
  "convert-triton-to-tritongpu",
  "triton-nvidia-tma-lowering",
  "triton-nvidia-gpu-fence-insertion",
  "triton-nvidia-mma-lowering",
  "tritongpu-allocate-warp-groups",
  "convert-scf-to-cf",
  "allocate-shared-memory-nv",
  "triton-tensor-memory-allocation",
  "tritongpu-global-scratch-memory-allocation",
  "triton-nvidia-gpu-proxy-fence-insertion",
  "convert-triton-gpu-to-llvm",
  "convert-nv-gpu-to-llvm",
  "convert-warp-specialize-to-llvm",
  "convert-nvvm-to-llvm",
]);

/** Changes `module` in place; `done` are the flags of the passes that it has behind it. False where that fails. */
export function finishLowering(
  module: Operation,
  target: { readonly capability: number; readonly options: CudaOptions },
  done: ReadonlySet<string>,
): boolean {
  const steps = pipelineOf(target).filter(({ flag }) => LOWERING.has(flag) && !done.has(flag));
  return runPipeline(
    module,
    steps.map((step) => passStepOf(step, PASSES.get(step.flag)!)),
  ).ok;
}
