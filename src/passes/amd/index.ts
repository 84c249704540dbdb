/** Passes for AMD's GPUs alone. */
export { accelerateAmdMatmul } from "./accelerate-matmul/accelerate-matmul.js";
export { canonicalizePointers } from "./canonicalize-pointers/canonicalize-pointers.js";
export { testRangeAnalysis } from "./test-range-analysis.js";
