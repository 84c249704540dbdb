/** Passes for AMD's GPUs alone. */
export { accelerateAmdMatmul } from "./accelerate-matmul/accelerate-matmul.js";
