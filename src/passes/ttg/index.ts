export { accelerateMatmul } from "./accelerate-matmul.js";
export { allocateSharedMemory, allocateSharedMemoryNv } from "./allocate-shared-memory.js";
export { allocateWarpGroups } from "./allocate-warp-groups.js";
export {
  automaticWarpSpecialization,
  optimizePartitionWarps,
  partitionLoops,
  partitionScheduling,
} from "./automatic-warp-specialization/index.js";
export { checkMatmulTwoCTA } from "./check-matmul-two-cta.js";
export { coalesce } from "./coalesce.js";
export { coalesceAsyncCopy } from "./coalesce-async-copy.js";
export { combineTensorSelectAndIf } from "./combine-tensor-select-and-if.js";
export { f32DotTC } from "./f32-dot-tc.js";
export { fenceInsertion } from "./fence-insertion.js";
export { fuseNestedLoops } from "./fuse-nested-loops/index.js";
export { globalScratchMemoryAllocation } from "./global-scratch-memory-allocation.js";
export { hoistTmemAlloc } from "./hoist-tmem-alloc.js";
export { interleaveTMem } from "./interleave-tmem.js";
export { mmaLowering } from "./mma-lowering.js";
export { optimizeAccumulatorInit } from "./optimize-accumulator-init.js";
export { optimizeDescriptorEncoding } from "./optimize-descriptor-encoding.js";
export { optimizeDotOperands } from "./optimize-dot-operands.js";
export { optimizeThreadLocality } from "./optimize-thread-locality.js";
export { optimizeTmemLayouts } from "./optimize-tmem-layouts.js";
export { assignLatencies, pipeline, scheduleLoops, testPipelineLowerLoop } from "./pipeline/index.js";
export { planCTA } from "./plan-cta.js";
export { prefetch } from "./prefetch.js";
export { promoteLhsToTmem } from "./promote-lhs-to-tmem.js";
export { proxyFenceInsertion } from "./proxy-fence-insertion.js";
export { reduceDataDuplication } from "./reduce-data-duplication.js";
export { removeLayoutConversions } from "./remove-layout-conversions.js";
export { removeTmemTokens } from "./remove-tmem-tokens.js";
export { reorderInstructions } from "./reorder-instructions.js";
export { tensorMemoryAllocation } from "./tensor-memory-allocation.js";
export { tmaLowering } from "./tma-lowering.js";
export * from "./warp-specialization/index.js";
