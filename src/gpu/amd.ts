/**
 * AMD's GPUs, one row each, with the properties that the pipeline, the passes and the front end use.
 * Sources: AMD's ISA documents; LLVM's AMDGPU usage; Triton's third_party/amd/backend/compiler.py, lib/TritonAMDGPUToLLVM/TargetInfo.cpp,
 * TargetUtils.cpp.
 */

/** The instruction sets that differ for the compiler. GFX1250 is neither of the CDNA nor of the RDNA family there. */
export type AmdFamily = "CDNA1" | "CDNA2" | "CDNA3" | "CDNA4" | "RDNA1" | "RDNA2" | "RDNA3" | "RDNA4" | "GFX1250";

/** Four SIMD units and their LDS. Source: LLVM's AMDGPUBaseInfo; `amd-occupancy.test.ts` has what LLVM computes from it. */
export interface AmdUnit {
  readonly name: "compute unit" | "work group processor";
  /** Waves of a SIMD unit. */
  readonly waves: number;
  /** Registers that a lane of all waves of a SIMD unit has together, and the number of them that are given at once. */
  readonly vgprs: number;
  readonly vgprsAtOnce: number;
  /** Scalar registers of all waves of a SIMD unit; undefined where each wave has all that it can name. */
  readonly sgprs: number | undefined;
  readonly ldsBytes: number;
}

/** The properties of a GPU that the compiler uses. */
export interface AmdGpu {
  /** As in `hip:gfx942`. */
  readonly arch: string;
  readonly family: AmdFamily;
  /** The GPUs that people know it by. */
  readonly products: string;
  /** Lanes of a wave. */
  readonly warpSize: number;
  /** Bytes of shared memory (LDS) that one workgroup can use. */
  readonly sharedMemoryPerCta: number;
  /** Banks of LDS, of 4 bytes; undefined where it is not published. */
  readonly ldsBanks: 32 | 64 | undefined;
  /** The resources that the waves of four SIMD units share: a compute unit of CDNA, a work group processor (two compute units) of RDNA. */
  readonly unit: AmdUnit;
  /** The generation of matrix instructions of CDNA (MFMA) and of the others (WMMA); 0 where there are none. */
  readonly mfma: 0 | 2 | 3 | 4;
  readonly wmma: 0 | 1 | 2 | 3;
  /** Whether matrix instructions multiply f32 as xf32, which is tf32. */
  readonly xf32: boolean;
  /** Types of fp8 that `tl.dot` takes with a warning. */
  readonly deprecatedFp8DotTypes: readonly string[];
  /** Compute units of a chiplet (XCD), and those that its shader engines are numbered by; undefined where the GPU is one chip. */
  readonly chiplet: { readonly units: number; readonly ofEngine: number } | undefined;
  /** Whether workgroups form clusters (`num_ctas` above 1). */
  readonly hasClusters: boolean;
}

const KIB = 1024;
const CDNA = {
  unit: { name: "compute unit", waves: 8, vgprs: 512, vgprsAtOnce: 8, sgprs: 800, ldsBytes: 64 * KIB },
  warpSize: 64,
  sharedMemoryPerCta: 64 * KIB,
  ldsBanks: 32,
  wmma: 0,
  xf32: false,
  deprecatedFp8DotTypes: [],
  chiplet: undefined,
  hasClusters: false,
} as const satisfies Partial<AmdGpu>;
const RDNA = {
  ...CDNA,
  unit: { name: "work group processor", waves: 16, vgprs: 1536, vgprsAtOnce: 24, sgprs: undefined, ldsBytes: 128 * KIB },
  warpSize: 32,
  mfma: 0,
} as const satisfies Partial<AmdGpu>;

export const AMD_GPUS: readonly AmdGpu[] = [
  { ...CDNA, arch: "gfx90a", family: "CDNA2", products: "MI200", mfma: 2 },
  { ...CDNA, arch: "gfx942", family: "CDNA3", products: "MI300", mfma: 3, xf32: true, chiplet: { units: 38, ofEngine: 10 } },
  {
    ...CDNA,
    arch: "gfx950",
    family: "CDNA4",
    products: "MI350",
    mfma: 4,
    chiplet: { units: 32, ofEngine: 10 },
    unit: { ...CDNA.unit, ldsBytes: 160 * KIB },
    sharedMemoryPerCta: 160 * KIB,
    ldsBanks: 64,
    deprecatedFp8DotTypes: ["fp8e4b8", "fp8e5b16"],
  },
  { ...RDNA, arch: "gfx1100", family: "RDNA3", products: "RX 7900", wmma: 1 },
  { ...RDNA, arch: "gfx1200", family: "RDNA4", products: "RX 9060", wmma: 2 },
  { ...RDNA, arch: "gfx1201", family: "RDNA4", products: "RX 9070", wmma: 2 },
  {
    ...RDNA,
    arch: "gfx1250",
    family: "GFX1250",
    products: "MI400",
    wmma: 3,
    unit: { ...RDNA.unit, vgprs: 1024, vgprsAtOnce: 16, ldsBytes: 320 * KIB },
    sharedMemoryPerCta: 320 * KIB,
    ldsBanks: undefined,
    hasClusters: true,
  },
];

/** The row of an architecture, `gfx942`; undefined where there is none. */
export const amdGpuOf = (arch: string): AmdGpu | undefined => AMD_GPUS.find((gpu) => gpu.arch === arch);

/** GPUs that passes know the family of, though they cannot be compiled for: the first and last number of each. */
const OTHER_GPUS: readonly (readonly [AmdFamily, number, number])[] = [
  ["CDNA1", 908, 908],
  ["RDNA1", 1010, 1013],
  ["RDNA2", 1030, 1036],
  ["RDNA3", 1101, 1153],
];
/** The family of an architecture; undefined where it is not known. */
export function amdFamilyOf(arch: string): AmdFamily | undefined {
  const number = Number(/^gfx(\d+)$/.exec(arch)?.[1]);
  return amdGpuOf(arch)?.family ?? OTHER_GPUS.find(([, first, last]) => first <= number && number <= last)?.[0];
}
export const isCdna = (family: AmdFamily | undefined): boolean => family?.startsWith("CDNA") === true;
export const isRdna = (family: AmdFamily | undefined): boolean => family?.startsWith("RDNA") === true;

/** `gfx942` for `hip:gfx942`; undefined for a name of another kind. */
export const archOf = (target: string | undefined): string | undefined => /^hip:(gfx\w+)$/.exec(target ?? "")?.[1];

/** The number of the instruction set in ROCm's device libraries: 9402 for gfx942. The last two digits of the name are hexadecimal. */
export function isaVersion({ arch }: AmdGpu): number {
  const [, major, minor, stepping] = /^gfx(\d+)([\da-f])([\da-f])$/.exec(arch)!;
  return 1000 * Number(major) + 100 * Number.parseInt(minor!, 16) + Number.parseInt(stepping!, 16);
}
