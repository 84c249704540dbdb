/**
 * Bank conflicts of shared memory accesses.
 *
 * On NVIDIA's GPUs shared memory has 32 banks of 4 bytes. One warp-wide access of v consecutive 4-byte words per lane is served in v rounds
 * (wavefronts) of 32/v lanes at best; a round takes one more wavefront for every further row of a bank that its lanes touch.
 * The algebra counts that without looping over lanes: two lanes conflict when their difference lies in the span of the segment
 * bits, those that pick the row of the banks. `simulateWavefronts` counts it the slow way, on any layout.
 * Source: lib/Tools/GenericSwizzling.cpp, unittest/Dialect/TritonGPU/SwizzleTest.cpp.
 */
import { actionRemoveBroadcastedRegs, ColumnAction, regPermForDivide } from "./column-action.js";
import { divideLeft } from "./divide.js";
import { intersectionBasis } from "./gf2.js";
import { LayoutError } from "./layout-error.js";
import { LinearLayout } from "./linear-layout.js";

/** Extra wavefronts per wavefront, of reading and of writing; 0 is free of conflicts. */
export interface BankConflicts {
  readonly read: number;
  readonly write: number;
}

/** Bank conflicts of a store with lanes `tileSrc` and a load with lanes `tileDst`; `smem` has in dims vector, bank, segment. */
export function bankConflicts(tileSrc: readonly number[], tileDst: readonly number[], smem: LinearLayout): BankConflicts {
  const segment = Array.from(smem.getPackedBases("segment"));
  const dim = smem.getTotalOutDimSizeLog2();
  const write = 2 ** intersectionBasis(segment, tileSrc, dim).length - 1;
  const read = 2 ** intersectionBasis(segment, tileDst, dim).length - 1;
  return { read, write };
}

/** Bank conflicts of plain vector stores from `src` and loads to `dst`, of `smem`'s vector size. `bitwidth` is that of an element. */
export function bankConflictsLdSt(src: LinearLayout, dst: LinearLayout, smem: LinearLayout, bitwidth: number): BankConflicts {
  const words = Math.max(Math.trunc((smem.getInDimSize("vector") * bitwidth) / 32), 1);
  const log2Words = 31 - Math.clz32(words);
  // Lanes beyond one round do not meet.
  const lanes = (layout: LinearLayout): number[] => {
    const bases = Array.from(layout.transposeOuts(smem.outDimNames).getPackedBases("lane"));
    return bases.slice(0, bases.length - log2Words);
  };
  return bankConflicts(lanes(src), lanes(dst), smem);
}

/**
 * Extra wavefronts per wavefront of accessing `shared` (in dims offset, block) from `registers`, with vectors as wide as the layouts
 * allow, up to `maxVectorBytes`.
 */
export function bankConflictsMemDesc(registers: LinearLayout, shared: LinearLayout, bitwidth: number, maxVectorBytes = 16): number {
  const unique = actionRemoveBroadcastedRegs(registers).apply(registers);
  const { vec, permutation } = largestVectorisation(unique.invertAndCompose(shared), bitwidth, maxVectorBytes);
  const vectorised = permutation.apply(unique);
  const total = shared.getTotalInDimSize();
  const bank = Math.min(Math.trunc(1024 / (vec * bitwidth)), Math.trunc(total / vec));
  const smem = shared.reshapeIns([
    ["vector", vec],
    ["bank", bank],
    ["segment", Math.trunc(total / (bank * vec))],
  ]);
  return bankConflictsLdSt(vectorised, vectorised, smem, bitwidth).read;
}

/** The widest access of a register-to-offset layout, and the register permutation that makes its elements consecutive. */
export interface Vectorisation {
  /** Elements. */
  readonly vec: number;
  readonly permutation: ColumnAction;
}

/** The widest vector up to `maxVectorBytes`, registers permuted at will. Source: LayoutUtils.cpp. */
export function largestVectorisation(cvt: LinearLayout, bitwidth: number, maxVectorBytes = 16): Vectorisation {
  for (let vec = Math.max(1, Math.trunc((8 * maxVectorBytes) / bitwidth)); vec >= 1; vec >>= 1) {
    const found = vectorisation(cvt, vec);
    if (found !== undefined) return found;
  }
  throw new LayoutError("the layout has no registers to access memory from");
}

/** As `largestVectorisation`, of at most `maxVecElems` elements and with registers in their order. */
export function largestVectorisationInOrder(cvt: LinearLayout, maxVecElems: number): Vectorisation {
  for (let vec = maxVecElems; vec >= 1; vec >>= 1) {
    const found = vectorisation(cvt, vec);
    if (found?.permutation.isIdentity) return found;
  }
  return { vec: 1, permutation: ColumnAction.identity("register", cvt.getInDimSizeLog2("register")) };
}

function vectorisation(cvt: LinearLayout, vec: number): Vectorisation | undefined {
  const tile = LinearLayout.identity1D(vec, "register", "offset");
  const permutation = regPermForDivide(cvt, tile, true);
  if (permutation === undefined || divideLeft(permutation.apply(cvt), tile) === undefined) return undefined;
  return { vec, permutation };
}

/** How a GPU's shared memory serves an instruction: its banks of 4 bytes, and which lanes it serves at once. */
export interface BankRules {
  readonly banks: number;
  /** By the words of a lane. */
  readonly groups: (words: number, lanes: number, loads: boolean) => readonly (readonly number[])[];
}
/** As many lanes at once, in their order, as want all banks. */
const inOrder =
  (banks: number): BankRules["groups"] =>
  (words, lanes) => {
    const size = Math.min(lanes, Math.max(1, Math.trunc(banks / words)));
    return Array.from({ length: lanes / size }, (_, g) => Array.from({ length: size }, (_, l) => g * size + l));
  };
export const NVIDIA_BANKS: BankRules = { banks: 32, groups: inOrder(32) };
/**
 * AMD's. A load of 16 bytes of a wave of 64 lanes is served four lanes of one row of 16 and four of the next one at a time, where there
 * are 32 banks. Source: ROCm's documentation of Composable Kernel, "Understanding AMD GPU LDS and Bank Conflicts"; of 64 banks it has no
 * groups, and they are taken in the lanes' order. Not measured.
 */
export function amdBanks(banks: number): BankRules {
  const plain = inOrder(banks);
  return {
    banks,
    groups(words, lanes, loads) {
      const groups = plain(words, lanes, loads);
      if (!loads || words !== 4 || banks !== 32 || lanes !== 64) return groups;
      return groups.map((_, g) => {
        const first = 32 * (g >> 2) + 4 * (g & 3);
        const second = 32 * (g >> 2) + 16 + 4 * ((g & 3) ^ 1);
        return [first, second].flatMap((from) => [0, 1, 2, 3].map((l) => from + l));
      });
    },
  };
}

/** How instructions access a layout; those left out are NVIDIA's, of at most 16 bytes, in memory that is not padded. */
export interface AccessRules {
  readonly maxVectorBytes?: number;
  /** Moves an offset (in elements) to where it lies in memory, for padded layouts. */
  readonly place?: ((offset: number) => number) | undefined;
  readonly rules?: BankRules;
  readonly loads?: boolean;
}
const asItIs = (offset: number): number => offset;

/** The cost of all accesses of a CTA to a layout. */
export interface Wavefronts {
  /** Elements per access and lane. */
  readonly vec: number;
  /** Warp-wide instructions. */
  readonly instructions: number;
  /** Rounds that the memory needs. */
  readonly wavefronts: number;
  /** Rounds that it would need without conflicts. */
  readonly minWavefronts: number;
}

/**
 * Counts wavefronts by going through every access: registers to shared memory with vectors as wide as the layouts allow. Lanes that
 * touch the same 4-byte word share it.
 */
export function simulateWavefronts(registers: LinearLayout, shared: LinearLayout, bitwidth: number, rules: AccessRules = {}): Wavefronts {
  return simulateAccess(offsetsOf(registers, shared), bitwidth, rules);
}

/** As `simulateWavefronts`, of a map from registers, lanes and warps to offsets. */
export function simulateAccess(
  offsets: LinearLayout,
  bitwidth: number,
  { maxVectorBytes = 16, place = asItIs, rules = NVIDIA_BANKS, loads = true }: AccessRules = {},
): Wavefronts {
  const unique = actionRemoveBroadcastedRegs(offsets).apply(offsets);
  const numLanes = unique.getInDimSize("lane");
  const { vec, permutation } = largestVectorisation(unique, bitwidth, maxVectorBytes);
  const access = permutation.apply(unique);
  const groups = rules.groups(wordsOf(vec, bitwidth), numLanes, loads);

  let instructions = 0;
  let wavefronts = 0;
  for (let warp = 0; warp < access.getInDimSize("warp"); warp++) {
    for (let register = 0; register < access.getInDimSize("register"); register += vec) {
      instructions++;
      for (const lanes of groups) wavefronts += crowdOf(access, bitwidth, place, { lanes, register, vec, warp, banks: rules.banks }).rows;
    }
  }
  return { vec, instructions, wavefronts, minWavefronts: instructions * groups.length };
}
const wordsOf = (vec: number, bitwidth: number): number => Math.max(1, Math.ceil((vec * bitwidth) / 32));

/**
 * Rounds for each 8x8 matrix that ldmatrix reads, or stmatrix writes: a register of 32 bits in all lanes. `offsets` is a map from
 * registers, lanes and warps. Undefined where registers are not full.
 */
export function simulateMatrices(
  offsets: LinearLayout,
  bitwidth: number,
): { readonly matrices: number; readonly wavefronts: number } | undefined {
  const unique = actionRemoveBroadcastedRegs(offsets).apply(offsets);
  const numLanes = unique.getInDimSize("lane");
  const vec = 32 / bitwidth;
  const numRegisters = unique.getInDimSize("register");
  if (numLanes !== 32 || vec < 1 || numRegisters % vec !== 0) return undefined;
  const lanes = Array.from({ length: numLanes }, (_, lane) => lane);
  let matrices = 0;
  let wavefronts = 0;
  for (let warp = 0; warp < unique.getInDimSize("warp"); warp++)
    for (let register = 0; register < numRegisters; register += vec) {
      matrices++;
      wavefronts += crowdOf(unique, bitwidth, asItIs, { lanes, register, vec, warp, banks: 32 }).rows;
    }
  return { matrices, wavefronts };
}

/** Where a tensor's registers, lanes and warps lie in a buffer. */
export function offsetsOf(registers: LinearLayout, shared: LinearLayout): LinearLayout {
  const cvt = registers.invertAndCompose(shared);
  return cvt.sublayout(
    cvt.inDimNames.filter((dim) => dim !== "block"),
    ["offset"],
  );
}

interface Round {
  readonly lanes: readonly number[];
  readonly register: number;
  readonly vec: number;
  readonly warp: number;
  readonly banks: number;
}

/** The bank with the most rows of those that a round of accesses touches, and how many rows these are. */
interface Crowd {
  readonly bank: number;
  readonly rows: number;
}
function crowdOf(access: LinearLayout, bitwidth: number, place: (offset: number) => number, round: Round): Crowd {
  const touched = new Set<number>();
  const perBank = new Int32Array(round.banks);
  let bank = 0;
  for (const lane of round.lanes)
    for (let register = round.register; register < round.register + round.vec; register++) {
      const word = Math.trunc((place(access.applyPacked({ register, lane, warp: round.warp })) * bitwidth) / 32);
      if (touched.has(word)) continue;
      touched.add(word);
      if (++perBank[word % round.banks]! > perBank[bank]!) bank = word % round.banks;
    }
  return { bank, rows: Math.max(1, perBank[bank]!) };
}

/** Lanes of one round that meet in a bank, each in another row of it. */
export interface BankConflict {
  readonly bank: number;
  readonly lanes: readonly number[];
}

/** The first round of a warp's first instruction with a conflict; undefined where there is none. Arguments as of `simulateAccess`. */
export function firstConflict(
  offsets: LinearLayout,
  bitwidth: number,
  { maxVectorBytes = 16, place = asItIs, rules = NVIDIA_BANKS, loads = true }: AccessRules = {},
): BankConflict | undefined {
  const unique = actionRemoveBroadcastedRegs(offsets).apply(offsets);
  const { vec, permutation } = largestVectorisation(unique, bitwidth, maxVectorBytes);
  const access = permutation.apply(unique);
  for (const lanes of rules.groups(wordsOf(vec, bitwidth), unique.getInDimSize("lane"), loads)) {
    const round: Round = { lanes, register: 0, vec, warp: 0, banks: rules.banks };
    const { bank, rows } = crowdOf(access, bitwidth, place, round);
    if (rows < 2) continue;
    const laneOf = new Map<number, number>();
    for (const lane of lanes)
      for (let register = 0; register < vec; register++) {
        const word = Math.trunc((place(access.applyPacked({ register, lane, warp: 0 })) * bitwidth) / 32);
        if (word % rules.banks === bank && !laneOf.has(word)) laneOf.set(word, lane);
      }
    return { bank, lanes: [...new Set(laneOf.values())] };
  }
  return undefined;
}
