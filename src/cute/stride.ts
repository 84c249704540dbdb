/**
 * From coordinates to offsets and back, and compact strides.
 *
 *   crd2idx((1,(1,2)), (_3,(_2,_3)), (_3,(_12,_1))) = 1*3 + 1*12 + 2*1 = 17
 *   idx2crd(16, (_3,(_2,_3))) = (1,(1,2))      first mode runs fastest
 *
 * Source: cute/stride.hpp.
 */
import { add, asCoordinate, choose, div, less, mod, mul } from "./arithmetic.js";
import { basisLike, flattenToTuple, product, productLike, transform, unflatten } from "./int-tuple.js";
import {
  asInt,
  CuteError,
  describe,
  get,
  isConstant,
  isStatic,
  isTuple,
  lit,
  one,
  rankOf,
  type Term,
  type Tuple,
  tuple,
  zero,
} from "./term.js";

/** The offset of `coord`; without `stride`, the column-major index within `shape`. */
export function crd2idx(coord: Term, shape: Term, stride?: Term): Term {
  return stride === undefined ? indexWithin(coord, shape) : offsetOf(coord, shape, stride);
}

function offsetOf(coord: Term, shape: Term, stride: Term): Term {
  if (isTuple(coord)) {
    if (!isTuple(shape)) throw new CuteError(`a coordinate of ${coord.items.length} modes for an integer shape`);
    sameRank(coord, shape);
    sameRank(coord, stride);
    return coord.items.map((c, i) => offsetOf(c, get(shape, i), get(stride, i))).reduce(add);
  }
  if (!isTuple(shape)) return mul(coord, stride);
  sameRank(shape, stride);
  let rest = coord;
  let sum: Term | undefined;
  const modes = shape.items.length;
  shape.items.forEach((mode, i) => {
    const last = i === modes - 1;
    const everywhereZero = isConstant(0, rest);
    const here = last || everywhereZero ? rest : mod(rest, product(mode));
    const part = offsetOf(here, mode, get(stride, i));
    sum = sum === undefined ? part : add(sum, part);
    if (!last && !everywhereZero) rest = div(rest, product(mode));
  });
  if (sum === undefined) throw new CuteError("a layout without modes has no offsets");
  return sum;
}

function indexWithin(coord: Term, shape: Term): Term {
  if (!isTuple(coord)) return coord;
  if (!isTuple(shape)) throw new CuteError(`a coordinate of ${coord.items.length} modes for an integer shape`);
  sameRank(coord, shape);
  const coords = flattenToTuple(coord).items;
  const shapes = flattenToTuple(productLike(shape, coord)).items;
  return coords.reduceRight((acc, c, i) => (i === coords.length - 1 ? c : add(c, mul(shapes[i]!, acc))), zero as Term);
}

/** The coordinate of `index`: with `stride` of a compact layout, without it of the column-major one. */
export function idx2crd(index: Term, shape: Term, stride?: Term): Term {
  if (stride !== undefined) return coordinateIn(index, shape, stride);
  if (isTuple(index)) {
    if (!isTuple(shape)) throw new CuteError("a tuple index needs a tuple shape");
    return transform((i, s) => idx2crd(i!, s!), index, shape);
  }
  if (!isTuple(shape)) return index;
  return asCoordinate(offsetOf(index, shape, basisLike(shape)));
}

function coordinateIn(index: Term, shape: Term, stride: Term): Term {
  if (isTuple(index)) return transform((i, s, d) => coordinateIn(i!, s!, d!), index, shape, stride);
  if (isTuple(shape)) {
    const strides = isTuple(stride) ? stride : compactMajor("left", shape, stride);
    return transform((s, d) => coordinateIn(index, s!, d!), shape, strides);
  }
  if (isConstant(1, shape)) return zero;
  return mod(div(index, stride), shape);
}

/** A coordinate of one shape as the coordinate of another shape of the same size. */
export function crd2crd(coord: Term, from: Term, to: Term): Term {
  if (isTuple(coord) && isTuple(from) && isTuple(to)) return transform((c, s, d) => crd2crd(c!, s!, d!), coord, from, to);
  return idx2crd(crd2idx(coord, from), to);
}

/** Which end of a compact layout has stride 1: left is column-major, right row-major. */
export type Major = "left" | "right";

/** Strides that enumerate `shape` without gaps from `current` on; modes of static size 1 get `_0`. */
export function compactMajor(major: Major, shape: Term, current: Term = one): Term {
  if (isTuple(current)) return transform((s, c) => compactMajor(major, s!, c!), shape, current);
  return compactFrom(major, shape, current)[0];
}

function compactFrom(major: Major, shape: Term, current: Term): [stride: Term, next: Term] {
  if (!isTuple(shape)) return isConstant(1, shape) ? [zero, current] : [current, mul(current, shape)];
  const strides: Term[] = new Array(shape.items.length);
  const order = shape.items.map((_, i) => (major === "left" ? i : shape.items.length - 1 - i));
  for (const i of order) [strides[i], current] = compactFrom(major, shape.items[i]!, current);
  return [tuple(...strides), current];
}

/** Strides that enumerate the modes of `shape` in the order of the numbers in `order`; dynamic numbers come last. */
export function compactOrder(shape: Term, order: Term): Term {
  const refShape = flattenToTuple(productLike(shape, order));
  const flatOrder = flattenToTuple(order);
  const largest = flatOrder.items.reduce((v, o) => Math.max(v, isStatic(o) ? (asInt(o)?.value ?? 0) : 0), 0);
  const refOrder = tuple(...flatOrder.items.map((o, i) => (isStatic(o) ? o : lit(largest + 1 + i))));
  return orderedStrides(shape, unflatten(refOrder, order), refShape, refOrder);
}

function orderedStrides(shape: Term, order: Term, refShape: Tuple, refOrder: Tuple): Term {
  if (isTuple(order)) return transform((s, o) => orderedStrides(s!, o!, refShape, refOrder), shape, order);
  const before = refShape.items.map((s, i) => choose(orderLess(refOrder.items[i]!, order), s, one));
  return compactMajor("left", shape, before.reduce(mul, one));
}

/** Scaled bases are compared by their value, as `less` of a layout of coordinates would. */
function orderLess(a: Term, b: Term) {
  if (a.kind === "basis" || b.kind === "basis") throw new CuteError(`cannot order ${describe(a)} against ${describe(b)}`);
  return less(a, b);
}

function sameRank(a: Term, b: Term): void {
  if (rankOf(a) !== rankOf(b) || isTuple(a) !== isTuple(b)) throw new CuteError(`mismatched ranks: ${rankOf(a)} and ${rankOf(b)}`);
}
