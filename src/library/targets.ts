/** GPUs, versions of Triton, and Triton's options. */
export { type CudaOptions, checkOptions, defaultOptions } from "../backend/nvidia/options.js";
export { CAPABILITIES, type GpuTarget, gpuOf } from "../gpu/nvidia.js";
export { DEFAULT_TRITON, TRITON_VERSIONS, type TritonVersion } from "../support/triton-version.js";
