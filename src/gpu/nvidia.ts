/**
 * NVIDIA's GPUs, one row each: what the pipeline, the passes, the front end and the PTX back end ask about a target.
 * Sources: CUDA C++ Programming Guide, technical specifications per compute capability; PTX ISA, release notes;
 * Triton's third_party/nvidia/backend/compiler.py.
 */

/** The version of tensor-core instructions: mma.sync, wgmma, tcgen05.mma. */
export type MmaVersion = 2 | 3 | 5;

export interface GpuTarget {
  /** Major times 10 plus minor. */
  readonly capability: number;
  /** The name that ptxas and `.target` take: instructions of one architecture alone need the `a`. */
  readonly chip: string;
  /** The GPUs that people know it by. */
  readonly products: string;
  /** Bytes of shared memory that one CTA can use. */
  readonly sharedMemoryPerCta: number;
  /** Versions of tensor-core instructions that Triton tries, in this order. */
  readonly mmaVersions: readonly MmaVersion[];
  /** Whether CTAs form clusters (`num_ctas` above 1). */
  readonly hasClusters: boolean;
  /** Types of fp8 that the language takes, sorted as messages list them. */
  readonly fp8Types: readonly string[];
  /** Those of them that `tl.dot` takes with a warning. */
  readonly deprecatedFp8DotTypes: readonly string[];
  /** How many products wgmma may add up in reduced precision by default. */
  readonly maxImpreciseAcc: number;
  /** The first version of PTX that knows the target, and the one that Triton asks for, as 10 * major + minor. */
  readonly oldestPtx: number;
  readonly defaultPtx: number;
}

const KIB = 1024;
const BEFORE_ADA = { fp8Types: ["fp8e4b15", "fp8e5"], deprecatedFp8DotTypes: [], maxImpreciseAcc: 0, hasClusters: false, defaultPtx: 87 };
const ADA = { ...BEFORE_ADA, fp8Types: ["fp8e4b15", "fp8e4nv", "fp8e5"] };
const FROM_HOPPER = { ...ADA, deprecatedFp8DotTypes: ["fp8e4b15"], hasClusters: true };
const BLACKWELL = { ...FROM_HOPPER, defaultPtx: 88 };
const MMA_SYNC: readonly MmaVersion[] = [2];

export const NVIDIA_GPUS: readonly GpuTarget[] = [
  {
    ...BEFORE_ADA,
    capability: 75,
    chip: "sm_75",
    products: "T4, RTX 20",
    sharedMemoryPerCta: 64 * KIB,
    mmaVersions: MMA_SYNC,
    oldestPtx: 63,
  },
  { ...BEFORE_ADA, capability: 80, chip: "sm_80", products: "A100", sharedMemoryPerCta: 163 * KIB, mmaVersions: MMA_SYNC, oldestPtx: 70 },
  {
    ...BEFORE_ADA,
    capability: 86,
    chip: "sm_86",
    products: "A10, RTX 30",
    sharedMemoryPerCta: 99 * KIB,
    mmaVersions: MMA_SYNC,
    oldestPtx: 71,
  },
  { ...BEFORE_ADA, capability: 87, chip: "sm_87", products: "Orin", sharedMemoryPerCta: 163 * KIB, mmaVersions: MMA_SYNC, oldestPtx: 74 },
  {
    ...ADA,
    capability: 89,
    chip: "sm_89",
    products: "L4, L40S, RTX 40",
    sharedMemoryPerCta: 99 * KIB,
    mmaVersions: MMA_SYNC,
    oldestPtx: 78,
  },
  {
    ...FROM_HOPPER,
    capability: 90,
    chip: "sm_90a",
    products: "H100, H200",
    sharedMemoryPerCta: 227 * KIB,
    mmaVersions: [3, 2],
    maxImpreciseAcc: 2 ** 30,
    oldestPtx: 80,
  },
  { ...BLACKWELL, capability: 100, chip: "sm_100a", products: "B200", sharedMemoryPerCta: 227 * KIB, mmaVersions: [5, 2], oldestPtx: 86 },
  {
    ...BLACKWELL,
    capability: 120,
    chip: "sm_120a",
    products: "RTX 50",
    sharedMemoryPerCta: 99 * KIB,
    mmaVersions: MMA_SYNC,
    oldestPtx: 87,
  },
];

/** Compute capabilities that can be compiled for. */
export const CAPABILITIES: readonly number[] = NVIDIA_GPUS.map(({ capability }) => capability);

/**
 * The row of a capability. Passes run by hand take any number: the row of the newest GPU that is not newer holds then,
 * of the oldest where there is none.
 */
export function gpuOf(capability: number): GpuTarget {
  return NVIDIA_GPUS.findLast((gpu) => gpu.capability <= capability) ?? NVIDIA_GPUS[0]!;
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
