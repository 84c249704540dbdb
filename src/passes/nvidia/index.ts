/** Passes on TTGIR for NVIDIA's GPUs alone. */
export { accelerateMatmul } from "./accelerate-matmul/accelerate-matmul.js";
export { allocateSharedMemoryNv } from "./allocate-shared-memory-nv.js";
export {
  automaticWarpSpecialization,
  optimizePartitionWarps,
  partitionLoops,
  partitionScheduling,
} from "./automatic-warp-specialization/index.js";
export { concurrencySanitizer } from "./concurrency-sanitizer/concurrency-sanitizer.js";
export { fenceInsertion } from "./fence-insertion.js";
export * from "./hopper-warp-specialization/index.js";
export { mmaLowering } from "./mma-lowering.js";
export * from "./nvws/index.js";
export { optimizeAccumulatorInit } from "./optimize-accumulator-init.js";
export { optimizeDotOperands } from "./optimize-dot-operands/optimize-dot-operands.js";
export { assignLatencies, pipeline, scheduleLoops, testPipelineLowerLoop } from "./pipeline/index.js";
export { planCTA } from "./plan-cta/plan-cta.js";
export { convertProtonNvidiaGPUToLLVM } from "./proton/to-llvm.js";
export { proxyFenceInsertion } from "./proxy-fence-insertion.js";
export { checkMatmulTwoCTA } from "./tensor-memory/check-matmul-two-cta.js";
export { hoistTmemAlloc } from "./tensor-memory/hoist-tmem-alloc.js";
export { interleaveTMem } from "./tensor-memory/interleave-tmem.js";
export { optimizeTmemLayouts } from "./tensor-memory/optimize-tmem-layouts.js";
export { promoteLhsToTmem } from "./tensor-memory/promote-lhs-to-tmem.js";
export { removeTmemTokens } from "./tensor-memory/remove-tmem-tokens.js";
export { tensorMemoryAllocation } from "./tensor-memory/tensor-memory-allocation.js";
export { tmemBarrierInsertion } from "./tensor-memory/tmem-barrier-insertion.js";
export { tmemLoadReduce } from "./tensor-memory/tmem-load-reduce.js";
export { optimizeDescriptorEncoding } from "./tma/optimize-descriptor-encoding.js";
export { tmaLowering } from "./tma/tma-lowering.js";
