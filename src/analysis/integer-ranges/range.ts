/**
 * The integers that a value may be, with their sign and without it, and arithmetic on such ranges.
 * Source: mlir/include/mlir/Interfaces/InferIntRangeInterface.h, mlir/lib/Interfaces/Utils/InferIntRangeCommon.cpp.
 */
import { type CmpIPredicate, INVERTED_CMPI } from "../../dialects/arith/attrs.js";
import type { Type } from "../../ir/attribute.js";
import { elementTypeOrSelf, IndexType, IntegerType } from "../../ir/builtin-types.js";

/** Bounds are inclusive; `width` is in bits, that of an index is 64. */
export interface IntRange {
  readonly width: number;
  readonly umin: bigint;
  readonly umax: bigint;
  readonly smin: bigint;
  readonly smax: bigint;
}

const unsigned = (width: number, value: bigint): bigint => BigInt.asUintN(width, value);
const signed = (width: number, value: bigint): bigint => BigInt.asIntN(width, value);
const unsignedMax = (width: number): bigint => (1n << BigInt(width)) - 1n;
const signedMax = (width: number): bigint => (1n << BigInt(width - 1)) - 1n;
const signedMin = (width: number): bigint => -(1n << BigInt(width - 1));
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const abs = (a: bigint): bigint => (a < 0n ? -a : a);

/** The width of the integers of a type, of its elements for a tensor; 0 for any other type. */
export function rangeWidth(type: Type): number {
  const element = elementTypeOrSelf(type);
  return IntegerType.is(element) ? element.params.width : IndexType.is(element) ? 64 : 0;
}
/** The range of all integers of a width. */
export const maxRange = (width: number): IntRange => ({
  width,
  umin: 0n,
  umax: unsignedMax(width),
  smin: signedMin(width),
  smax: signedMax(width),
});
/** All numbers from `from` to `to`, as signed ones. */
export function signedRange(width: number, from: bigint, to: bigint): IntRange {
  const [smin, smax] = [signed(width, from), signed(width, to)];
  if (smin < 0n !== smax < 0n) return { width, umin: 0n, umax: unsignedMax(width), smin, smax };
  const [a, b] = [unsigned(width, smin), unsigned(width, smax)];
  return { width, umin: min(a, b), umax: max(a, b), smin, smax };
}
/** All numbers from `from` to `to`, as unsigned ones. */
export function unsignedRange(width: number, from: bigint, to: bigint): IntRange {
  const [umin, umax] = [unsigned(width, from), unsigned(width, to)];
  const [a, b] = [signed(width, umin), signed(width, umax)];
  if (a < 0n !== b < 0n) return { width, umin, umax, smin: signedMin(width), smax: signedMax(width) };
  return { width, umin, umax, smin: min(a, b), smax: max(a, b) };
}
const range = (width: number, from: bigint, to: bigint, isSigned: boolean): IntRange =>
  isSigned ? signedRange(width, from, to) : unsignedRange(width, from, to);
/** The range of one value of that many bits, signed and unsigned. */
export function constantRange(width: number, value: bigint): IntRange {
  const [u, s] = [unsigned(width, value), signed(width, value)];
  return { width, umin: u, umax: u, smin: s, smax: s };
}
/** The one number that the range holds, sign-extended. */
export function constantOfRange({ width, umin, umax, smin, smax }: IntRange): bigint | undefined {
  return umin === umax ? signed(width, umin) : smin === smax ? smin : undefined;
}
export const sameRange = (a: IntRange, b: IntRange): boolean =>
  a.width === b.width && a.umin === b.umin && a.umax === b.umax && a.smin === b.smin && a.smax === b.smax;
/** The smallest range that contains both. */
export const unite = (a: IntRange, b: IntRange): IntRange => ({
  width: a.width,
  umin: min(a.umin, b.umin),
  umax: max(a.umax, b.umax),
  smin: min(a.smin, b.smin),
  smax: max(a.smax, b.smax),
});
/** The values that are in both ranges. */
export const intersect = (a: IntRange, b: IntRange): IntRange => ({
  width: a.width,
  umin: max(a.umin, b.umin),
  umax: min(a.umax, b.umax),
  smin: max(a.smin, b.smin),
  smax: min(a.smax, b.smax),
});
/** `unsigned : [0, 3] signed : [0, 3]` */
export const rangeText = ({ umin, umax, smin, smax }: IntRange): string => `unsigned : [${umin}, ${umax}] signed : [${smin}, ${smax}]`;

// --- casts ------------------------------------------------------------------------------------

export const zeroExtended = ({ umin, umax }: IntRange, width: number): IntRange => unsignedRange(width, umin, umax);
export const signExtended = ({ smin, smax }: IntRange, width: number): IntRange => signedRange(width, smin, smax);
export function truncated(from: IntRange, width: number): IntRange {
  const bits = BigInt(width);
  const rollsOver = from.umin >> bits !== from.umax >> bits;
  const [low, high] = [from.smin >> (bits - 1n), from.smax >> (bits - 1n)];
  const overflows = low !== high && !(low === -1n && high === 0n);
  const full = maxRange(width);
  return {
    width,
    umin: rollsOver ? full.umin : unsigned(width, from.umin),
    umax: rollsOver ? full.umax : unsigned(width, from.umax),
    smin: overflows ? full.smin : signed(width, from.smin),
    smax: overflows ? full.smax : signed(width, from.smax),
  };
}

// --- arithmetic -------------------------------------------------------------------------------

/** Two numbers give one, or none where that overflows. */
type Fn = (a: bigint, b: bigint) => bigint | undefined;
/** Whether sums and products are known not to wrap. */
export interface NoWrap {
  readonly unsigned: boolean;
  readonly signed: boolean;
}

/** The exact result where it fits; else the nearest one that does, if `saturates`. */
function checked(width: number, isSigned: boolean, saturates: boolean, fn: (a: bigint, b: bigint) => bigint): Fn {
  const [low, high] = isSigned ? [signedMin(width), signedMax(width)] : [0n, unsignedMax(width)];
  return (a, b) => {
    const exact = fn(a, b);
    if (low <= exact && exact <= high) return exact;
    return saturates ? (exact < low ? low : high) : undefined;
  };
}
function corners(width: number, fn: Fn, left: readonly bigint[], right: readonly bigint[], isSigned: boolean): IntRange {
  let bounds: readonly [bigint, bigint] | undefined;
  for (const a of left)
    for (const b of right) {
      const value = fn(a, b);
      if (value === undefined) return maxRange(width);
      bounds = bounds ? [min(bounds[0], value), max(bounds[1], value)] : [value, value];
    }
  return range(width, bounds![0], bounds![1], isSigned);
}
function bounds(width: number, fn: Fn, low: readonly [bigint, bigint], high: readonly [bigint, bigint], isSigned: boolean): IntRange {
  const [from, to] = [fn(...low), fn(...high)];
  return from === undefined || to === undefined ? maxRange(width) : range(width, from, to, isSigned);
}

export function added(a: IntRange, b: IntRange, noWrap: NoWrap): IntRange {
  const sum = (isSigned: boolean, saturates: boolean) => checked(a.width, isSigned, saturates, (x, y) => x + y);
  return intersect(
    bounds(a.width, sum(false, noWrap.unsigned), [a.umin, b.umin], [a.umax, b.umax], false),
    bounds(a.width, sum(true, noWrap.signed), [a.smin, b.smin], [a.smax, b.smax], true),
  );
}
export function subtracted(a: IntRange, b: IntRange, noWrap: NoWrap): IntRange {
  const difference = (isSigned: boolean, saturates: boolean) => checked(a.width, isSigned, saturates, (x, y) => x - y);
  return intersect(
    bounds(a.width, difference(false, noWrap.unsigned), [a.umin, b.umax], [a.umax, b.umin], false),
    bounds(a.width, difference(true, noWrap.signed), [a.smin, b.smax], [a.smax, b.smin], true),
  );
}
/** `fn` of all bounds, exact on unsigned numbers and on signed ones; the second operand of a shift is always unsigned. */
function product(a: IntRange, b: IntRange, noWrap: NoWrap, fn: (x: bigint, y: bigint) => bigint, isShift: boolean): IntRange {
  const { width } = a;
  const right = isShift ? [b.umin, b.umax] : [b.smin, b.smax];
  return intersect(
    corners(width, checked(width, false, noWrap.unsigned, fn), [a.umin, a.umax], [b.umin, b.umax], false),
    corners(width, checked(width, true, noWrap.signed, fn), [a.smin, a.smax], right, true),
  );
}
export const multiplied = (a: IntRange, b: IntRange, noWrap: NoWrap): IntRange => product(a, b, noWrap, (x, y) => x * y, false);
export function shiftedLeft(a: IntRange, b: IntRange, noWrap: NoWrap): IntRange {
  // A shift of the width or more overflows, even of 0.
  if (b.umax >= BigInt(a.width) && !noWrap.unsigned && !noWrap.signed) return maxRange(a.width);
  return product(a, b, noWrap, (x, y) => x << min(y, BigInt(2 * a.width)), true);
}
export const shiftedRight = (a: IntRange, b: IntRange, isSigned: boolean): IntRange =>
  corners(
    a.width,
    (x, y) => (y >= BigInt(a.width) ? undefined : x >> y),
    isSigned ? [a.smin, a.smax] : [a.umin, a.umax],
    [b.umin, b.umax],
    isSigned,
  );

export function dividedUnsigned(a: IntRange, b: IntRange, up: boolean): IntRange {
  const { width } = a;
  if (b.umin !== 0n && b.umax !== 0n) {
    const quotient = checked(width, false, false, (x, y) => x / y + (up && x % y !== 0n ? 1n : 0n));
    return corners(width, quotient, [a.umin, a.umax], [b.umin, b.umax], false);
  }
  return unsignedRange(width, a.umin >= b.umax && b.umax !== 0n ? a.umin / b.umax : 0n, a.umax);
}
export function dividedSigned(a: IntRange, b: IntRange, rounding: "zero" | "up" | "down"): IntRange {
  const { width } = a;
  if (b.smin <= 0n && b.smax >= 0n) return maxRange(width);
  const quotient = checked(width, true, false, (x, y) => {
    const exact = x % y === 0n;
    const sameSign = x < 0n === y < 0n;
    if (rounding === "up" && !exact && sameSign) return x / y + 1n;
    // As upstream folds it: minus the smallest number is that number itself.
    if (rounding === "up" && x === signedMin(width) && y > 1n) return -(x / y);
    return rounding === "down" && !exact && !sameSign ? x / y - 1n : x / y;
  });
  const divide = (from: bigint): IntRange => corners(width, quotient, [from, a.smax], [b.smin, b.smax], true);
  const result = divide(a.smin);
  return rounding === "up" && a.smin === signedMin(width) && a.smax > a.smin ? unite(result, divide(a.smin + 1n)) : result;
}
export function remainderSigned(a: IntRange, b: IntRange): IntRange {
  const { width } = a;
  if (b.smin <= 0n && b.smax >= 0n) return maxRange(width);
  const divisor = b.smin > 0n ? b.smax : abs(b.smin);
  if (b.smin === b.smax && unsigned(width, a.smax - a.smin) < unsigned(width, divisor)) {
    const [from, to] = [a.smin % divisor, a.smax % divisor];
    if (from <= to) return signedRange(width, from, to);
  }
  return signedRange(width, a.smin < 0n ? 1n - divisor : 0n, a.smax > 0n ? divisor - 1n : 0n);
}
export function remainderUnsigned(a: IntRange, b: IntRange): IntRange {
  const { width } = a;
  if (b.umin !== 0n && b.umin === b.umax && a.umax - a.umin < b.umax) {
    const [from, to] = [a.umin % b.umax, a.umax % b.umax];
    if (from <= to) return unsignedRange(width, from, to);
  }
  return unsignedRange(width, 0n, min(unsigned(width, b.umax - 1n), a.umax));
}

export const maximum = (a: IntRange, b: IntRange, isSigned: boolean): IntRange =>
  isSigned
    ? signedRange(a.width, max(a.smin, b.smin), max(a.smax, b.smax))
    : unsignedRange(a.width, max(a.umin, b.umin), max(a.umax, b.umax));
export const minimum = (a: IntRange, b: IntRange, isSigned: boolean): IntRange =>
  isSigned
    ? signedRange(a.width, min(a.smin, b.smin), min(a.smax, b.smax))
    : unsignedRange(a.width, min(a.umin, b.umin), min(a.umax, b.umax));

// --- bits -------------------------------------------------------------------------------------

/** The low bits that differ somewhere within the range, as a mask. */
const varyingBits = ({ umin, umax }: IntRange): bigint => {
  const differ = umin ^ umax;
  return differ === 0n ? 0n : (1n << BigInt(differ.toString(2).length)) - 1n;
};
function bitwise(a: IntRange, b: IntRange, fn: (x: bigint, y: bigint) => bigint): IntRange {
  const widened = (r: IntRange): bigint[] => [r.umin & ~varyingBits(r), r.umax | varyingBits(r)];
  return corners(a.width, fn, widened(a), widened(b), false);
}
export const conjunction = (a: IntRange, b: IntRange): IntRange => bitwise(a, b, (x, y) => x & y);
export const disjunction = (a: IntRange, b: IntRange): IntRange => bitwise(a, b, (x, y) => x | y);
export function exclusive(a: IntRange, b: IntRange): IntRange {
  const mask = varyingBits(a) | varyingBits(b);
  const bits = a.umin ^ b.umin;
  return unsignedRange(a.width, bits & ~mask, bits | mask);
}

// --- comparisons ------------------------------------------------------------------------------

/** Whether a comparison is true, or false, whatever the numbers are; undefined where that depends on them. */
export function comparison(predicate: CmpIPredicate, a: IntRange, b: IntRange): boolean | undefined {
  if (holds(predicate, a, b)) return true;
  return holds(INVERTED_CMPI[predicate], a, b) ? false : undefined;
}
function holds(predicate: CmpIPredicate, a: IntRange, b: IntRange): boolean {
  switch (predicate) {
    case "sle":
      return a.smax <= b.smin;
    case "slt":
      return a.smax < b.smin;
    case "ule":
      return a.umax <= b.umin;
    case "ult":
      return a.umax < b.umin;
    case "sge":
      return a.smin >= b.smax;
    case "sgt":
      return a.smin > b.smax;
    case "uge":
      return a.umin >= b.umax;
    case "ugt":
      return a.umin > b.umax;
    case "eq":
      return constantOfRange(a) !== undefined && constantOfRange(a) === constantOfRange(b);
    case "ne":
      return (holds("slt", a, b) || holds("sgt", a, b)) && (holds("ult", a, b) || holds("ugt", a, b));
  }
}
