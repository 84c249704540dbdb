/** From TTGIR to the LLVM dialect, for AMD's GPUs. */
export { allocateSharedMemoryAmd } from "./allocate-shared-memory.js";
export { convertBuiltinFuncToLLVM } from "./convert-builtin-func-to-llvm.js";
export { convertTritonAMDGPUToLLVM } from "./convert-triton-amdgpu-to-llvm.js";
export { lowerInstructionSchedHints } from "./lower-instruction-sched-hints.js";
export { optimizeLdsUsage } from "./optimize-lds-usage.js";
