/**
 * A conversion within warps as a permutation of register and lane index bits, cut into pieces that have instructions:
 *
 *     P = P_mixed . P_lane . P_reg
 *
 * P_reg permutes register bits (free: registers are renamed), P_lane permutes lane bits (one shuffle per register), and P_mixed is a
 * product of disjoint swaps of one register bit with one lane bit each (half of the registers are exchanged by selects or byte
 * permutes around a shuffle). A cycle (.. r_m l_j .. l_k r_i ..) of P is cut as (r_i l_j) (.. r_m r_i ..) (l_j .. l_k).
 * Source: lib/Analysis/Utility.cpp, getWarpLayoutConvertDecomposition.
 */
import { actionRemoveBroadcastedRegs } from "./column-action.js";
import { eliminate } from "./gf2.js";
import { LinearLayout } from "./linear-layout.js";
import { type TranspositionInfo, transpositionSelectors } from "./transposition-selectors.js";

/** See the top of the file. */
export interface DecomposedWarpConversion {
  /** register -> register. */
  readonly pReg: LinearLayout;
  /** lane -> lane. */
  readonly pLane: LinearLayout;
  readonly mixedTranspositions: readonly TranspositionInfo[];
  /** Log2 of how many values share a 32-bit register while they are exchanged. */
  readonly nPack: number;
}

/** Decomposes a conversion within warps; undefined if it is no permutation of bits. `bitwidth` is that of an element. */
export function getWarpLayoutConvertDecomposition(
  src: LinearLayout,
  dst: LinearLayout,
  bitwidth: number,
): DecomposedWarpConversion | undefined {
  const from = actionRemoveBroadcastedRegs(src).apply(src);
  const to = actionRemoveBroadcastedRegs(dst).apply(dst);
  const nRegs = Math.max(from.getInDimSizeLog2("register"), to.getInDimSizeLog2("register"));
  const nLanes = Math.max(from.getInDimSizeLog2("lane"), to.getInDimSizeLog2("lane"));
  const s = registersAndLanes(from, nRegs, nLanes);
  const t = registersAndLanes(to.transposeOuts(from.outDimNames), nRegs, nLanes);
  const permutation = permutationOf(s, t);
  if (permutation === undefined) return undefined;

  const regBases = new Array<number>(nRegs).fill(0);
  const laneBases = new Array<number>(nLanes).fill(0);
  const mixed: [register: number, lane: number][] = [];
  const visited = new Array<boolean>(nRegs + nLanes).fill(false);
  for (let entry = 0; entry < permutation.length; entry++) {
    if (visited[entry]) continue;
    let lastReg = -1;
    let firstLane = -1;
    let current = entry;
    do {
      visited[current] = true;
      const next = permutation[current]!;
      const toReg = next < nRegs;
      if (current < nRegs && toReg) regBases[current] = next;
      else if (current >= nRegs && !toReg) laneBases[current - nRegs] = next - nRegs;
      else if (current < nRegs) {
        lastReg = current;
        firstLane = next - nRegs;
      } else {
        regBases[lastReg] = next;
        laneBases[current - nRegs] = firstLane;
        mixed.push([next, firstLane]);
      }
      current = next;
    } while (current !== entry);
  }

  const packable = Math.log2(Math.min(4, Math.max(1, Math.trunc(32 / bitwidth))));
  const nPack = Math.min(Math.trunc(packable), nRegs - mixed.length);
  const mixedTranspositions = transpositionSelectors(mixed, regBases, nPack);
  return { pReg: permutationLayout("register", regBases), pLane: permutationLayout("lane", laneBases), mixedTranspositions, nPack };
}

/** Registers and lanes only, flattened, each in dim filled up with 0 to the given number of bases. */
function registersAndLanes(layout: LinearLayout, nRegs: number, nLanes: number): LinearLayout {
  const padded = (dim: string, length: number): number[] => {
    const bases = Array.from(layout.getPackedBases(dim));
    return [...bases, ...new Array<number>(length - bases.length).fill(0)];
  };
  return layout
    .withBases([
      ["register", padded("register", nRegs)],
      ["lane", padded("lane", nLanes)],
    ])
    .flattenOuts();
}

/**
 * The permutation of bits (registers, then lanes) that `t^-1 . s` is, places without an image filled in: a bit that is 0 in both
 * layouts stays, the others pair up in order. Undefined if it is no permutation.
 */
function permutationOf(s: LinearLayout, t: LinearLayout): number[] | undefined {
  const image = eliminate(t.packed);
  if (s.packed.some((v) => image.solve(v) === undefined)) return undefined;
  const skeleton = s.invertAndCompose(t);
  const permutation = new Array<number>(s.packed.length).fill(-1);
  const srcFree: number[] = [];
  const dstFree: number[] = [];
  for (let i = 0; i < permutation.length; i++) {
    const v = skeleton.packed[i]!;
    if (s.packed[i] === 0 && t.packed[i] === 0) permutation[i] = i;
    else if (s.packed[i] === 0) srcFree.push(i);
    else if (t.packed[i] === 0) dstFree.push(i);
    if (s.packed[i] !== 0 && v !== 0) permutation[i] = 31 - Math.clz32(v);
  }
  srcFree.forEach((i, k) => {
    permutation[i] = dstFree[k] ?? -1;
  });
  const isPermutation = !permutation.includes(-1) && new Set(permutation).size === permutation.length;
  return isPermutation ? permutation : undefined;
}

function permutationLayout(dim: string, images: readonly number[]): LinearLayout {
  const size = 2 ** images.length;
  return LinearLayout.fromBases([[dim, images.map((image) => [2 ** image])]], [[dim, size]]);
}
