/**
 * A TiledMMA: an atom repeated over warps (`AtomLayoutMNK`) and a permuted tile. Its thrfrg functions cut a tensor into
 * ((ThrV,(ThrM,ThrK)),(FrgV,(RestM,RestK))): which thread holds which fragment.
 *
 *   SM80_16x8x8, Layout<Shape<_4,_1,_1>>, Tile<_64,_16,_16>: four warps down M, two atoms wide in N and K
 *
 * Source: cute/atom/mma_atom.hpp.
 */
import { mul } from "./arithmetic.js";
import type { MmaAtom } from "./atoms/mma-atom.js";
import * as any from "./composed-layout.js";
import { append, product, underscores } from "./int-tuple.js";
import * as plain from "./layout.js";
import { printTerm } from "./print-term.js";
import { makeTensor, sliceTensor, type Tensor } from "./tensor.js";
import {
  type AnyLayout,
  CuteError,
  get,
  isLayout,
  isStatic,
  isTuple,
  type Layout,
  lit,
  one,
  rankOf,
  type Term,
  type Tuple,
  tuple,
  underscore,
  zero,
} from "./term.js";

/** Which operand: A is M x K, B is N x K, C is M x N. */
export type Operand = "A" | "B" | "C";

/** An atom, its arrangement over threads, and the permutation of each of M, N, K before tiling. */
export interface TiledMma {
  readonly kind: "tiled-mma";
  readonly atom: MmaAtom;
  readonly permutation: Tuple;
  /** (thread of atom, M, N, K) to thread index. */
  readonly threads: Layout;
}

/** One thread's share of a TiledMMA. */
export interface ThrMma {
  readonly kind: "thr-mma";
  readonly mma: TiledMma;
  /** (thread of atom, M, N, K). */
  readonly coord: Term;
}

/** A TiledMMA; missing modes of the thread layout are 1, missing permutations `_`. */
export function makeTiledMma(atom: MmaAtom, threads: Layout = unitThreads, permutation: Term = tuple()): TiledMma {
  const mnk = plain.appendMode(threads, plain.trivial, 3);
  if (rankOf(mnk.shape) !== 3) throw new CuteError("make_tiled_mma: the thread layout has more than three modes");
  if (!isTuple(permutation)) throw new CuteError("make_tiled_mma: the permutation is a tile of M, N and K");
  if (!isStatic(permutation)) throw new CuteError("make_tiled_mma: the permutation must be static");
  return {
    kind: "tiled-mma",
    atom,
    permutation: append(permutation, underscore, 3) as Tuple,
    threads: plain.tiledProduct(atom.threads, mnk),
  };
}

const unitThreads = plain.layout(tuple(one, one, one), tuple(zero, zero, zero));
const axesOf: Readonly<Record<Operand, readonly [number, number]>> = { A: [0, 2], B: [1, 2], C: [0, 1] };
const atomLayout = (atom: MmaAtom, operand: Operand): Layout => (operand === "A" ? atom.a : operand === "B" ? atom.b : atom.c);

/** The permutation of axis `i` of M, N, K: as given, or the atom times the threads along it. */
export function permutationOf(mma: TiledMma, axis: number): Term {
  const given = get(mma.permutation, axis);
  if (given.kind !== "underscore") return given;
  return mul(lit(mma.atom.shape[axis]!), product(get(mma.threads.shape, axis + 1)));
}

/** The tile's extent along axis `i` of M, N, K. */
export function tileSize(mma: TiledMma, axis: number): Term {
  const p = permutationOf(mma, axis);
  return isLayout(p) ? any.size(p) : product(p);
}

/** (M,N,K) of the tile. */
export const tileShape = (mma: TiledMma): Term => tuple(tileSize(mma, 0), tileSize(mma, 1), tileSize(mma, 2));
/** Number of threads. */
export const mmaSize = (mma: TiledMma): Term => plain.size(mma.threads);

/** Cuts a tensor's layout into ((ThrV,(Thr,Thr)),(FrgV,(Rest,Rest,...))). */
export function thrfrg(mma: TiledMma, operand: Operand, l: AnyLayout): AnyLayout {
  const [x, y] = axesOf[operand];
  if (any.rank(l) < 2) throw new CuteError(`thrfrg_${operand}: the tensor needs at least two modes`);
  const permuted = any.logicalDivide(l, tuple(permutationOf(mma, x), permutationOf(mma, y)));
  const extent = (axis: number) => plain.compactLayout(lit(mma.atom.shape[axis]!));
  const atoms = any.zippedDivide(permuted, tuple(extent(x), extent(y)));
  const threadValue = any.composition(atoms, tuple(atomLayout(mma.atom, operand), underscore));
  const along = (axis: number) => plain.compactLayout(product(get(mma.threads.shape, axis + 1)));
  return any.zippedDivide(threadValue, tuple(underscore, tuple(along(x), along(y))));
}

/** (thread, value) to index in the operand's tile. */
export function layoutTv(mma: TiledMma, operand: Operand): AnyLayout {
  const [x, y] = axesOf[operand];
  const reference = plain.compactLayout(tuple(tileSize(mma, x), tileSize(mma, y)));
  const tiled = thrfrg(mma, operand, reference);
  const threadOf = threadFromIndex(mma);
  if (operand === "C") return any.composition(tiled, tuple(threadOf, underscore));
  const sizes = tuple(product(get(mma.threads.shape, 1)), product(get(mma.threads.shape, 2)));
  const strides = operand === "A" ? tuple(one, zero) : tuple(zero, one);
  const spread = tuple(underscore, tuple(plain.layout(sizes, strides), underscore));
  return any.composition(any.composition(tiled, tuple(spread, underscore)), tuple(threadOf, underscore));
}

/** Thread index to index in (ThrV,ThrM,ThrN,ThrK); threads beyond the last repeat. */
function threadFromIndex(mma: TiledMma): Layout {
  const all = plain.concat(mma.threads, plain.complement(mma.threads));
  return plain.composition(plain.layout(tuple(mmaSize(mma), one), tuple(one, zero)), plain.rightInverse(all));
}

/** The share of thread `index`. */
export const mmaSlice = (mma: TiledMma, index: Term): ThrMma => ({ kind: "thr-mma", mma, coord: plain.flatCoord(mma.threads, index) });

/** A thread's part of a tensor: (values of the atom, rest, rest, ...). */
export function partition(thr: ThrMma, operand: Operand, t: Tensor): Tensor {
  const cut = thrfrg(thr.mma, operand, t.layout) as any.DomainLayout;
  const [x, y] = axesOf[operand];
  const thread = tuple(get(thr.coord, 0), tuple(get(thr.coord, x + 1), get(thr.coord, y + 1)));
  const rest = rankOf(get(any.shape(cut), 1, 1));
  return sliceTensor(makeTensor(t.data, cut), tuple(thread, tuple(underscore, underscores(rest))));
}

/** The shape of any thread's part of a tensor of `shape`. */
export function partitionShape(mma: TiledMma, operand: Operand, shape: Term): Term {
  const cut = thrfrg(mma, operand, plain.compactLayout(shape));
  return any.shape(any.apply(cut, tuple(zero, tuple(underscore, underscores(rankOf(shape))))) as AnyLayout);
}

/** The lines CuTe prints for an atom. */
export function printMmaAtom(atom: MmaAtom): string {
  return `MMA_Atom
  ThrID:      ${printTerm(atom.threads)}
  Shape_MNK:  (${atom.shape.map((n) => `_${n}`).join(",")})
  LayoutA_TV: ${printTerm(atom.a)}
  LayoutB_TV: ${printTerm(atom.b)}
  LayoutC_TV: ${printTerm(atom.c)}
`;
}

/** The lines CuTe prints for a TiledMMA. */
export function printTiledMma(mma: TiledMma): string {
  return `TiledMMA
  ThrLayoutVMNK:  ${printTerm(mma.threads)}
  PermutationMNK: ${printTerm(mma.permutation)}
${printMmaAtom(mma.atom)}`;
}

/** The lines CuTe prints for a thread's share. */
export const printThrMma = (thr: ThrMma): string => `ThrMMA\n  Thr VMNK: ${printTerm(thr.coord)}\n${printTiledMma(thr.mma)}`;
