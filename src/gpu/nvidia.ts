/**
 * NVIDIA's GPUs, one row each: what the pipeline, the passes, the front end and the PTX back end ask about a target.
 * Sources: CUDA C++ Programming Guide, technical specifications per compute capability; PTX ISA, release notes;
 * Triton's third_party/nvidia/backend/compiler.py.
 */

/** The version of tensor-core instructions: mma.sync, wgmma, tcgen05.mma. */
export type MmaVersion = 2 | 3 | 5;

/** The arithmetic that a GPU has for bf16: none, fma only, or every operation. */
type Bf16 = "none" | "fma" | "arithmetic";

/** The properties of a GPU that the compiler uses. */
export interface GpuTarget {
  /** Major times 10 plus minor. */
  readonly capability: number;
  readonly architecture: "Volta" | "Turing" | "Ampere" | "Ada" | "Hopper" | "Blackwell";
  /** The name that ptxas and `.target` take: instructions of one architecture alone need the `a`. */
  readonly chip: string;
  /** The GPUs that people know it by. */
  readonly products: string;
  readonly warpSize: number;
  /** Bytes of shared memory that one CTA can use, and that a multiprocessor has. */
  readonly sharedMemoryPerCta: number;
  readonly sharedMemoryPerSm: number;
  /** Registers of 32 bits of a multiprocessor. */
  readonly registersPerSm: number;
  /** The first version of PTX that knows the target, and the one that Triton asks for, as 10 * major + minor. */
  readonly oldestPtx: number;

  /** Versions of tensor-core instructions that Triton tries, in this order. */
  readonly mmaVersions: readonly MmaVersion[];
  /** Whether tcgen05 does dots of int8, where the GPU has it. */
  readonly tcgen05Int8: boolean;
  /** The mma.sync that Triton takes for f64; undefined where that is slow or missing. */
  readonly f64Mma: "m8n8k4" | "m16n8k16" | undefined;
  /** Whether mma.sync takes fp8, and with scales: elsewhere it is emulated. */
  readonly fp8MmaSync: boolean;
  readonly scaledMmaSync: boolean;
  /** Whether tensor cores take tf32. */
  readonly tf32: boolean;
  /** Types of fp8 that the language takes, sorted as messages list them. */
  readonly fp8Types: readonly string[];
  /** Those of them that `tl.dot` takes with a warning. */
  readonly deprecatedFp8DotTypes: readonly string[];
  /** Conversions to and from fp8 in one instruction: of pairs of f16, and of f32 and bf16 too. */
  readonly fp8Pairs: boolean;
  readonly fp8Singles: boolean;
  /** How many products wgmma may add up in reduced precision by default. */
  readonly maxImpreciseAcc: number;

  readonly bf16: Bf16;
  /** `min.NaN` and `max.NaN`, also on halves. */
  readonly nanExtrema: boolean;
  /** The widths in bits of elements that arithmetic takes two of at once, as Triton has it. */
  readonly pairWidths: readonly number[];
  /** `min.xorsign.abs`: a clamp in one instruction. */
  readonly clips: boolean;
  /** The scalars that `redux.sync` reduces over a warp. */
  readonly redux: readonly ("i32" | "f32")[];
  /** ldmatrix and stmatrix, which move 8x8 matrices between registers and shared memory; whether they transpose bytes. */
  readonly ldMatrix: boolean;
  readonly stMatrix: boolean;
  readonly transposesBytes: boolean;
  /** Loads that say how long L2 keeps the data. */
  readonly cachePolicies: boolean;
  /** cp.async: from global to shared memory without registers. */
  readonly asyncCopies: boolean;
  /** Tensor copies (TMA), and all that came with them: mbarriers with `try_wait`, proxy fences. */
  readonly tma: boolean;
  /** Whether CTAs form clusters (`num_ctas` above 1). */
  readonly hasClusters: boolean;
  /** Atomic additions of bf16 and of vectors of floats. */
  readonly vectorAtomics: boolean;
}

const KIB = 1024;
const MMA_SYNC: readonly MmaVersion[] = [2];
const TURING = {
  architecture: "Turing",
  tcgen05Int8: true,
  warpSize: 32,
  registersPerSm: 65536,
  mmaVersions: [],
  f64Mma: undefined,
  fp8MmaSync: false,
  scaledMmaSync: false,
  tf32: false,
  fp8Types: ["fp8e4b15", "fp8e5"],
  deprecatedFp8DotTypes: [],
  fp8Pairs: false,
  fp8Singles: false,
  maxImpreciseAcc: 0,
  bf16: "none",
  nanExtrema: false,
  pairWidths: [],
  clips: false,
  redux: [],
  ldMatrix: true,
  stMatrix: false,
  transposesBytes: false,
  cachePolicies: false,
  asyncCopies: false,
  tma: false,
  hasClusters: false,
  vectorAtomics: false,
} as const satisfies Partial<GpuTarget>;
const AMPERE = {
  ...TURING,
  architecture: "Ampere",
  mmaVersions: MMA_SYNC,
  tf32: true,
  bf16: "fma",
  nanExtrema: true,
  redux: ["i32"],
  cachePolicies: true,
  asyncCopies: true,
} as const satisfies Partial<GpuTarget>;
const ADA = {
  ...AMPERE,
  architecture: "Ada",
  fp8MmaSync: true,
  fp8Types: ["fp8e4b15", "fp8e4nv", "fp8e5"],
  fp8Pairs: true,
} as const satisfies Partial<GpuTarget>;
const HOPPER = {
  ...ADA,
  architecture: "Hopper",
  fp8MmaSync: false,
  deprecatedFp8DotTypes: ["fp8e4b15"],
  fp8Singles: true,
  bf16: "arithmetic",
  pairWidths: [16],
  clips: true,
  stMatrix: true,
  tma: true,
  hasClusters: true,
  vectorAtomics: true,
} as const satisfies Partial<GpuTarget>;
const BLACKWELL = {
  ...HOPPER,
  architecture: "Blackwell",
  pairWidths: [16, 32],
  transposesBytes: true,
} as const satisfies Partial<GpuTarget>;

export const NVIDIA_GPUS: readonly GpuTarget[] = [
  {
    ...TURING,
    capability: 75,
    chip: "sm_75",
    products: "T4, RTX 20",
    sharedMemoryPerCta: 64 * KIB,
    sharedMemoryPerSm: 64 * KIB,
    oldestPtx: 63,
  },
  {
    ...AMPERE,
    capability: 80,
    chip: "sm_80",
    products: "A100",
    sharedMemoryPerCta: 163 * KIB,
    sharedMemoryPerSm: 164 * KIB,
    oldestPtx: 70,
    f64Mma: "m8n8k4",
  },
  {
    ...AMPERE,
    capability: 86,
    chip: "sm_86",
    products: "A10, RTX 30",
    sharedMemoryPerCta: 99 * KIB,
    sharedMemoryPerSm: 100 * KIB,
    oldestPtx: 71,
  },
  {
    ...AMPERE,
    capability: 87,
    chip: "sm_87",
    products: "Orin",
    sharedMemoryPerCta: 163 * KIB,
    sharedMemoryPerSm: 164 * KIB,
    oldestPtx: 74,
  },
  {
    ...ADA,
    capability: 89,
    chip: "sm_89",
    products: "L4, L40S, RTX 40",
    sharedMemoryPerCta: 99 * KIB,
    sharedMemoryPerSm: 100 * KIB,
    oldestPtx: 78,
  },
  {
    ...HOPPER,
    capability: 90,
    chip: "sm_90a",
    products: "H100, H200",
    sharedMemoryPerCta: 227 * KIB,
    sharedMemoryPerSm: 228 * KIB,
    oldestPtx: 80,
    mmaVersions: [3, 2],
    f64Mma: "m16n8k16",
    maxImpreciseAcc: 2 ** 30,
  },
  {
    ...BLACKWELL,
    capability: 100,
    chip: "sm_100a",
    products: "B200",
    sharedMemoryPerCta: 227 * KIB,
    sharedMemoryPerSm: 228 * KIB,
    oldestPtx: 86,
    mmaVersions: [5, 2],
    redux: ["i32", "f32"],
  },
  {
    ...BLACKWELL,
    capability: 120,
    chip: "sm_120a",
    products: "RTX 50",
    sharedMemoryPerCta: 99 * KIB,
    sharedMemoryPerSm: 100 * KIB,
    oldestPtx: 87,
    fp8MmaSync: true,
    scaledMmaSync: true,
  },
];

/** Compute capabilities that can be compiled for. */
export const CAPABILITIES: readonly number[] = NVIDIA_GPUS.map(({ capability }) => capability);

/** No target: what passes run by hand go by for GPUs before Turing. */
const VOLTA: GpuTarget = {
  ...TURING,
  architecture: "Volta",
  capability: 70,
  chip: "sm_70",
  products: "V100",
  sharedMemoryPerCta: 96 * KIB,
  sharedMemoryPerSm: 96 * KIB,
  oldestPtx: 60,
  ldMatrix: false,
};

/** No target either: a B200 whose tcgen05 has no int8. */
const BLACKWELL_ULTRA: GpuTarget = {
  ...NVIDIA_GPUS.find(({ capability }) => capability === 100)!,
  capability: 103,
  chip: "sm_103a",
  products: "B300",
  oldestPtx: 88,
  tcgen05Int8: false,
};

const BY_HAND: readonly GpuTarget[] = [VOLTA, ...NVIDIA_GPUS, BLACKWELL_ULTRA].sort((a, b) => a.capability - b.capability);

/** The row of a capability. Passes run by hand take any number: the row of the newest GPU that is not newer is used then. */
export function gpuOf(capability: number): GpuTarget {
  return BY_HAND.findLast((gpu) => gpu.capability <= capability) ?? VOLTA;
}

/** 90 for `cuda:90`; undefined for a name of another kind. */
export function capabilityOf(target: string | undefined): number | undefined {
  const [, digits] = /^cuda:(\d{1,4})$/.exec(target ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The same for a name as people write it: `cuda:90`, `sm_90a`, `sm90`, `90`. Undefined for a GPU that has no row. */
export function knownCapability(name: string): number | undefined {
  const [, digits] = /^(?:cuda:|sm_?)?(\d{1,4})a?$/.exec(name) ?? [];
  return CAPABILITIES.find((capability) => capability === Number(digits));
}
