/** GPUs, versions of Triton, and Triton's options. */
export { checkOptions, DEFAULT_TARGET, defaultOptions, platformOf, TARGETS, type TargetOptions } from "../backend/targets.js";
export { CAPABILITIES, type GpuTarget, gpuOf } from "../gpu/nvidia.js";
export { DEFAULT_TRITON, TRITON_VERSIONS, type TritonVersion } from "../support/triton-version.js";
