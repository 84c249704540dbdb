/**
 * Operations on nested tuples of integers: the vocabulary in which the layout algebra is written.
 *
 *   flatten (_1,(_2,_3)) = (_1,_2,_3)        product (_4,(_2,3)) = 24        zip ((a,b),(x,y)) = ((a,x),(b,y))
 *
 * Source: cute/int_tuple.hpp, cute/algorithm/tuple_algorithms.hpp, cute/underscore.hpp.
 */
import { add, ceilDivInt, equal, min, mul } from "./arithmetic.js";
import {
  asInt,
  CuteError,
  describe,
  get,
  type Int,
  isConstant,
  isIntegral,
  isStatic,
  isTuple,
  itemsOf,
  lit,
  one,
  rankOf,
  type Term,
  type Tuple,
  tuple,
  underscore,
  zero,
} from "./term.js";

/** Applies `f` to the elements of equally long tuples, or to the leaves themselves. */
export function transform(f: (...terms: Term[]) => Term, first: Term, ...rest: readonly Term[]): Term {
  if (!isTuple(first)) return f(first, ...rest);
  for (const other of rest)
    if (!isTuple(other) || other.items.length !== first.items.length)
      throw new CuteError(`mismatched ranks: ${first.items.length} and ${isTuple(other) ? other.items.length : describe(other)}`);
  return tuple(...first.items.map((item, i) => f(item, ...rest.map((other) => get(other, i)))));
}

/** Applies `f` to every leaf of `first` with the terms at the same place of the others. */
export function transformLeaf(f: (...terms: Term[]) => Term, first: Term, ...rest: readonly Term[]): Term {
  return isTuple(first) ? transform((...parts) => transformLeaf(f, ...(parts as [Term, ...Term[]])), first, ...rest) : f(first, ...rest);
}

/** All leaves, left to right. */
export function leaves(t: Term): readonly Term[] {
  if (!isTuple(t)) return [t];
  const out: Term[] = [];
  const visit = (x: Term) => (isTuple(x) ? x.items.forEach(visit) : out.push(x));
  visit(t);
  return out;
}

/** Depth-one tuple of the leaves; a leaf stays a leaf. */
export const flatten = (t: Term): Term => (isTuple(t) ? tuple(...leaves(t)) : t);
/** As `flatten`, but a leaf becomes a tuple of one. */
export const flattenToTuple = (t: Term): Tuple => tuple(...leaves(t));

/** Gives the elements of a flat tuple the nesting of `profile`. */
export function unflatten(flat: Term, profile: Term): Term {
  const queue = [...itemsOf(flat)];
  const take = (p: Term): Term => {
    if (isTuple(p)) return tuple(...p.items.map(take));
    const next = queue.shift();
    if (!next) throw new CuteError("unflatten: the profile has more leaves than the tuple");
    return next;
  };
  const result = take(profile);
  if (queue.length > 0) throw new CuteError("unflatten: the tuple has more elements than the profile has leaves");
  return result;
}

/** A leaf as a tuple of one. */
export const wrap = (t: Term): Tuple => (isTuple(t) ? t : tuple(t));
/** Removes tuples of one from the outside. */
export function unwrap(t: Term): Term {
  while (isTuple(t) && t.items.length === 1) t = t.items[0]!;
  return t;
}

/** Appends `x`, once or until the rank is `rank`. */
export function append(t: Term, x: Term, rank = rankOf(t) + 1): Term {
  if (rank === rankOf(t)) return t;
  return tuple(...itemsOf(t), ...repeated(x, rank - rankOf(t)));
}

/** Prepends `x`, once or until the rank is `rank`. */
export function prepend(t: Term, x: Term, rank = rankOf(t) + 1): Term {
  if (rank === rankOf(t)) return t;
  return tuple(...repeated(x, rank - rankOf(t)), ...itemsOf(t));
}

function repeated(x: Term, times: number): Term[] {
  if (times < 0) throw new CuteError(`cannot shorten a tuple by ${-times} to append to it`);
  return Array.from({ length: times }, () => x);
}

/** Replaces element `i`; a leaf is its own element 0. */
export const replace = (t: Term, i: number, x: Term): Term => (isTuple(t) ? tuple(...t.items.slice(0, i), x, ...t.items.slice(i + 1)) : x);
/** The first and the last element at depth one. */
export const replaceFront = (t: Term, x: Term): Term => replace(t, 0, x);
export const replaceBack = (t: Term, x: Term): Term => replace(t, rankOf(t) - 1, x);
/** Removes element `i`. */
export const remove = (t: Tuple, i: number): Tuple => tuple(...t.items.slice(0, i), ...t.items.slice(i + 1));

/** The last leaf. */
export function back(t: Term): Term {
  while (isTuple(t)) t = get(t, t.items.length - 1);
  return t;
}

/** Elements `[begin, end)`; end -1 means all. */
export function take(t: Term, begin: number, end: number): Term {
  const to = end === -1 ? rankOf(t) : end;
  if (begin < 0 || begin > to || to > rankOf(t)) throw new CuteError(`range [${begin},${to}) is outside a tuple of rank ${rankOf(t)}`);
  return tuple(...itemsOf(t).slice(begin, to));
}

/** The elements at the given places. */
export const select = (t: Term, modes: readonly number[]): Term => tuple(...modes.map((m) => get(t, m)));

/** Makes one element of the elements `[begin, end)`. */
export function group(t: Term, begin: number, end: number): Term {
  const items = itemsOf(t);
  const to = end === -1 ? items.length : end;
  if (begin > to || to > items.length) throw new CuteError(`range [${begin},${to}) is outside a tuple of rank ${items.length}`);
  const middle = begin < to ? [take(t, begin, to)] : [];
  return tuple(...items.slice(0, begin), ...middle, ...items.slice(to));
}

/** `n` times `x`; once is `x` itself. */
export const repeat = (n: number, x: Term): Term => (n === 1 ? x : tuple(...repeated(x, n)));
/** A tuple with the nesting of `t` and `x` at every leaf. */
export const repeatLike = (t: Term, x: Term): Term => transformLeaf(() => x, t);
/** The elements in reverse. */
export const reverse = (t: Term): Term => (isTuple(t) ? tuple(...[...t.items].reverse()) : t);

/** Product of all leaves. */
export function product(t: Term): Term {
  if (!isTuple(t)) {
    if (!isIntegral(t)) throw new CuteError(`expected an integer shape, found ${describe(t)}`);
    return t;
  }
  return t.items.map(product).reduce(mul, one);
}

/** The product of each element. */
export const productEach = (t: Term): Term => transform(product, wrap(t));
/** The products of `t` at the leaves of `guide`. */
export const productLike = (t: Term, guide: Term): Term => transformLeaf((_, x) => product(x!), guide, t);

/** Sum of all leaves, scaled bases giving a coordinate. */
export function sum(t: Term): Term {
  return isTuple(t) ? t.items.map(sum).reduce(add, zero) : t;
}

/** Sum over the leaves of the product of the two. */
export function innerProduct(a: Term, b: Term): Term {
  if (isTuple(a) && isTuple(b)) {
    if (a.items.length !== b.items.length) throw new CuteError("mismatched ranks");
    return a.items.map((x, i) => innerProduct(x, b.items[i]!)).reduce(add, zero);
  }
  return mul(a, b);
}

/** Nesting depth: 0 for a leaf. */
export const depth = (t: Term): number => (isTuple(t) ? 1 + Math.max(0, ...t.items.map(depth)) : 0);

/** The leaf extremes and common divisor of all leaves. */
export const minOf = (t: Term): Term => leaves(t).reduce(min);

/** Number of tiles `b` that cover `a`, mode by mode; an integer `b` is used up from the first mode on. */
export function ceilDiv(a: Term, b: Term): Term {
  if (isTuple(a)) {
    if (isTuple(b)) return transform(ceilDiv as (...t: Term[]) => Term, a, append(b, one, a.items.length));
    const out: Term[] = [];
    let rest: Term = b;
    for (const mode of a.items) {
      out.push(ceilDiv(mode, rest));
      rest = ceilDiv(rest, mode);
    }
    return tuple(...out);
  }
  return ceilDivInt(a, isTuple(b) ? product(b) : b);
}

/** Rounds `a` up to a multiple of `b`. */
export function roundUp(a: Term, b: Term): Term {
  if (isTuple(a) && isTuple(b)) return transform(roundUp as (...t: Term[]) => Term, a, append(b, one, a.items.length));
  return mul(ceilDivInt(a, b), b);
}

/** As `ceilDiv`, for sizes of which one divides the other (checked when static). */
export function shapeDiv(a: Term, b: Term): Term {
  if (isTuple(a)) {
    if (isTuple(b)) return transform(shapeDiv as (...t: Term[]) => Term, a, b);
    const out: Term[] = [];
    let rest: Term = b;
    for (const mode of a.items) {
      out.push(shapeDiv(mode, rest));
      rest = shapeDiv(rest, mode);
    }
    return tuple(...out);
  }
  if (isTuple(b)) return shapeDiv(a, product(b));
  const x = asInt(a);
  const y = asInt(b);
  if (x?.isStatic && y?.isStatic && x.value % y.value !== 0 && y.value % x.value !== 0)
    throw new CuteError(`divisibility: neither of ${x.value} and ${y.value} divides the other`);
  return ceilDivInt(a, b);
}

/** `a` with every leaf multiplied by the size of the matching part of `b`. */
export const elemScale = (a: Term, b: Term): Term => transformLeaf((x, y) => mul(x!, product(y!)), a, b);

/** Whether two terms have the same nesting. */
export function congruent(a: Term, b: Term): boolean {
  if (!isTuple(a) || !isTuple(b)) return !isTuple(a) && !isTuple(b);
  return a.items.length === b.items.length && a.items.every((x, i) => congruent(x, b.items[i]!));
}

/** Whether `b` is at least as finely nested as `a`. */
export function weaklyCongruent(a: Term, b: Term): boolean {
  if (!isTuple(a)) return true;
  return isTuple(b) && a.items.length === b.items.length && a.items.every((x, i) => weaklyCongruent(x, b.items[i]!));
}

/** Whether coordinates of `a` are coordinates of `b`: equal sizes at every leaf of `a`. */
export function compatible(a: Term, b: Term): Int {
  if (!isTuple(a)) return equal(a, product(b));
  if (!isTuple(b) || a.items.length !== b.items.length) return zero;
  const all = a.items.map((x, i) => compatible(x, b.items[i]!));
  return lit(Number(all.every((x) => x.value !== 0)));
}

/** Whether shape `a` is a multiple of tile `b`. */
export function evenlyDivides(a: Term, b: Term): boolean {
  if (isTuple(b)) return rankOf(b) <= rankOf(a) && b.items.every((x, i) => evenlyDivides(get(a, i), x));
  const size = asInt(product(a))?.value ?? Number.NaN;
  return size === asInt(product(b))!.value * asInt(product(ceilDiv(a, b)))!.value;
}

/** `b` with `_1` wherever `a` has a static 0. */
export function filterZeros(a: Term, b: Term): Term {
  if (isTuple(a)) return transform(filterZeros as (...t: Term[]) => Term, a, b);
  return isConstant(0, a) ? repeatLike(b, one) : b;
}

/** Transposes: ((a,b),(x,y)) becomes ((a,x),(b,y)). */
export function zip(t: Term): Term {
  if (!isTuple(t)) return t;
  const [first] = t.items;
  if (!first || !isTuple(first)) return tuple(t);
  if (t.items.some((x) => rankOf(x) !== first.items.length)) throw new CuteError("zip: mismatched ranks");
  return tuple(...first.items.map((_, j) => tuple(...t.items.map((x) => get(x, j)))));
}

/** Gathers first and second halves of the pairs at the leaves of `guide`: ((A,a),(B,b),d) becomes ((A,B),(a,b,d)). */
export function zip2By(t: Term, guide: Term): Term {
  if (!isTuple(guide)) {
    if (!isTuple(t) || t.items.length !== 2) throw new CuteError("expected a mode of tile and rest");
    return t;
  }
  const n = guide.items.length;
  if (!isTuple(t) || t.items.length < n) throw new CuteError("the tiler has more modes than the layout");
  const split = guide.items.map((g, i) => zip2By(get(t, i), g));
  return tuple(tuple(...split.map((s) => get(s, 0))), tuple(...split.map((s) => get(s, 1)), ...t.items.slice(n)));
}

/** Whether `_` occurs in a coordinate, or nothing else does. */
export const hasUnderscore = (t: Term): boolean => leaves(t).some((x) => x.kind === "underscore");
export const allUnderscore = (t: Term): boolean => leaves(t).every((x) => x.kind === "underscore");

/** Keeps the parts of `b` that are opposite `_`. */
export function slice(coord: Term, b: Term): Term {
  if (!isTuple(coord)) return coord.kind === "underscore" ? b : tuple();
  return pick(coord, b, (c) => c.kind === "underscore");
}

/** Keeps the parts of `b` that are opposite an integer. */
export function dice(coord: Term, b: Term): Term {
  if (!isTuple(coord)) return coord.kind === "underscore" ? tuple() : b;
  return pick(coord, b, (c) => c.kind !== "underscore");
}

function pick(coord: Tuple, b: Term, keep: (leaf: Term) => boolean): Tuple {
  const out: Term[] = [];
  const visit = (c: Term, x: Term) => {
    if (!isTuple(c)) {
      if (keep(c)) out.push(x);
      return;
    }
    if (rankOf(x) !== c.items.length || !isTuple(x))
      throw new CuteError(`mismatched ranks: a coordinate of ${c.items.length} into ${rankOf(x)}`);
    c.items.forEach((item, i) => visit(item, x.items[i]!));
  };
  visit(coord, b);
  return tuple(...out);
}

/** The unit coordinates of a shape: `(_4,(_2,3))` gives `(_1@0,(_1@0@1,_1@1@1))`. */
export function basisLike(shape: Term, modes: readonly number[] = []): Term {
  if (isTuple(shape)) return tuple(...shape.items.map((s, i) => basisLike(s, [...modes, i])));
  return { kind: "basis", value: one, modes };
}

/** `_` as often as a shape has modes. */
export const underscores = (n: number): Term => repeat(n, underscore);

/** Whether every leaf is an integer or `_`, so that the term can be a shape. */
export const isShape = (t: Term): boolean => leaves(t).every(isIntegral);
/** Merges neighbours of a shape that are both static or both dynamic. */
export function coalesceShape(shape: Term): Term {
  const flat = flatten(shape);
  if (!isTuple(flat)) return flat;
  return flat.items.reduce((acc, x) => (isStatic(back(acc)) === isStatic(x) ? replaceBack(acc, mul(back(acc), x)) : append(acc, x)));
}
