export { convertNVGPUToLLVM } from "./convert-nv-gpu-to-llvm.js";
export { convertNVVMToLLVM } from "./convert-nvvm-to-llvm.js";
export { convertTritonGPUToLLVM } from "./convert-triton-gpu-to-llvm.js";
export { convertWarpSpecializeToLLVM } from "./convert-warp-specialize-to-llvm.js";
export { initializeWsClusterBarriers } from "./initialize-ws-cluster-barriers.js";
export { optimizeForNVVMTarget } from "./optimize-for-nvvm-target.js";
