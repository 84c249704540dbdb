/** Triton's compile options for CUDA. Source: third_party/nvidia/backend/compiler.py, CUDAOptions. */
import { gpuOf } from "../gpu/nvidia.js";
import { isHardwareSize } from "../pass/options.js";

export interface CudaOptions {
  readonly numWarps: number;
  readonly numCtas: number;
  readonly numStages: number;
  readonly warpSize: number;
  /** At most this many registers a thread (`.maxnreg`). */
  readonly maxnreg: number | undefined;
  readonly ptxVersion: number | undefined;
  readonly ptxOptions: string | undefined;
  readonly irOverride: string | undefined;
  readonly enableFpFusion: boolean;
  readonly enableReflectFtz: boolean;
  readonly launchCooperativeGrid: boolean;
  readonly launchPdl: boolean;
  readonly supportedFp8Dtypes: readonly string[];
  readonly deprecatedFp8DotOperandDtypes: readonly string[];
  readonly defaultDotInputPrecision: string;
  readonly allowedDotInputPrecisions: readonly string[];
  readonly maxNumImpreciseAccDefault: number;
  readonly externLibs: readonly string[];
  readonly debug: boolean;
  readonly backendName: string;
  readonly sanitizeOverflow: boolean;
  readonly arch: string | undefined;
  readonly instrumentationMode: string;
}

/** The options' defaults, some of which depend on the target. */
export function defaultOptions(capability: number): CudaOptions {
  const gpu = gpuOf(capability);
  return {
    numWarps: 4,
    numCtas: 1,
    numStages: 3,
    warpSize: 32,
    maxnreg: undefined,
    ptxVersion: undefined,
    ptxOptions: undefined,
    irOverride: undefined,
    enableFpFusion: true,
    enableReflectFtz: true,
    launchCooperativeGrid: false,
    launchPdl: false,
    supportedFp8Dtypes: gpu.fp8Types,
    deprecatedFp8DotOperandDtypes: gpu.deprecatedFp8DotTypes,
    defaultDotInputPrecision: "tf32",
    allowedDotInputPrecisions: ["tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"],
    maxNumImpreciseAccDefault: gpu.maxImpreciseAcc,
    externLibs: [],
    debug: false,
    backendName: "cuda",
    sanitizeOverflow: true,
    arch: undefined,
    instrumentationMode: "",
  };
}

/** The PTX version that Triton asks for, as 10 * major + minor. Source: get_ptx_version_from_options. */
export function ptxVersionOf(options: CudaOptions, capability: number): number {
  return options.ptxVersion ?? gpuOf(capability).defaultPtx;
}

/** What is wrong with options for a target, in Triton's words where it has some. */
export function checkOptions(options: CudaOptions, capability: number): string | undefined {
  const { numWarps, numCtas, numStages, warpSize, maxnreg, ptxVersion } = options;
  if (!isHardwareSize(numWarps)) return "num_warps must be a power of 2 from 1 to 1024";
  if (!isHardwareSize(numCtas)) return "num_ctas must be a power of 2 from 1 to 1024";
  if (warpSize !== 32) return "warp_size must be 32: a warp of CUDA has 32 threads";
  if (!Number.isInteger(numStages) || numStages < 0) return "num_stages must be a non-negative integer";
  // ptxas ignores more, with a warning.
  if (maxnreg !== undefined && !(Number.isInteger(maxnreg) && 1 <= maxnreg && maxnreg <= 255)) return "maxnreg must be from 1 to 255";
  const { oldestPtx: oldest, hasClusters } = gpuOf(capability);
  if (ptxVersion !== undefined && !(Number.isInteger(ptxVersion) && oldest <= ptxVersion && ptxVersion <= 99))
    return `ptx_version must be at least ${oldest} for sm_${capability}`;
  if (numCtas > 1 && !hasClusters)
    return `num_ctas > 1 requires NVIDIA SM90+ (Hopper). Current target is sm_${capability}. Set num_ctas=1 or target an SM90+ GPU`;
  return undefined;
}
