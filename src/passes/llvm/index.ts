export { convertArithToLLVM } from "./convert-arith-to-llvm.js";
export { convertControlFlowToLLVM } from "./convert-cf-to-llvm.js";
export { convertIndexToLLVM } from "./convert-index-to-llvm.js";
export { convertNVGPUToLLVM } from "./convert-nv-gpu-to-llvm.js";
export { convertNVVMToLLVM } from "./convert-nvvm-to-llvm.js";
export { convertWarpSpecializeToLLVM } from "./convert-warp-specialize-to-llvm.js";
export { enableLineInfo } from "./enable-line-info.js";
export { optimizeForNVVMTarget } from "./optimize-for-nvvm-target.js";
