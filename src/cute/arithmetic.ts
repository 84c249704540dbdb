/**
 * Integer arithmetic as CuTe's types do it: static with static stays static, a static 0 swallows a dynamic factor, all
 * else becomes dynamic; scaled bases and coordinates add place by place.
 * Source: cute/numeric/integral_constant.hpp, cute/numeric/arithmetic_tuple.hpp, cute/numeric/math.hpp.
 */
import { asInt, CuteError, describe, dyn, type Int, int, isTuple, lit, type ScaledBasis, type Term, tuple, zero } from "./term.js";

/** Combines two plain integers; the result is static when both are. */
function both(a: Term, b: Term, what: string, f: (x: number, y: number) => number): Int {
  const x = asInt(a);
  const y = asInt(b);
  if (!x || !y) throw new CuteError(`cannot ${what} ${describe(a)} and ${describe(b)}`);
  const value = f(x.value, y.value);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new CuteError(`to ${what} ${x.value} and ${y.value} takes integers of 2^53 and more`);
  return int(value, x.isStatic && y.isStatic);
}

const isStaticZero = (t: Term): boolean => {
  const v = asInt(t);
  return v?.isStatic === true && v.value === 0;
};

/** Sum; coordinates and scaled bases add place by place, the shorter is filled with `_0`. */
export function add(a: Term, b: Term): Term {
  if (isCoordinate(a) || isCoordinate(b)) {
    if (isStaticZero(a)) return b;
    if (isStaticZero(b)) return a;
    return zipLonger(asCoordinate(a), asCoordinate(b), add);
  }
  return both(a, b, "add", (x, y) => x + y);
}

/** Difference, as `add`. */
export function sub(a: Term, b: Term): Term {
  if (isCoordinate(a) || isCoordinate(b)) {
    if (isStaticZero(b)) return a;
    return zipLonger(asCoordinate(a), asCoordinate(b), sub);
  }
  return both(a, b, "subtract", (x, y) => x - y);
}

/** Product; a static 0 times anything is a static 0, a scaled basis keeps its place. */
export function mul(a: Term, b: Term): Term {
  if (b.kind === "basis" && b.modes.length > 0) return scale(b, mul(a, b.value));
  if (a.kind === "basis" && a.modes.length > 0) return scale(a, mul(a.value, b));
  if (isStaticZero(a) || isStaticZero(b)) {
    if (asInt(a) && asInt(b)) return zero;
  }
  return both(a, b, "multiply", (x, y) => x * y);
}

/** Quotient, truncated towards zero as in C++. */
export function div(a: Term, b: Term): Int {
  if (isStaticZero(a) && asInt(b)?.isStatic === false) return zero;
  return both(a, b, "divide", (x, y) => Math.trunc(x / nonZero(y)));
}

/** Remainder with the sign of the dividend, as in C++. */
export function mod(a: Term, b: Term): Int {
  const x = asInt(a);
  const y = asInt(b);
  if (x?.isStatic && x.value === 0 && y && !y.isStatic) return zero;
  if (x && !x.isStatic && y?.isStatic && Math.abs(y.value) === 1) return zero;
  return both(a, b, "divide", (p, q) => (p % nonZero(q)) + 0);
}

/** Negation. */
export function neg(a: Term): Term {
  if (a.kind === "basis") return scale(a, neg(a.value));
  if (isTuple(a)) return tuple(...a.items.map(neg));
  return both(zero, a, "negate", (_, y) => (y === 0 ? 0 : -y));
}

/** Bitwise operators on 32-bit integers; a static 0 makes `and` static. */
export const bitAnd = (a: Term, b: Term): Int =>
  isStaticZero(a) || isStaticZero(b) ? zero : both(a, b, "combine the bits of", (x, y) => x & y);
export const bitOr = (a: Term, b: Term): Int => both(a, b, "combine the bits of", (x, y) => x | y);
export const bitXor = (a: Term, b: Term): Int => both(a, b, "combine the bits of", (x, y) => x ^ y);
/** Shift to the right by `by`, to the left when negative. */
export const shiftRight = (a: Term, by: number): Int => both(a, lit(by), "shift", (x, s) => (s >= 0 ? x >> s : x << -s));

/** Smaller, larger, greatest common divisor. */
export const min = (a: Term, b: Term): Int => both(a, b, "compare", Math.min);
export const max = (a: Term, b: Term): Int => both(a, b, "compare", Math.max);
export const gcd = (a: Term, b: Term): Int => both(a, b, "find the common divisor of", gcdOf);
export const lcm = (a: Term, b: Term): Int => both(a, b, "find the common multiple of", (x, y) => (x === 0 ? 0 : (x / gcdOf(x, y)) * y));

/** Greatest common divisor of two numbers. */
export function gcdOf(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

/** Magnitude and sign. */
export function abs(a: Term): Term {
  if (a.kind === "basis") return scale(a, abs(a.value));
  return both(a, zero, "take the magnitude of", Math.abs);
}
export const signum = (a: Term): Int => both(a, zero, "take the sign of", (x) => Math.sign(x));

/** Comparisons give the integers 1 and 0. */
export const less = (a: Term, b: Term): Int => both(a, b, "compare", (x, y) => Number(x < y));

/** Equality; scaled bases of different places are statically unequal. */
export function equal(a: Term, b: Term): Int {
  if (isTuple(a) || isTuple(b)) {
    if (!isTuple(a) || !isTuple(b) || a.items.length !== b.items.length) return zero;
    return a.items.map((x, i) => equal(x, b.items[i]!)).reduce(and, lit(1));
  }
  if (a.kind === "basis" || b.kind === "basis") {
    if (a.kind !== "basis" || b.kind !== "basis") return zero;
    if (a.modes.length !== b.modes.length || a.modes.some((m, i) => m !== b.modes[i])) return zero;
    return equal(a.value, b.value);
  }
  return both(a, b, "compare", (x, y) => Number(x === y));
}

/** `&&`: a static false decides alone. */
export function and(a: Int, b: Int): Int {
  if ((a.isStatic && !a.value) || (b.isStatic && !b.value)) return zero;
  return int(Number(a.value !== 0 && b.value !== 0), a.isStatic && b.isStatic);
}

/** `(a + b - 1) / b`, and the same in place for a scaled basis. */
export function ceilDivInt(a: Term, b: Term): Term {
  if (a.kind === "basis" && a.modes.length > 0) return scale(a, ceilDivInt(a.value, b));
  return div(sub(add(a, b), lit(1)), b);
}

/** `t / u` where it must divide (checked when both are static). */
export function safeDiv(a: Term, b: Term): Term {
  if (a.kind === "basis") return scale(a, safeDiv(a.value, b));
  const x = asInt(a);
  const y = asInt(b);
  if (x?.isStatic && y?.isStatic && y.value !== 0 && x.value % y.value !== 0) throw new CuteError(`${y.value} does not divide ${x.value}`);
  return both(a, b, "divide", (p, q) => Math.trunc(p / nonZero(q)));
}

/** `cond ? a : b` where an unknown condition makes the result dynamic unless both are the same static integer. */
export function choose(cond: Int, a: Term, b: Term): Term {
  const picked = cond.value ? a : b;
  if (cond.isStatic) return picked;
  const x = asInt(a);
  const y = asInt(b);
  if (x?.isStatic && y?.isStatic && x.value === y.value) return x;
  return dyn(asInt(picked)!.value);
}

/** A scaled basis or nested coordinate as a tuple of integers: `_3@1` is `(_0,_3)`. */
export function asCoordinate(t: Term): Term {
  if (isTuple(t)) return tuple(...t.items.map(asCoordinate));
  if (t.kind !== "basis") return t;
  const [first, ...rest] = t.modes;
  if (first === undefined) return t.value;
  const inner = asCoordinate({ kind: "basis", value: t.value, modes: rest });
  return tuple(...Array.from({ length: first }, () => zero), inner);
}

const isCoordinate = (t: Term): boolean => isTuple(t) || (t.kind === "basis" && t.modes.length > 0);

function zipLonger(a: Term, b: Term, f: (x: Term, y: Term) => Term): Term {
  if (!isTuple(a) || !isTuple(b)) throw new CuteError(`cannot combine ${describe(a)} and ${describe(b)}`);
  const length = Math.max(a.items.length, b.items.length);
  return tuple(...Array.from({ length }, (_, i) => f(a.items[i] ?? zero, b.items[i] ?? zero)));
}

function scale(basis: ScaledBasis, value: Term): ScaledBasis {
  const v = asInt(value);
  if (!v) throw new CuteError(`cannot scale a basis by ${describe(value)}`);
  return { kind: "basis", value: v, modes: basis.modes };
}

function nonZero(n: number): number {
  if (n === 0) throw new CuteError("division by zero");
  return n;
}
