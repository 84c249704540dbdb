export { convertTritonGPUToLLVM } from "./convert-triton-gpu-to-llvm.js";
