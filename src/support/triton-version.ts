/** The versions of Triton that are followed: one value for the pipeline, the front end and passes. */
export interface TritonVersion {
  /** Names the version in options and pipelines: `3.6`. */
  readonly name: string;
  /** `triton.__version__`. */
  readonly release: string;
  /** The PTX that its ptxas takes, as 10 * major + minor; Blackwell has another one. */
  readonly ptx: number;
  readonly blackwellPtx: number;
  /** The rules of AxisInfo: those of this version. */
  readonly axisInfo: "3.6" | "3.7" | "3.8";
  /** The fastest dimension of an access among equally contiguous ones. */
  readonly fastestAmongEqual: "first" | "last";
  /** Barriers that passes make say which memories they order (`ttg.barrier local`). */
  readonly barriersNameMemory: boolean;
  /** How layout conversions are removed: the rules of this version. */
  readonly rematerialization: "3.6" | "3.7" | "3.8";
  /** Asynchronous copies of few elements get a layout of their own. */
  readonly coalescesSmallCopies: boolean;
  /** How loops are pipelined: the rules of this version. */
  readonly pipelining: "3.6" | "3.7";
  /** Types of descriptors have a shape and an element type, not a tensor type. */
  readonly descriptorsOfShapes: boolean;
  /** The operands of dots that are read a round ahead: since 3.8 also those that a copy is waited for. */
  readonly prefetching: "3.6" | "3.8";
  /** Atomics get a layout with no more elements in a row than one instruction takes. */
  readonly capsAtomics: boolean;
  /** Sums of products become dots in full precision, and only where they are matrix products. */
  readonly combinesOnlyProducts: boolean;
  /** `-x` of a float is one op, not 0 - x, and may have a layout. */
  readonly negatesFloats: boolean;
  /** The code that ops become in the LLVM dialect: the forms of this version. */
  readonly codeForms: "3.6" | "3.7" | "3.8";
  /** Reductions hand partial results on by layout conversions, so that lanes finish what warps began. */
  readonly reducesByConversions: boolean;
  /** A wait for copies needs no barrier of its own where another wait or a barrier follows before memory is used. */
  readonly defersWaitBarriers: boolean;
  /** The op of LLVM by which all threads of a CTA wait for each other. */
  readonly ctaBarrier: "nvvm.barrier0" | "nvvm.barrier";
  /** After inlining, scf and cf are canonicalized too, not only values that loops carry in vain. */
  readonly simplifiesBranches: boolean;
  /** Threads that arrive at an mbarrier, expect bytes or commit for all do so after a barrier of all. */
  readonly signalsAfterBarriers: boolean;
  /** Passes put the barriers between accesses to tensor memory, not each store its own. */
  readonly placesTmemBarriers: boolean;
  /** The mbarriers that a dot in tensor memory signals count as written by it. */
  readonly dotsWriteBarriers: boolean;
  /** A wait for stores by TMA waits for the writes, unless it says that the reads are enough. */
  readonly waitsForWrites: boolean;
  /** The module says how much scratch memory profilers have. */
  readonly sizesProfileScratch: boolean;
  /** For users, where the version is not followed whole. */
  readonly partial?: string;
}

export const TRITON_3_6: TritonVersion = {
  name: "3.6",
  release: "3.6.0",
  ptx: 87,
  blackwellPtx: 88,
  axisInfo: "3.6",
  fastestAmongEqual: "first",
  barriersNameMemory: false,
  rematerialization: "3.6",
  coalescesSmallCopies: false,
  pipelining: "3.6",
  descriptorsOfShapes: false,
  prefetching: "3.6",
  capsAtomics: false,
  codeForms: "3.6",
  reducesByConversions: false,
  defersWaitBarriers: false,
  ctaBarrier: "nvvm.barrier0",
  simplifiesBranches: false,
  signalsAfterBarriers: false,
  placesTmemBarriers: false,
  dotsWriteBarriers: false,
  waitsForWrites: false,
  sizesProfileScratch: false,
  negatesFloats: false,
  combinesOnlyProducts: false,
};
export const TRITON_3_7: TritonVersion = {
  name: "3.7",
  release: "3.7.1",
  ptx: 87,
  blackwellPtx: 91,
  axisInfo: "3.7",
  fastestAmongEqual: "last",
  barriersNameMemory: true,
  rematerialization: "3.7",
  coalescesSmallCopies: true,
  pipelining: "3.7",
  descriptorsOfShapes: false,
  prefetching: "3.6",
  capsAtomics: false,
  codeForms: "3.7",
  reducesByConversions: false,
  defersWaitBarriers: false,
  ctaBarrier: "nvvm.barrier0",
  simplifiesBranches: false,
  signalsAfterBarriers: false,
  placesTmemBarriers: false,
  dotsWriteBarriers: false,
  waitsForWrites: false,
  sizesProfileScratch: false,
  negatesFloats: false,
  combinesOnlyProducts: false,
  partial: "Triton 3.7 is followed in part: docs/triton-versions.md lists what differs",
};
export const TRITON_3_8: TritonVersion = {
  ...TRITON_3_7,
  name: "3.8",
  release: "3.8.0",
  ptx: 88,
  blackwellPtx: 93,
  axisInfo: "3.8",
  rematerialization: "3.8",
  descriptorsOfShapes: true,
  prefetching: "3.8",
  capsAtomics: true,
  codeForms: "3.8",
  reducesByConversions: true,
  defersWaitBarriers: true,
  ctaBarrier: "nvvm.barrier",
  simplifiesBranches: true,
  signalsAfterBarriers: true,
  placesTmemBarriers: true,
  dotsWriteBarriers: true,
  waitsForWrites: true,
  sizesProfileScratch: true,
  negatesFloats: true,
  combinesOnlyProducts: true,
  partial: "Triton 3.8 is followed in part: docs/triton-versions.md lists what differs",
};

/** All of them, the oldest first. */
export const TRITON_VERSIONS: readonly TritonVersion[] = [TRITON_3_6, TRITON_3_7, TRITON_3_8];

/** Used where none is named. */
export const DEFAULT_TRITON = TRITON_3_6;

/** The version called `3.6` or `3.6.0`. */
export const tritonCalled = (name: string): TritonVersion | undefined =>
  TRITON_VERSIONS.find((version) => version.name === name || version.release === name);

/** As `tritonCalled`; the default where none is named or it is not among them. */
export const tritonOrDefault = (name: string | undefined): TritonVersion =>
  (name === undefined ? undefined : tritonCalled(name)) ?? DEFAULT_TRITON;

/** The message for a version that is not among them. */
export const unknownTriton = (name: string): string =>
  `Triton ${name} is not known; known are ${TRITON_VERSIONS.map((version) => version.name).join(", ")}`;
