/**
 * A TiledCopy: a copy atom repeated over a tile. `layoutTv` says which element of the tile is value v of thread t, in
 * terms of the atom's reference layout; sources and destinations are partitioned as the instruction reads and writes.
 *
 *   tidfrg_S: (M,N) -> (Thr,(FrgV,FrgX),(RestM,RestN))
 *
 * Source: cute/atom/copy_atom.hpp.
 */
import { mod, mul } from "./arithmetic.js";
import type { CopyAtom } from "./atoms/copy-atom.js";
import * as any from "./composed-layout.js";
import { append, prepend, product, productEach, repeatLike, replace, underscores } from "./int-tuple.js";
import * as plain from "./layout.js";
import type { NumericType } from "./numeric-type.js";
import { printTerm } from "./print-term.js";
import { makeTensor, sliceTensor, type Tensor } from "./tensor.js";
import {
  type AnyLayout,
  asInt,
  CuteError,
  get,
  isLayout,
  isTuple,
  itemsOf,
  type Layout,
  numberOf,
  one,
  rankOf,
  type Term,
  tuple,
  underscore,
  zero,
} from "./term.js";
import { layoutTv as mmaLayoutTv, type Operand, type TiledMma, tileSize } from "./tiled-mma.js";

/** A copy operation on elements of a type; layouts are (thread, value) to element. */
export interface CopyAtomOf {
  readonly kind: "copy-atom";
  readonly op: CopyAtom;
  readonly valueType: NumericType;
  readonly source: Layout;
  readonly destination: Layout;
  readonly reference: Layout;
}

/** An atom with its tile. */
export interface TiledCopy {
  readonly kind: "tiled-copy";
  readonly atom: CopyAtomOf;
  /** (thread, value) to index in the tile. */
  readonly layoutTv: Layout;
  /** The tile: a shape, or a layout for each mode. */
  readonly tiler: Term;
}

/** One thread's share of a TiledCopy. */
export interface ThrCopy {
  readonly kind: "thr-copy";
  readonly copy: TiledCopy;
  readonly thread: Term;
}

/** Which end of a copy. */
export type End = "S" | "D";

/** `Copy_Atom<op, type>`: the atom's bits as elements. */
export function copyAtomOf(op: CopyAtom, valueType: NumericType): CopyAtomOf {
  const elements = (l: Layout): Layout => {
    try {
      return any.recast(l, 1, valueType.bits) as Layout;
    } catch (e) {
      if (e instanceof CuteError) throw new CuteError(`Copy_Atom: ${op.name} does not copy whole elements of ${valueType.name}`);
      throw e;
    }
  };
  const atom: CopyAtomOf = {
    kind: "copy-atom",
    op,
    valueType,
    source: elements(op.source),
    destination: elements(op.destination),
    reference: elements(op.reference),
  };
  const threads = numberOf(plain.size(op.threads));
  for (const l of [atom.source, atom.destination, atom.reference])
    if (numberOf(product(get(l.shape, 0))) !== threads)
      throw new CuteError(`Copy_Atom: ${op.name} is not valid for elements of ${valueType.name}`);
  return atom;
}

/** A TiledCopy of given parts; threads and values must be multiples of the atom's. */
export function tiledCopy(atom: CopyAtomOf, layoutTv: AnyLayout, tiler: Term): TiledCopy {
  if (layoutTv.kind !== "layout") throw new CuteError("a tiled copy needs a plain thread-value layout");
  for (const [i, what] of [
    [0, "threads"],
    [1, "values"],
  ] as const) {
    const [tile, unit] = [product(get(layoutTv.shape, i)), product(get(atom.reference.shape, i))];
    if (asInt(mod(tile, unit))?.value !== 0)
      throw new CuteError(`TiledCopy uses too few ${what} for the copy atom: ${printTerm(tile)} is no multiple of ${printTerm(unit)}`);
  }
  return { kind: "tiled-copy", atom, layoutTv, tiler };
}

/** From the arrangements of threads and of each thread's values over the tile. */
export function makeTiledCopy(atom: CopyAtomOf, threads: Layout = plain.trivial, values: Layout = plain.trivial): TiledCopy {
  const tile = plain.rakedProduct(threads, values);
  const layoutTv = any.withShape(plain.rightInverse(tile), tuple(plain.size(threads), plain.size(values)));
  return tiledCopy(atom, layoutTv, productEach(tile.shape));
}

/** The copy that feeds (or empties) an operand of a TiledMMA. */
export function makeTiledCopyFor(atom: CopyAtomOf, mma: TiledMma, operand: Operand): TiledCopy {
  const axes = { A: [0, 2], B: [1, 2], C: [0, 1] } as const;
  const [x, y] = axes[operand];
  return tiledCopy(atom, mmaLayoutTv(mma, operand), tuple(tileSize(mma, x), tileSize(mma, y)));
}

/** The smallest copy that can take over the accumulator's layout. */
export function makeTiledCopyCAtom(atom: CopyAtomOf, mma: TiledMma): TiledCopy {
  const whole = mmaLayoutTv(mma, "C");
  const values = product(get(atom.source.shape, 1));
  if (numberOf(values) > numberOf(product(get(any.shape(whole), 1))))
    throw new CuteError("make_tiled_copy_C_atom: the atom copies more values than a thread has");
  const layoutTv = any.composition(whole, plain.compactLayout(tuple(product(get(any.shape(whole), 0)), values))) as Layout;
  return restrict(atom, tuple(tileSize(mma, 0), tileSize(mma, 1)), layoutTv);
}

/** From a (thread, value) map to addresses and the layout of the data that is meant. */
export function makeCotiledCopy(atom: CopyAtomOf, threadValue: Layout, data: Layout): TiledCopy {
  const back = plain.concat(plain.leftInverse(data), plain.trivial);
  const layoutTv = plain.composition(back, threadValue);
  const seen = plain.coalesce(plain.composition(plain.concat(data, plain.trivial), plain.mode(layoutTv, 1)));
  if (plain.equalLayouts(seen, plain.coalesce(plain.mode(threadValue, 1))).value === 0)
    throw new CuteError("make_cotiled_copy: the memory that the atom's layout names does not exist in the data layout");
  return restrict(atom, productEach(data.shape), layoutTv);
}

/** Cuts the tile down to the elements that are used, mode by mode, and renumbers. */
function restrict(atom: CopyAtomOf, shape: Term, layoutTv: Layout): TiledCopy {
  const zeros = repeatLike(shape, zero);
  const tiler = tuple(
    ...itemsOf(shape).map((_, i) => plain.filter(plain.composition(plain.layout(shape, replace(zeros, i, one)), layoutTv))),
  );
  const used = plain.composition(plain.compactLayout(shape), tiler);
  return tiledCopy(atom, plain.composition(plain.leftInverse(used), layoutTv), tiler);
}

/** A copy with the same share of elements for the source or destination of another. */
export const makeTiledCopyLike = (atom: CopyAtomOf, copy: TiledCopy, end: End): TiledCopy =>
  tiledCopy(atom, endLayoutTv(copy, end), copy.tiler);

/** The tile as a shape: its extents by mode. */
export const tilerShape = (tiler: Term): Term =>
  isTuple(tiler) ? tuple(...tiler.items.map(tilerShape)) : isLayout(tiler) ? tilerShapeOf(any.shape(tiler)) : tiler;
const tilerShapeOf = (shape: Term): Term => shape;

/** (reference thread, value) to the end's (thread, value). */
const referenceToEnd = (copy: TiledCopy, end: End): Layout =>
  plain.composition(plain.rightInverse(copy.atom.reference), end === "S" ? copy.atom.source : copy.atom.destination);

/** Cuts a tensor's layout into (Thr,(FrgV,FrgX),(Rest,...)). */
export function tidfrg(copy: TiledCopy, end: End, l: AnyLayout): AnyLayout {
  if (any.rank(l) < rankOf(copy.tiler))
    throw new CuteError(`tidfrg_${end}: the tensor has ${any.rank(l)} modes, the tile ${rankOf(copy.tiler)}`);
  return tileToThreads(copy, any.zippedDivide(l, copy.tiler), referenceToEnd(copy, end));
}

function tileToThreads(copy: TiledCopy, tiled: AnyLayout, toEnd: Layout): AnyLayout {
  const atomShape = tuple(product(get(copy.atom.reference.shape, 0)), product(get(copy.atom.reference.shape, 1)));
  const atoms = plain.zippedDivide(copy.layoutTv, atomShape);
  const there = plain.composition(atoms, tuple(toEnd, underscore));
  const threadValue = plain.coalesce(plain.zip(there), tuple(one, tuple(one, one)));
  const cut = any.composition(tiled, tuple(threadValue, underscore));
  return any.apply(cut, tuple(tuple(underscore, underscore), underscore)) as AnyLayout;
}

/** (thread, value) to index in the tile, for one end. */
export function endLayoutTv(copy: TiledCopy, end: End): AnyLayout {
  const reference = plain.compactLayout(tuple(tilerShape(copy.tiler), one));
  return any.apply(tileToThreads(copy, reference, referenceToEnd(copy, end)), tuple(underscore, underscore, zero)) as AnyLayout;
}

/** Rearranges a thread's own fragment to what the copy expects. */
export function retile(copy: TiledCopy, l: AnyLayout): AnyLayout {
  const r = any.rank(l);
  const v = product(get(any.shape(l), 0));
  const threads = product(get(copy.layoutTv.shape, 0));
  const inverse = any.withShape(plain.rightInverse(copy.layoutTv), tilerShape(copy.tiler)) as Layout;
  const fragment = plain.upcast(inverse, numberOf(mul(threads, v)));
  const values = plain.logicalProduct(plain.compactLayout(v), plain.rightInverse(fragment));
  const byAtom = plain.zippedDivide(values, plain.compactLayout(product(get(copy.atom.reference.shape, 1))));
  const tile = prepend(productEach(fragment.shape), v);
  const tiled = any.zippedDivide(l, tile);
  const rearranged = any.composition(tiled, tuple(byAtom, underscore));
  return any.apply(rearranged, tuple(underscore, append(zero, underscore, r))) as AnyLayout;
}

/** Number of threads. */
export const copySize = (copy: TiledCopy): Term => product(get(copy.layoutTv.shape, 0));
/** Extents of the tile. */
export const copyTileSize = (copy: TiledCopy): Term => product(tilerShape(copy.tiler));

/** A thread's part of a source or destination: ((values), rest, ...). */
export function partitionCopy(thr: ThrCopy, end: End, t: Tensor): Tensor {
  const cut = makeTensor(t.data, tidfrg(thr.copy, end, t.layout) as any.DomainLayout);
  return sliceTensor(cut, tuple(thr.thread, underscore, underscores(any.rank(t.layout))));
}

/** A thread's own tensor, rearranged for the copy. */
export const retileTensor = (copy: TiledCopy, t: Tensor): Tensor => makeTensor(t.data, retile(copy, t.layout) as any.DomainLayout);

/** The lines CuTe prints for an atom. */
export function printCopyAtom(atom: CopyAtomOf): string {
  return `Copy_Atom
  ThrID:        ${printTerm(atom.op.threads)}
  ValLayoutSrc: ${printTerm(atom.source)}
  ValLayoutDst: ${printTerm(atom.destination)}
  ValLayoutRef: ${printTerm(atom.reference)}
  ValueType:    ${atom.valueType.bits}b
`;
}

/** The lines CuTe prints for a TiledCopy. */
export function printTiledCopy(copy: TiledCopy): string {
  return `TiledCopy
  Tiler_MN:       ${printTerm(copy.tiler)}
  TiledLayout_TV: ${printTerm(copy.layoutTv)}
${printCopyAtom(copy.atom)}`;
}

/** The lines CuTe prints for a thread's share. */
export const printThrCopy = (thr: ThrCopy): string => `ThrCopy\n  ThrIdx: ${printTerm(thr.thread)}\n${printTiledCopy(thr.copy)}`;
