/**
 * The functions that libm has and Math lacks, and how upstream's folders call libm: on f32 and f64 only, with the sign
 * bit set in the NaN of a domain error, as on x86 (but for asin and acos). Source: mlir/lib/Dialect/Math/IR/MathOps.cpp.
 */
import type { FloatKind } from "../../ir/builtin-types.js";
import { decode, encode } from "../../ir/float.js";
import { isNan, negate } from "../../ir/float-arithmetic.js";

type Unary = (x: number) => number;

/** `f` on the bits of an f32 or f64; undefined for other kinds. `errorIsNegative`: the NaN of a domain error is. */
export function libm(f: Unary, errorIsNegative = true): (bits: bigint, kind: FloatKind) => bigint | undefined {
  return (bits, kind) => {
    if (kind !== "f32" && kind !== "f64") return undefined;
    if (isNan(bits, kind)) return quietNan(bits, kind);
    const result = encode(f(decode(bits, kind)), kind);
    return errorIsNegative ? domainErrorIsNegative(result, kind) : result;
  };
}
/** Folds a function of two numbers as `libm` folds those of one. */
export function libm2(f: (x: number, y: number) => number): (a: bigint, b: bigint, kind: FloatKind) => bigint | undefined {
  return (a, b, kind) => {
    if (kind !== "f32" && kind !== "f64") return undefined;
    const result = f(decode(a, kind), decode(b, kind));
    if (!Number.isNaN(result)) return encode(result, kind);
    if (isNan(a, kind)) return quietNan(a, kind);
    return isNan(b, kind) ? quietNan(b, kind) : domainErrorIsNegative(encode(result, kind), kind);
  };
}
function quietNan(bits: bigint, kind: "f32" | "f64"): bigint {
  return bits | (1n << (kind === "f32" ? 22n : 51n));
}
function domainErrorIsNegative(bits: bigint, kind: FloatKind): bigint {
  return isNan(bits, kind) ? negate(bits, kind) : bits;
}

/** C's pow: 1 to any power, and any base to the power 0, is 1. Math.pow differs for NaN, and for 1 and -1 to an infinite power. */
export function pow(x: number, y: number): number {
  if (x === 1 || y === 0) return 1;
  if (x === -1 && Math.abs(y) === Infinity) return 1;
  return x ** y;
}
export const exp2: Unary = (x) => 2 ** x;
/** Rounds to the nearest integer, ties away from zero. */
export const round: Unary = (x) => (Math.abs(x) >= 2 ** 52 ? x : Math.trunc(x) === x ? x : roundFraction(x));
function roundFraction(x: number): number {
  const magnitude = Math.floor(Math.abs(x));
  const rounded = Math.abs(x) - magnitude >= 0.5 ? magnitude + 1 : magnitude;
  return x < 0 ? -rounded : rounded;
}

// --- the error function, in integers of `bits` fractional bits ---------------------------------

/** The fraction bits that leave 80 good ones after the cancellation in the series for erf(x), or erfc(x). */
function precisionFor(x: number): number {
  return 160 + Math.ceil(4.4 * x * x);
}
/** 2/sqrt(pi) * sum of (-1)^n x^(2n+1) / (n! (2n+1)), for |x| up to 28. */
function erfFixed(x: number, bits: number): bigint {
  const fixed = toFixed(x, bits);
  const square = (fixed * fixed) >> BigInt(bits);
  let power = fixed; // x^(2n+1) / n!
  let sum = 0n;
  for (let n = 0; power !== 0n && power !== -1n; n++) {
    const term = power / BigInt(2 * n + 1);
    sum += n % 2 === 0 ? term : -term;
    power = ((power * square) >> BigInt(bits)) / BigInt(n + 1);
  }
  return (sum * 2n * (1n << BigInt(bits))) / sqrtOfPi(bits);
}
function toFixed(x: number, bits: number): bigint {
  // A double has 53 bits: 2^1074 makes an integer of any.
  let scaled = x;
  let shift = bits;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    shift--;
  }
  return shift >= 0 ? BigInt(scaled) << BigInt(shift) : BigInt(scaled) >> BigInt(-shift);
}
function fromFixed(value: bigint, bits: number): number {
  const negative = value < 0n;
  let magnitude = negative ? -value : value;
  // Number() rounds once, to nearest; the division by powers of two that follows is exact for normal results.
  const excess = Math.max(0, magnitude.toString(2).length - 60);
  const kept = magnitude >> BigInt(excess);
  magnitude = kept << BigInt(excess) === magnitude ? kept : kept | 1n;
  const number = Number(magnitude) * 2 ** -Math.min(bits - excess, 1000) * 2 ** -Math.max(bits - excess - 1000, 0);
  return negative ? -number : number;
}
function sqrtOfPi(bits: number): bigint {
  return integerSqrt(pi(bits) << BigInt(bits));
}
/** Machin's formula: pi = 16 atan(1/5) - 4 atan(1/239). */
function pi(bits: number): bigint {
  const guard = 16;
  const one = 1n << BigInt(bits + guard);
  const atanOfInverse = (n: bigint) => {
    let power = one / n;
    let sum = power;
    for (let k = 3n, sign = -1n; power !== 0n; k += 2n, sign = -sign) {
      power /= n * n;
      sum += (sign * power) / k;
    }
    return sum;
  };
  return (16n * atanOfInverse(5n) - 4n * atanOfInverse(239n)) >> BigInt(guard);
}
function integerSqrt(value: bigint): bigint {
  let x = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (x + value / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}

export function erf(x: number): number {
  if (x === 0 || Number.isNaN(x)) return x;
  if (Math.abs(x) > 6) return Math.sign(x);
  // Near zero the series is its first term; the fraction bits must reach below it.
  if (Math.abs(x) < 2 ** -60) return x * (2 / Math.sqrt(Math.PI));
  const bits = precisionFor(x) + 2 * Math.ceil(Math.max(0, -Math.log2(Math.abs(x))));
  return fromFixed(erfFixed(x, bits), bits);
}
export function erfc(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > 28) return 0;
  if (x < -7) return 2;
  if (Math.abs(x) < 2 ** -60) return 1;
  const bits = precisionFor(x) + 2 * Math.ceil(Math.max(0, -Math.log2(Math.abs(x))));
  return fromFixed((1n << BigInt(bits)) - erfFixed(x, bits), bits);
}
