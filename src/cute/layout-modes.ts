/**
 * Layouts as tuples of pairs: making them, taking modes out and putting them together, sizes, offsets and coordinates.
 * Source: cute/layout.hpp.
 */
import { abs, add, and, asCoordinate, equal, sub } from "./arithmetic.js";
import {
  append,
  basisLike,
  dice,
  filterZeros as filterZerosOf,
  flatten as flattenTerm,
  group as groupTerm,
  hasUnderscore,
  innerProduct,
  prepend,
  product,
  repeat,
  repeatLike,
  select as selectTerm,
  slice as sliceTerm,
  sum,
  take as takeTerm,
  transformLeaf,
  unflatten as unflattenTerm,
  zip as zipTerm,
} from "./int-tuple.js";
import { compactMajor, compactOrder, crd2crd, crd2idx, idx2crd, type Major } from "./stride.js";
import { CuteError, get, type Int, type Layout, one, rankOf, type Term, type Tuple, tuple, zero } from "./term.js";

/** A layout of shape and stride. */
export const layout = (shape: Term, stride: Term): Layout => ({ kind: "layout", shape, stride });
/** The compact layout of a shape, column-major by default. */
export const compactLayout = (shape: Term, major: Major = "left"): Layout => layout(shape, compactMajor(major, shape));
/** `_1:_0`, the layout with nothing in it. */
export const trivial = layout(one, zero);

/** Puts layouts side by side as the modes of one. */
export const concat = (...parts: readonly Layout[]): Layout =>
  layout(tuple(...parts.map((p) => p.shape)), tuple(...parts.map((p) => p.stride)));
/** The compact layout whose modes are enumerated in the given order. */
export const orderedLayout = (shape: Term, order: Term): Layout => layout(shape, compactOrder(shape, order));
/** A compact layout with the shape and mode order of `l`; static strides 0 stay. */
export const layoutLike = (l: Layout): Layout => layout(l.shape, compactOrder(filterZerosOf(l.stride, l.shape), l.stride));
/** Maps every coordinate to itself. */
export const identityLayout = (shape: Term): Layout => layout(shape, basisLike(shape));

/** Mode `path` of a layout as a layout. */
export const mode = (l: Layout, ...path: readonly number[]): Layout => layout(get(l.shape, ...path), get(l.stride, ...path));
/** The modes `[begin, end)`. */
export const take = (l: Layout, begin: number, end: number): Layout =>
  layout(takeTerm(l.shape, begin, end), takeTerm(l.stride, begin, end));
/** The modes at the given places. */
export const select = (l: Layout, modes: readonly number[]): Layout => layout(selectTerm(l.shape, modes), selectTerm(l.stride, modes));
/** Depth at most one. */
export const flatten = (l: Layout): Layout => layout(flattenTerm(l.shape), flattenTerm(l.stride));
/** The nesting of `profile`. */
export const unflatten = (l: Layout, profile: Term): Layout => layout(unflattenTerm(l.shape, profile), unflattenTerm(l.stride, profile));
/** Makes one mode of the modes `[begin, end)`. */
export const group = (l: Layout, begin: number, end: number): Layout =>
  layout(groupTerm(l.shape, begin, end), groupTerm(l.stride, begin, end));
/** Appends, prepends, replaces modes. */
export const appendMode = (l: Layout, x: Layout = trivial, rank?: number): Layout =>
  layout(append(l.shape, x.shape, rank), append(l.stride, x.stride, rank));
export const prependMode = (l: Layout, x: Layout = trivial, rank?: number): Layout =>
  layout(prepend(l.shape, x.shape, rank), prepend(l.stride, x.stride, rank));
/** Transposes the two outer levels of modes. */
export const zip = (l: Layout): Layout => layout(zipTerm(l.shape), zipTerm(l.stride));

/** Number of coordinates. */
export const size = (l: Layout): Term => product(l.shape);
/** The smallest coordinate beyond all values, or the number beyond them. */
export function coshape(l: Layout): Term {
  const last = transformLeaf((s) => sub(s!, one), l.shape);
  const strides = transformLeaf((d) => abs(d!), l.stride);
  return transformLeaf((c) => add(c!, one), asCoordinate(innerProduct(last, strides)));
}
/** Size of the range. */
export const cosize = (l: Layout): Term => product(coshape(l));
/** Zeros in the form of the layout's values. */
export const coprofile = (l: Layout): Term => repeatLike(asCoordinate(sum(l.stride)), zero);

/** The value at a coordinate, or the sublayout kept by a coordinate with `_`. */
export function apply(l: Layout, coord: Term): Term {
  return hasUnderscore(coord) ? slice(coord, l) : crd2idx(coord, l.shape, l.stride);
}
/** The modes kept by `_`. */
export const slice = (coord: Term, l: Layout): Layout => layout(sliceTerm(coord, l.shape), sliceTerm(coord, l.stride));
/** The modes fixed by the coordinate. */
export const diceLayout = (coord: Term, l: Layout): Layout => layout(dice(coord, l.shape), dice(coord, l.stride));
/** The offset of a coordinate with `_`, which counts as 0. */
export const sliceOffset = (coord: Term, l: Layout): Term => crd2idx(coord, l.shape, l.stride);

/** The coordinate at an offset of a compact layout: nested, flat, or as one index. */
export const hierCoord = (l: Layout, index: Term): Term => idx2crd(index, l.shape, l.stride);
export const flatCoord = (l: Layout, index: Term): Term => crd2crd(hierCoord(l, index), l.shape, repeat(rankOf(l.shape), one));
export const coord1d = (l: Layout, index: Term): Term => crd2idx(hierCoord(l, index), l.shape);

/** Applies `f` to matching modes of a layout and a tuple; modes beyond the shorter one stay. */
export function transformLayout(l: Layout, t: Term, f: (mode: Layout, item: Term) => Layout): Layout {
  const n = Math.min(rankOf(l.shape), rankOf(t));
  const parts = Array.from({ length: n }, (_, i) => f(mode(l, i), get(t, i)));
  const rest = Array.from({ length: rankOf(l.shape) - n }, (_, i) => mode(l, n + i));
  return concat(...parts, ...rest);
}

/** Whether two layouts are the same pair of shape and stride. */
export const equalLayouts = (a: Layout, b: Layout): Int => and(equal(a.shape, b.shape), equal(a.stride, b.stride));

/** Refuses a tuple of more modes than the layout has. */
export function fitsRank(t: Tuple, l: Layout, what: string): void {
  if (t.items.length > rankOf(l.shape)) throw new CuteError(`${what}: ${t.items.length} modes for a layout of ${rankOf(l.shape)}`);
}
