/** Passes for AMD's GPUs alone. */
export { accelerateMatmulAmd } from "./accelerate-matmul/accelerate-matmul.js";
export { blockPingpong } from "./block-pingpong/block-pingpong.js";
export { canonicalizePointers } from "./canonicalize-pointers/canonicalize-pointers.js";
export { coalesceAsyncCopyAmd } from "./coalesce-async-copy.js";
export { convertBufferOps } from "./convert-buffer-ops.js";
export { foldTrueCmpI } from "./fold-true-cmpi.js";
export { hoistLayoutConversions } from "./hoist-layout-conversions.js";
export { inThreadTranspose } from "./in-thread-transpose/in-thread-transpose.js";
export { insertInstructionSchedHints } from "./insert-instruction-sched-hints.js";
export { optimizeDotOperandsAmd } from "./optimize-dot-operands.js";
export { optimizeEpilogue } from "./optimize-epilogue.js";
export { pipelineAmd } from "./pipeline/pipeline.js";
export { scheduleLoopsAmd } from "./pipeline/schedule-loops.js";
export { reorderInstructionsAmd } from "./reorder-instructions.js";
export { testPrintAmdAlignment } from "./test-print-amd-alignment.js";
export { testRangeAnalysis } from "./test-range-analysis.js";
export { updateAsyncWaitCount } from "./update-async-wait-count.js";
