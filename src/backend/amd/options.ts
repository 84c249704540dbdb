/** Triton's compile options for HIP. Source: third_party/amd/backend/compiler.py, HIPOptions; python/triton/knobs.py, amd_knobs. */
import { AMD_GPUS, amdGpuOf, archOf } from "../../gpu/amd.js";
import { isHardwareSize, type OptionValues, option, withDefaults } from "../../pass/options.js";
import { EXTRACTS_VARIABLES } from "../../support/environment.js";
import { TRITON_3_6 } from "../../support/triton-version.js";
import type { Platform } from "../backend.js";

const PRECISIONS = ["ieee", "bf16x3", "bf16x6"];
const LAUNCH_ONLY = "it changes how a kernel is launched, not its code, and nothing is launched here";
const OF_TARGET = "it follows from the target";

/** The last that reads an option. */
const FRONT_END = { lastRead: "python" } as const;
const TO_TTGIR = { lastRead: "ttgir" } as const;

export const HIP_OPTIONS = {
  numWarps: { ...option.size({ default: 4, summary: "waves of a workgroup" }), ...TO_TTGIR },
  numCtas: { ...option.size({ default: 1, summary: "workgroups of a cluster (gfx1250)" }), ...TO_TTGIR },
  warpSize: { ...option.int({ default: 64, summary: "lanes of a wave" }), refused: OF_TARGET },
  numStages: { ...option.int({ default: 2, min: 0, summary: "stages of software pipelines" }), ...TO_TTGIR },
  wavesPerEu: {
    ...option.int({ default: 0, min: 0, summary: "hip: waves that a SIMD unit is to hold; 0 leaves it to LLVM" }),
    offered: [0, 1, 2, 3, 4, 8],
  },
  matrixInstrNonkdim: {
    ...option.int({ default: 0, min: 0, summary: "hip: M and N of matrix instructions, 16 or 32; 0 chooses by the shape" }),
    offered: [0, 16, 32],
    ...TO_TTGIR,
  },
  kpack: {
    ...option.int({ default: 1, min: 1, summary: "hip: matrix instructions whose operands are read at once, 1 or 2" }),
    offered: [1, 2],
    ...TO_TTGIR,
  },
  allowFlushDenorm: option.bool({ default: false, summary: "hip: subnormal f32 may be flushed to zero" }),
  scheduleHint: {
    ...option.string({ default: "none", summary: "hip: attention or memory-bound-attention: how LLVM orders instructions" }),
  },
  extractVariableInfo: {
    ...option.bool({ default: false, summary: "variables in the debug information of LLVM IR (LLVM_EXTRACT_DI_LOCAL_VARIABLES)" }),
    variable: EXTRACTS_VARIABLES,
  },
  useAsyncCopy: {
    ...option.bool({ default: false, summary: "hip: pipelines copy to shared memory without registers (TRITON_HIP_USE_ASYNC_COPY)" }),
    variable: "TRITON_HIP_USE_ASYNC_COPY",
    offered: [false, true],
    ...TO_TTGIR,
  },
  useBlockPingpong: {
    ...option.optional(
      option.bool({ default: false, summary: "hip: half of the warps run ahead (TRITON_HIP_USE_BLOCK_PINGPONG); by default on gfx942" }),
    ),
    variable: "TRITON_HIP_USE_BLOCK_PINGPONG",
    offered: [undefined, false, true],
    ...TO_TTGIR,
  },
  useInThreadTranspose: {
    ...option.optional(
      option.bool({
        default: false,
        summary: "hip: threads transpose what they load (TRITON_HIP_USE_IN_THREAD_TRANSPOSE); by default on gfx942",
      }),
    ),
    variable: "TRITON_HIP_USE_IN_THREAD_TRANSPOSE",
    offered: [undefined, false, true],
    ...TO_TTGIR,
  },
  useBufferOps: {
    ...option.bool({ default: true, summary: "hip: accesses by buffer instructions (AMDGCN_USE_BUFFER_OPS)" }),
    variable: "AMDGCN_USE_BUFFER_OPS",
    offered: [false, true],
    ...TO_TTGIR,
  },
  useBufferAtomics: {
    ...option.bool({ default: true, summary: "hip: atomics by buffer instructions (AMDGCN_USE_BUFFER_ATOMICS)" }),
    variable: "AMDGCN_USE_BUFFER_ATOMICS",
    ...TO_TTGIR,
  },
  analyzeSmallTensorRange: {
    ...option.bool({
      default: false,
      summary: "hip: buffer instructions only where offsets are proven small (AMDGCN_ANALYZE_SMALL_TENSOR_RANGE)",
    }),
    variable: "AMDGCN_ANALYZE_SMALL_TENSOR_RANGE",
    ...TO_TTGIR,
  },
  enableFpFusion: option.bool({ default: true, summary: "multiplications and additions become fma" }),
  launchCooperativeGrid: { ...option.bool({ default: false, summary: "cooperative launch" }), refused: LAUNCH_ONLY },
  supportedFp8Dtypes: {
    ...option.list({ default: ["fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16"], summary: "fp8 types that a kernel may use" }),
    ...FRONT_END,
  },
  deprecatedFp8DotOperandDtypes: { ...option.list({ default: [], summary: "fp8 types that tl.dot warns about" }), ...FRONT_END },
  defaultDotInputPrecision: {
    ...option.enum<string>(PRECISIONS, { default: "ieee", summary: "precision of tl.dot on fp32" }),
    ...FRONT_END,
  },
  allowedDotInputPrecisions: { ...option.list({ default: PRECISIONS, summary: "precisions that tl.dot may name" }), ...FRONT_END },
  maxNumImpreciseAccDefault: { ...option.int({ default: 0, summary: "fp8 products summed in low precision" }), ...FRONT_END },
  externLibs: { ...option.list({ default: [], summary: "bitcode libraries" }), refused: "other bitcode is not linked" },
  debug: { ...option.bool({ default: false, summary: "device_assert and other checks of debug mode" }), ...FRONT_END },
  sanitizeOverflow: { ...option.bool({ default: true, summary: "with --debug: integer overflow is an assertion" }), ...FRONT_END },
  backendName: { ...option.string({ default: "hip", summary: "which backend" }), refused: OF_TARGET },
  arch: option.optional(option.string({ default: "", summary: "the target in Triton's words; as --target" })),
  instrumentationMode: option.string({ default: "", summary: "instrumentation" }),
};

/** Triton's HIPOptions in camel case, and the environment's switches; `HIP_OPTIONS` says what each is. */
export type HipOptions = OptionValues<typeof HIP_OPTIONS>;

/** The options' defaults, some of which depend on the target. */
export function hipDefaults(target: string): HipOptions {
  const { deprecatedFp8DotTypes, xf32, warpSize } = amdGpuOf(archOf(target)!)!;
  return withDefaults(HIP_OPTIONS, {
    warpSize,
    deprecatedFp8DotOperandDtypes: deprecatedFp8DotTypes,
    ...(xf32 ? { allowedDotInputPrecisions: [...PRECISIONS, "tf32"].sort() } : {}),
  }) as HipOptions;
}

/** The reason why options do not fit a target, in Triton's words where it has some; undefined if they fit. */
function checkOptions(
  { numWarps, numCtas, numStages, matrixInstrNonkdim, kpack, instrumentationMode, warpSize: lanes }: Partial<HipOptions>,
  target: string,
): string | undefined {
  const { hasClusters, arch, warpSize } = amdGpuOf(archOf(target)!)!;
  if (lanes !== undefined && lanes !== warpSize) return `warp_size is ${warpSize} on ${arch}, not ${lanes}: ${OF_TARGET}`;
  if (numWarps !== undefined && !isHardwareSize(numWarps)) return "num_warps must be a power of 2";
  if (numCtas !== undefined && numCtas > 1 && !hasClusters) return `num_ctas > 1 not supported on ${arch}`;
  if (numStages !== undefined && (!Number.isInteger(numStages) || numStages < 0)) return "num_stages must be a non-negative integer";
  // Upstream takes any other number and then uses no matrix instruction.
  if (matrixInstrNonkdim !== undefined && ![0, 4, 16, 32].includes(matrixInstrNonkdim))
    return `matrix_instr_nonkdim must be 0, 4, 16 or 32, not ${matrixInstrNonkdim}`;
  if (kpack !== undefined && kpack !== 1 && kpack !== 2) return `kpack must be 1 or 2, not ${kpack}`;
  // Upstream takes it and makes the same code.
  if (instrumentationMode) return "instrumentation_mode changes nothing here: Triton 3.6 has no sanitizer for AMD's GPUs";
  return undefined;
}

export const HIP: Platform<Partial<HipOptions>> = {
  targets: AMD_GPUS.map(({ arch }) => `hip:${arch}`),
  owns: (target) => amdGpuOf(archOf(target) ?? "") !== undefined,
  targetCalled(name) {
    const gpu = amdGpuOf(name.replace(/^hip:/, ""));
    return gpu && `hip:${gpu.arch}`;
  },
  versions: [TRITON_3_6],
  options: HIP_OPTIONS,
  defaults: hipDefaults,
  check: checkOptions,
  takesPointerRanges: true,
};
