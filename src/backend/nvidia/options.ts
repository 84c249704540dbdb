/** Triton's compile options for CUDA. Source: third_party/nvidia/backend/compiler.py, CUDAOptions. */
import { CAPABILITIES, capabilityOf, gpuOf, knownCapability } from "../../gpu/nvidia.js";
import { isHardwareSize, type OptionValues, option, withDefaults } from "../../pass/options.js";
import { EXTRACTS_VARIABLES } from "../../support/environment.js";
import { TRITON_3_6, TRITON_3_8, TRITON_VERSIONS, type TritonVersion } from "../../support/triton-version.js";
import type { Platform } from "../backend.js";

const LAUNCH_ONLY = "it changes how a kernel is launched, not its code, and nothing is launched here";
const PRECISIONS = ["tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"] as const;

/** The last that reads an option. */
const FRONT_END = { lastRead: "python" } as const;
const TO_TTGIR = { lastRead: "ttgir" } as const;

export const CUDA_OPTIONS = {
  numWarps: { ...option.size({ default: 4, summary: "warps of a CTA" }), ...TO_TTGIR },
  numCtas: { ...option.size({ default: 1, summary: "CTAs of a cluster (sm_90 and later)" }), ...TO_TTGIR },
  numStages: { ...option.int({ default: 3, min: 0, summary: "stages of software pipelines; by default 3, on hip: 2" }), ...TO_TTGIR },
  warpSize: { ...option.int({ default: 32, summary: "threads of a warp" }), refused: "it follows from the target" },
  maxnreg: { ...option.optional(option.int({ default: 0, min: 1, summary: "registers of a thread at most (.maxnreg)" })), ...TO_TTGIR },
  ptxVersion: option.optional(
    option.int({ default: 0, min: 10, summary: "version of PTX, as 10 * major + minor; by default the target's" }),
  ),
  ptxOptions: option.optional(option.string({ default: "", summary: "more options of ptxas" })),
  irOverride: {
    ...option.optional(option.string({ default: "", summary: "IR in place of a stage's" })),
    refused: "give that file as the input",
  },
  enableFpFusion: option.bool({ default: true, summary: "multiplications and additions become fma" }),
  enableReflectFtz: option.bool({ default: true, summary: "libdevice flushes subnormal numbers to zero" }),
  launchCooperativeGrid: { ...option.bool({ default: false, summary: "cooperative launch" }), refused: LAUNCH_ONLY },
  launchPdl: { ...option.bool({ default: false, summary: "programmatic dependent launch" }), refused: LAUNCH_ONLY },
  supportedFp8Dtypes: {
    ...option.list({ default: [], summary: "fp8 types that a kernel may use; by default the target's" }),
    ...FRONT_END,
  },
  deprecatedFp8DotOperandDtypes: {
    ...option.list({ default: [], summary: "fp8 types that tl.dot warns about; by default the target's" }),
    ...FRONT_END,
  },
  defaultDotInputPrecision: {
    ...option.enum<string>(PRECISIONS, { default: "tf32", summary: "precision of tl.dot on fp32; by default tf32, on hip: ieee" }),
    ...FRONT_END,
  },
  allowedDotInputPrecisions: { ...option.list({ default: PRECISIONS, summary: "precisions that tl.dot may name" }), ...FRONT_END },
  maxNumImpreciseAccDefault: {
    ...option.int({ default: 0, summary: "fp8 products summed in low precision; by default the target's" }),
    ...FRONT_END,
  },
  externLibs: {
    ...option.list({ default: [], summary: "bitcode libraries" }),
    refused: "libdevice is built in, and other bitcode is not linked",
  },
  debug: { ...option.bool({ default: false, summary: "device_assert and other checks of debug mode" }), ...FRONT_END },
  backendName: { ...option.string({ default: "cuda", summary: "which backend" }), refused: "it follows from the target" },
  sanitizeOverflow: { ...option.bool({ default: true, summary: "with --debug: integer overflow is an assertion" }), ...FRONT_END },
  arch: option.optional(option.string({ default: "", summary: "the target in Triton's words; as --target" })),
  instrumentationMode: {
    ...option.enum<string>(["", "consan"], {
      default: "",
      summary: "consan: checks of asynchronous accesses (TRITON_INSTRUMENTATION_MODE)",
    }),
    variable: "TRITON_INSTRUMENTATION_MODE",
    versions: [TRITON_3_6],
  },
  extractVariableInfo: {
    ...option.bool({ default: false, summary: "variables in the debug information of LLVM IR (LLVM_EXTRACT_DI_LOCAL_VARIABLES)" }),
    variable: EXTRACTS_VARIABLES,
    // Triton 3.7.1 ends at its own result.
    versions: [TRITON_3_6, TRITON_3_8],
  },
};

/** Triton's CUDAOptions in camel case; `CUDA_OPTIONS` says what each is. */
export type CudaOptions = OptionValues<typeof CUDA_OPTIONS>;

/** The options' defaults, some of which depend on the target. */
export function defaultOptions(capability: number): CudaOptions {
  const { fp8Types, deprecatedFp8DotTypes, maxImpreciseAcc } = gpuOf(capability);
  return withDefaults(CUDA_OPTIONS, {
    supportedFp8Dtypes: fp8Types,
    deprecatedFp8DotOperandDtypes: deprecatedFp8DotTypes,
    maxNumImpreciseAccDefault: maxImpreciseAcc,
  }) as CudaOptions;
}

/** The PTX version that Triton asks for, as 10 * major + minor: what its ptxas takes. Source: get_ptx_version_from_options. */
export function ptxVersionOf(options: CudaOptions, capability: number, version: TritonVersion): number {
  return options.ptxVersion ?? (gpuOf(capability).architecture === "Blackwell" ? version.blackwellPtx : version.ptx);
}

/** The reason why options do not fit a target, in Triton's words where it has some; undefined if they fit. */
export function checkOptions(options: CudaOptions, capability: number): string | undefined {
  const { numWarps, numCtas, numStages, warpSize, maxnreg, ptxVersion } = options;
  const gpu = gpuOf(capability);
  if (!isHardwareSize(numWarps)) return "num_warps must be a power of 2 from 1 to 1024";
  if (!isHardwareSize(numCtas)) return "num_ctas must be a power of 2 from 1 to 1024";
  if (warpSize !== gpu.warpSize) return `warp_size must be ${gpu.warpSize}: a warp of CUDA has ${gpu.warpSize} threads`;
  if (!Number.isInteger(numStages) || numStages < 0) return "num_stages must be a non-negative integer";
  // ptxas ignores more, with a warning.
  if (maxnreg !== undefined && !(Number.isInteger(maxnreg) && 1 <= maxnreg && maxnreg <= 255)) return "maxnreg must be from 1 to 255";
  if (ptxVersion !== undefined && !(Number.isInteger(ptxVersion) && gpu.oldestPtx <= ptxVersion && ptxVersion <= 99))
    return `ptx_version must be at least ${gpu.oldestPtx} for sm_${capability}`;
  if (numCtas > 1 && !gpu.hasClusters)
    return `num_ctas > 1 requires NVIDIA SM90+ (Hopper). Current target is sm_${capability}. Set num_ctas=1 or target an SM90+ GPU`;
  return undefined;
}

const targetOf = (capability: number): string => `cuda:${capability}`;

export const CUDA: Platform<CudaOptions> = {
  targets: CAPABILITIES.map(targetOf),
  owns: (target) => capabilityOf(target) !== undefined,
  targetCalled(name) {
    const capability = knownCapability(name);
    return capability === undefined ? undefined : targetOf(capability);
  },
  versions: TRITON_VERSIONS,
  options: CUDA_OPTIONS,
  defaults: (target) => defaultOptions(capabilityOf(target)!),
  check: (options, target) => checkOptions(options, capabilityOf(target)!),
  takesPointerRanges: false,
};
