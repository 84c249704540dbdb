/** Passes of the profiler that measures inside kernels. */
export { addSchedBarriers } from "./add-sched-barriers.js";
export { allocateProtonGlobalScratchBuffer } from "./allocate-global-scratch-buffer.js";
export { convertProtonAMDGPUToLLVM } from "./to-llvm/amd.js";
export { convertProtonNvidiaGPUToLLVM } from "./to-llvm/nvidia.js";
