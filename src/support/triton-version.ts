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
  /** A loop's argument that nothing depends on is read as its initial value. */
  readonly deadArgsReadInits: boolean;
  /**
   * Loops and branches are cleaned up by what their regions hand on, a known number of rounds decides where control goes, and a branch on a
   * loop's condition moves into its body.
   */
  readonly cleansRegions: boolean;
  /** Rounds of unsigned loops are counted without a sign; a step that is not positive gives no count. */
  readonly countsUnsignedRounds: boolean;
  /** Rounds of signed loops are counted also where their bounds are further apart than their type's largest value. */
  readonly countsFarRounds: boolean;
  /** After the removal of layout conversions loops and branches are cleaned up by themselves, as far as that gets; the pass does not fail of it. */
  readonly cleansControlFlowApart: boolean;
  /** `#ttg.amd_wmma` says by a linear layout which warps compute which tiles. */
  readonly wmmaByLayout: boolean;
  /** `#ttg.generic_linear` exists. */
  readonly genericLinear: boolean;
  /** Slices to compute in another layout end at values that are there already in it. */
  readonly slicesEndAtExisting: boolean;
  /** A branch that a conversion is hoisted into is looked at with what else is to be computed again. */
  readonly branchesKnowSlices: boolean;
  /** A conversion is hoisted over a widening only where that costs less. */
  readonly weighsWidenings: boolean;
  /** The cost of a value in another layout follows loops and branches. */
  readonly costsFollowLoops: boolean;
  /** Values that are right in either layout, or there already, are left out of slices. */
  readonly leavesOutFitting: boolean;
  /** No kind of dot and no reshape with a layout of its own is computed again in another layout. */
  readonly repeatsNoDots: boolean;
  /** Asynchronous copies of few elements get a layout of their own. */
  readonly coalescesSmallCopies: boolean;
  /** Dots in tensor memory are pipelined whatever their accumulator comes from. */
  readonly pipelinesAnyAccumulator: boolean;
  /** Such a dot is waited for before the first user that runs after it, not the first one of a round. */
  readonly syncsAfterInstruction: boolean;
  /** Waits for wgmma are where its results are used, not once a block. */
  readonly waitsAtUsers: boolean;
  /** A wgmma with an operand in registers is split in two parts, not in one for each step along K. */
  readonly splitsDotsInTwo: boolean;
  /** Loops that stop or print are not pipelined. */
  readonly keepsLoopsThatPrint: boolean;
  /** Loops on Blackwell are divided by what ops hand to each other, not by loads, dots and their users. */
  readonly dividesByFlow: boolean;
  /** Control flow reaches warp groups, so that constants are known in them which they capture. */
  readonly controlReachesWarpGroups: boolean;
  /** Results of scaled dots count there. */
  readonly dividesScaledDots: boolean;
  /** A load goes with a buffer of an equivalent layout, which becomes one of the descriptor's layout. */
  readonly groupsEquivalentLayouts: boolean;
  /** Divided loops keep no attributes that say how. */
  readonly forgetsDivision: boolean;
  /** A branch that is split, to hand tensor memory over, keeps the warp groups of its results. */
  readonly branchesKeepGroups: boolean;
  /** A dot whose operands other warps load does not wait for itself. */
  readonly dividedDotsDoNotWait: boolean;
  /** Types of descriptors have a shape and an element type, not a tensor type. */
  readonly descriptorsOfShapes: boolean;
  /** Operands of dots are read a round ahead also through the wait for a copy. */
  readonly prefetchesThroughWaits: boolean;
  /** The parts that an argument's descriptor becomes have names, such as `desc.shape.0`. */
  readonly namesDescriptorParts: boolean;
  /** Functions that take or return tensors get layouts too. */
  readonly functionsTakeTensors: boolean;
  /** Where the number of warps changes, loads from shared memory get a layout too, and tensor memory is accessed in one that fits. */
  readonly relayoutsLocalLoads: boolean;
  /** There the users of what is loaded from tensor memory get it in the layout of other values. */
  readonly tmemLoadsKeepLayout: boolean;
  /** Atomics get a layout with no more elements in a row than one instruction takes. */
  readonly capsAtomics: boolean;
  /** Sums of products become dots in full precision, and only where they are matrix products. */
  readonly combinesOnlyProducts: boolean;
  /** A sum with a scaled dot becomes the accumulator of the dot. */
  readonly combinesScaledDots: boolean;
  /**
   * How many elements share a scale follows from the shapes, not from the scales' type; a scaled dot without an instruction may have scales in
   * fp8, and fp4 packed along rows or columns.
   */
  readonly generalScaledDots: boolean;
  /** A clamp of a scalar to the same bound on both sides is one instruction too. */
  readonly clipsScalars: boolean;
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
  /** Barriers around warp groups have a result of type void, which the language of LLVM IR has not. */
  readonly loopBarriersReturnVoid: boolean;
  /** After inlining, scf and cf are canonicalized too, not only values that loops carry in vain. */
  readonly simplifiesBranches: boolean;
  /** Conversions of layouts and reductions move elements between CTAs of a cluster. */
  readonly convertsAcrossCTAs: boolean;
  /** A buffer in shared memory may have several parts, each with an offset of its own. */
  readonly buffersHaveParts: boolean;
  /** The CTAs of a cluster share the row numbers of gathers and scatters by TMA; before, there is a layout of them for one CTA alone. */
  readonly sharesRowNumbers: boolean;
  /** Accesses of a callee are where its caller has put its buffer. */
  readonly movesCalleeAccesses: boolean;
  /** Scans go through each element of a thread once, also where its layout repeats elements. */
  readonly scansUniqueElements: boolean;
  /** Slices of one buffer that share no element need no barrier between them. */
  readonly tellsSlicesApart: boolean;
  /** Fences between proxies are put also before reads through the async proxy, so that Gluon's authors need none, and LLVM writes their text. */
  readonly fencesForReads: boolean;
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
  /** A descriptor that is rewritten to pointers says whether fp32 is rounded to tf32. */
  readonly descriptorsSayRounding: boolean;
  /** Stores by TMA in a loop stay where they are if an atomic there orders accesses of memory. */
  readonly ordersStoresByAtomics: boolean;
  /** The first operand of a dot in tensor memory may be of 8 bits there. */
  readonly promotesBytesToTmem: boolean;
  /** Barriers between mbarrier ops are left out where one thread does both, not by the kinds of ops. */
  readonly ordersMbarriersByThread: boolean;
  /** Divisions of the LLVM dialect that may be undefined are not done anew elsewhere, so warps capture their results. */
  readonly keepsUnsafeDivisions: boolean;
  /** A descriptor that is written to a ring of places is erased at once, not by a later pass. */
  readonly erasesReplacedDescriptors: boolean;
  /** A loop that adds to its accumulator in all rounds but the first begins it anew, so it may have two buffers. */
  readonly beginsInFirstRound: boolean;
  /** Hopper's loops are divided through splits, joins and reshapes too, and through transpositions of any rank. */
  readonly dividesThroughSplits: boolean;
  /** A slice of a slice of a buffer is a slice of the buffer. */
  readonly foldsSubslices: boolean;
  /** Warps that assert or print get 32 registers at least. */
  readonly printsWithMoreRegisters: boolean;
  /** A bitcast to the type that a value has already folds. */
  readonly foldsBitcasts: boolean;
  /** A pointer made of an integer that was made of a pointer is that pointer, plus elements where a constant is added between. */
  readonly foldsPointerCasts: boolean;
  /** A histogram adds up its elements one by one, those that have a bin; before, the lowest bits of each name its bin. */
  readonly countsOneByOne: boolean;
  /** tt.cat has another layout where threads have as many different elements in it, not wherever they have no fewer. */
  readonly catsKeepElements: boolean;
  /** The layout before a reshape that may reorder is inferred too: the present one, where that moves nothing. */
  readonly infersReorderings: boolean;
  /** Both values of a byte of fp4 are at a thread's first two elements. */
  readonly pairsFp4First: boolean;
  /** A loop's value that only the bounds of a nested loop depend on is no dead one. */
  readonly boundsAreLive: boolean;
  /** Dots in fp64 are done by 8x8 instructions, on Blackwell's sm_10x and sm_11x too. */
  readonly smallF64Dots: boolean;
  /** The columns of the narrowest dot on wgmma and tcgen05. */
  readonly narrowestDot: 8 | 16;
  /** tcgen05 takes fp32 only as tf32, and int8 where the sum is in int32. */
  readonly asksTypesOfTcgen05: boolean;
  /** A join counts as two values of what was loaded only where it packs them side by side, not always. */
  readonly joinsPack: boolean;
  /** Two CTAs share a dot in tensor memory where they can. */
  readonly pairsCTAs: boolean;
  /** A slice of tensor memory has the blocks of the buffer, though it may be smaller than one. */
  readonly slicesKeepBlocks: boolean;
  /** Scales of a dot in tensor memory go through shared memory, for the pipeliner to find them. */
  readonly stagesScales: boolean;
  /** Columns of a transposed `#ttg.nvmma_shared` are contiguous also where nothing is swizzled; before, rows are. */
  readonly turnsPlain: boolean;
  /** Verifiers know the rules of layouts, descriptors, views of memory, and barriers that 3.8 adds, and its messages. */
  readonly checksMemory: boolean;
  /** Buffers that several CTAs share may be sliced where no CTA's part is divided. */
  readonly slicesBuffersOfCtas: boolean;
  /** Layouts of tensor memory have a `CGALayout`, with CTAs as blocks of their own; not numbers of parts, which count as columns. */
  readonly blocksInTmem: boolean;
  /** Coordinates of padded fp4, two elements in a byte, are doubled where TMA's instructions are made, not where copies are. */
  readonly doublesFp4Late: boolean;
  /** Tensor memory that each round of a loop overwrites whole is allocated in the loop after pipelining, where its life is shorter. */
  readonly sinksTmemAllocs: boolean;
  /** Both halves of a message to tensor memory may be at the same place. */
  readonly zeroHalfOffsets: boolean;
  /** Hopper's warp groups end the barriers that they had. */
  readonly invalidatesRings: boolean;
  /** mbarriers are for each CTA of a cluster, or for groups of them. */
  readonly barriersOfClusters: boolean;
  /**
   * Ops of clusters are only where a cluster has several CTAs. An arrival at its barrier orders memory unless it says otherwise; before
   * it says so too.
   */
  readonly checksClusters: boolean;
  /** Two CTAs that share tensor memory wait for each other before they give it back. */
  readonly pairsLeaveTogether: boolean;
  /** A remainder is moved out of a loop only where its divisor is known not to be zero. */
  readonly guardsRemainders: boolean;
  /** A load that acquires stays where nothing uses its value. */
  readonly keepsAcquires: boolean;
  /** Commits are merged into the dot before them only as far as all of them can be, and where they reach the same CTAs. */
  readonly mergesCommitsInOrder: boolean;
  /** Enums of nvvm's ops are printed after two spaces. */
  readonly setsEnumsApart: boolean;
  /** Aggregates without a constructor have one of their fields, and keep the values that they are constructed with. */
  readonly constructsAggregates: boolean;
  /** Loads of tensor memory may give the minimum or maximum of each row too. */
  readonly loadsReduce: boolean;
  /**
   * Debug information: since 3.7 subprograms have types and extract-variable-info names arguments; since 3.8 these are in the scope of the
   * subprogram that lists them.
   */
  readonly debugVariables: "3.6" | "3.7" | "3.8";
  /** For users, where the version is not followed whole. */
  readonly partial?: string;
  /** The last stage that is compiled; all are where none is named. */
  readonly lastStage?: "ttir";
  /** Types of pointers name their address space, and what a kernel only reads by `const` is in that of constants. */
  readonly namesAddressSpaces: boolean;
  /** The spelling of its IR, where it is another one. */
  readonly spelling?: "3.9";
  /** A descriptor's offsets get the shape of its block by reshapes, not by new dimensions. */
  readonly reshapesOffsets: boolean;
}

export const TRITON_3_6: TritonVersion = {
  name: "3.6",
  release: "3.6.0",
  ptx: 87,
  blackwellPtx: 88,
  axisInfo: "3.6",
  fastestAmongEqual: "first",
  barriersNameMemory: false,
  deadArgsReadInits: false,
  cleansRegions: false,
  cleansControlFlowApart: false,
  genericLinear: false,
  wmmaByLayout: false,
  countsUnsignedRounds: false,
  countsFarRounds: false,
  slicesEndAtExisting: false,
  branchesKnowSlices: false,
  weighsWidenings: false,
  costsFollowLoops: false,
  leavesOutFitting: false,
  repeatsNoDots: false,
  coalescesSmallCopies: false,
  pipelinesAnyAccumulator: false,
  syncsAfterInstruction: false,
  waitsAtUsers: false,
  splitsDotsInTwo: false,
  keepsLoopsThatPrint: false,
  dividedDotsDoNotWait: false,
  dividesByFlow: false,
  controlReachesWarpGroups: false,
  dividesScaledDots: false,
  groupsEquivalentLayouts: false,
  forgetsDivision: false,
  branchesKeepGroups: false,
  descriptorsOfShapes: false,
  turnsPlain: false,
  checksMemory: false,
  slicesBuffersOfCtas: false,
  blocksInTmem: false,
  prefetchesThroughWaits: false,
  capsAtomics: false,
  namesDescriptorParts: false,
  functionsTakeTensors: false,
  relayoutsLocalLoads: false,
  tmemLoadsKeepLayout: false,
  codeForms: "3.6",
  reducesByConversions: false,
  defersWaitBarriers: false,
  ctaBarrier: "nvvm.barrier0",
  loopBarriersReturnVoid: true,
  simplifiesBranches: false,
  tellsSlicesApart: false,
  scansUniqueElements: false,
  fencesForReads: false,
  movesCalleeAccesses: false,
  convertsAcrossCTAs: false,
  buffersHaveParts: false,
  sharesRowNumbers: false,
  signalsAfterBarriers: false,
  placesTmemBarriers: false,
  dotsWriteBarriers: false,
  waitsForWrites: false,
  sizesProfileScratch: false,
  descriptorsSayRounding: false,
  foldsBitcasts: false,
  foldsPointerCasts: false,
  countsOneByOne: false,
  catsKeepElements: false,
  infersReorderings: false,
  pairsFp4First: false,
  boundsAreLive: false,
  smallF64Dots: false,
  narrowestDot: 16,
  asksTypesOfTcgen05: false,
  joinsPack: false,
  pairsCTAs: true,
  slicesKeepBlocks: false,
  stagesScales: true,
  doublesFp4Late: false,
  ordersStoresByAtomics: false,
  promotesBytesToTmem: false,
  beginsInFirstRound: false,
  erasesReplacedDescriptors: false,
  keepsUnsafeDivisions: false,
  ordersMbarriersByThread: false,
  dividesThroughSplits: false,
  foldsSubslices: false,
  printsWithMoreRegisters: false,
  sinksTmemAllocs: false,
  zeroHalfOffsets: false,
  invalidatesRings: false,
  barriersOfClusters: false,
  checksClusters: false,
  pairsLeaveTogether: false,
  guardsRemainders: false,
  keepsAcquires: false,
  mergesCommitsInOrder: false,
  setsEnumsApart: true,
  clipsScalars: false,
  negatesFloats: false,
  combinesOnlyProducts: false,
  combinesScaledDots: false,
  generalScaledDots: false,
  constructsAggregates: false,
  loadsReduce: false,
  reshapesOffsets: false,
  namesAddressSpaces: false,
  debugVariables: "3.6",
};
export const TRITON_3_7: TritonVersion = {
  ...TRITON_3_6,
  name: "3.7",
  release: "3.7.1",
  blackwellPtx: 91,
  axisInfo: "3.7",
  wmmaByLayout: true,
  debugVariables: "3.7",
  fastestAmongEqual: "last",
  barriersNameMemory: true,
  deadArgsReadInits: true,
  cleansRegions: true,
  countsUnsignedRounds: true,
  slicesEndAtExisting: true,
  branchesKnowSlices: true,
  weighsWidenings: true,
  coalescesSmallCopies: true,
  pipelinesAnyAccumulator: true,
  syncsAfterInstruction: true,
  waitsAtUsers: true,
  splitsDotsInTwo: true,
  clipsScalars: true,
  keepsLoopsThatPrint: true,
  tellsSlicesApart: true,
  scansUniqueElements: true,
  fencesForReads: true,
  dividedDotsDoNotWait: true,
  dividesByFlow: true,
  controlReachesWarpGroups: true,
  pairsCTAs: false,
  descriptorsSayRounding: true,
  tmemLoadsKeepLayout: true,
  doublesFp4Late: true,
  beginsInFirstRound: true,
  erasesReplacedDescriptors: true,
  keepsUnsafeDivisions: true,
  ordersMbarriersByThread: true,
  dividesThroughSplits: true,
  foldsSubslices: true,
  barriersOfClusters: true,
  pairsLeaveTogether: true,
  sharesRowNumbers: true,
  loadsReduce: true,
  codeForms: "3.7",
  partial: "Triton 3.7 is followed in part: docs/triton-versions.md lists what differs",
};
export const TRITON_3_8: TritonVersion = {
  ...TRITON_3_7,
  name: "3.8",
  release: "3.8.0",
  ptx: 88,
  blackwellPtx: 93,
  cleansControlFlowApart: true,
  genericLinear: true,
  axisInfo: "3.8",
  debugVariables: "3.8",
  costsFollowLoops: true,
  movesCalleeAccesses: true,
  convertsAcrossCTAs: true,
  buffersHaveParts: true,
  dividesScaledDots: true,
  groupsEquivalentLayouts: true,
  forgetsDivision: true,
  branchesKeepGroups: true,
  leavesOutFitting: true,
  repeatsNoDots: true,
  descriptorsOfShapes: true,
  turnsPlain: true,
  checksMemory: true,
  slicesBuffersOfCtas: true,
  blocksInTmem: true,
  prefetchesThroughWaits: true,
  capsAtomics: true,
  namesDescriptorParts: true,
  functionsTakeTensors: true,
  relayoutsLocalLoads: true,
  codeForms: "3.8",
  reducesByConversions: true,
  defersWaitBarriers: true,
  ctaBarrier: "nvvm.barrier",
  loopBarriersReturnVoid: false,
  simplifiesBranches: true,
  signalsAfterBarriers: true,
  placesTmemBarriers: true,
  dotsWriteBarriers: true,
  waitsForWrites: true,
  sizesProfileScratch: true,
  foldsBitcasts: true,
  foldsPointerCasts: true,
  countsOneByOne: true,
  catsKeepElements: true,
  infersReorderings: true,
  pairsFp4First: true,
  boundsAreLive: true,
  smallF64Dots: true,
  narrowestDot: 8,
  asksTypesOfTcgen05: true,
  joinsPack: true,
  slicesKeepBlocks: true,
  stagesScales: false,
  sinksTmemAllocs: true,
  zeroHalfOffsets: true,
  invalidatesRings: true,
  checksClusters: true,
  countsFarRounds: true,
  guardsRemainders: true,
  keepsAcquires: true,
  mergesCommitsInOrder: true,
  setsEnumsApart: false,
  negatesFloats: true,
  combinesOnlyProducts: true,
  combinesScaledDots: true,
  generalScaledDots: true,
  promotesBytesToTmem: true,
  ordersStoresByAtomics: true,
  printsWithMoreRegisters: true,
  constructsAggregates: true,
  partial: "Triton 3.8 is followed in part: docs/triton-versions.md lists what differs",
};

/** Its source was not at hand: its language is followed by its Python modules, and passes by their results. */
export const TRITON_3_9: TritonVersion = {
  ...TRITON_3_8,
  name: "3.9",
  release: "3.9.0",
  lastStage: "ttir",
  reshapesOffsets: true,
  namesAddressSpaces: true,
  spelling: "3.9",
  partial: "Triton 3.9 is followed to the end of TTIR, in part: docs/triton-versions.md lists what differs",
};

/** All of them, the oldest first. */
export const TRITON_VERSIONS: readonly TritonVersion[] = [TRITON_3_6, TRITON_3_7, TRITON_3_8, TRITON_3_9];

/** Those that are compiled to the end. */
export const COMPILED_VERSIONS: readonly TritonVersion[] = TRITON_VERSIONS.filter(({ lastStage }) => lastStage === undefined);

/** Used where none is named. */
export const DEFAULT_TRITON = TRITON_3_6;

/** The version called `3.6` or `3.6.0`. */
export const tritonCalled = (name: string): TritonVersion | undefined =>
  TRITON_VERSIONS.find((version) => version.name === name || version.release === name);

/** As `tritonCalled`; the default where none is named or it is not among them. */
export const tritonOrDefault = (name: string | undefined): TritonVersion =>
  (name === undefined ? undefined : tritonCalled(name)) ?? DEFAULT_TRITON;

const namesWhere = (is: (version: TritonVersion) => boolean): string =>
  TRITON_VERSIONS.filter(is)
    .map(({ name }) => name)
    .join(" and ");

/** How far versions are followed, for messages and help. */
export const FOLLOWED = [
  `${namesWhere(({ partial }) => partial === undefined)} is followed whole`,
  `${namesWhere(({ partial, lastStage }) => partial !== undefined && lastStage === undefined)} in part`,
  `${namesWhere(({ lastStage }) => lastStage !== undefined)} to the end of TTIR; logs of any version can be stepped`,
].join(", ");

/** The message for a version that is not among them. */
export function unknownTriton(name: string): string {
  const near = nearestTriton(name);
  return `Triton ${name} is not compiled${near ? ` (the nearest is ${near})` : ""}: ${FOLLOWED}`;
}
/** By number, `3.8` for `3.9` and `v3.8.1`; undefined where the name holds none. */
function nearestTriton(name: string): string | undefined {
  const asked = /(\d+)\.(\d+)/.exec(name);
  if (!asked) return undefined;
  const place = (version: string) => 100 * Number(version.split(".")[0]) + Number(version.split(".")[1]);
  const distance = (version: TritonVersion) => Math.abs(place(version.name) - place(asked[0]));
  return COMPILED_VERSIONS.reduce((near, version) => (distance(version) < distance(near) ? version : near)).name;
}

/** Whether a release, `3.10.0`, comes after all that are known. */
export function isNewerTriton(release: string): boolean {
  const [major = 0, minor = 0] = release.split(".").map(Number);
  const [lastMajor = 0, lastMinor = 0] = TRITON_VERSIONS.at(-1)!.name.split(".").map(Number);
  return major > lastMajor || (major === lastMajor && minor > lastMinor);
}

/** The default's rules with the layouts of all versions, for what reads a layout without a program. */
export const WITH_ALL_LAYOUTS: TritonVersion = { ...TRITON_3_6, wmmaByLayout: true, genericLinear: true };
