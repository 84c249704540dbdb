/**
 * Arithmetic on the bits of floats, with the results that APFloat gives. A double computes sums, products and quotients
 * of all kinds up to f32 with enough bits to spare that rounding its result again is rounding once; NaNs keep their payload.
 * Source: llvm/lib/Support/APFloat.cpp.
 */
import { FLOAT_FORMATS, type FloatFormat, type FloatKind } from "./builtin-types.js";
import { decode, encode, isInfBits, isNanBits } from "./float.js";

/** Whether a double holds every value of the kind, so that the functions here apply to it. */
export const fitsDouble = (kind: FloatKind): boolean => FLOAT_FORMATS[kind].width <= 64;

const hasSign = (format: FloatFormat): boolean => format.mantissa > 0;
const signMask = (format: FloatFormat): bigint => 1n << BigInt(format.width - 1);
const quietMask = (format: FloatFormat): bigint => 1n << BigInt(format.mantissa - 1);
export const isNan = (bits: bigint, kind: FloatKind): boolean => isNanBits(bits, FLOAT_FORMATS[kind]);
/** A quiet NaN. */
export const nan = (kind: FloatKind): bigint => encode(Number.NaN, kind);
export const isNegative = (bits: bigint, kind: FloatKind): boolean => {
  const format = FLOAT_FORMATS[kind];
  return hasSign(format) && (bits & signMask(format)) !== 0n;
};
export const isZero = (bits: bigint, kind: FloatKind): boolean => decode(bits, kind) === 0;

function quiet(bits: bigint, format: FloatFormat): bigint {
  return format.special === "ieee" ? bits | quietMask(format) : bits;
}

function isSignalling(bits: bigint, format: FloatFormat): boolean {
  return format.special === "ieee" && isNanBits(bits, format) && (bits & quietMask(format)) === 0n;
}

/** The result of a binary operation that a double computes exactly enough: a NaN operand goes through. */
function compute(a: bigint, b: bigint, kind: FloatKind, result: number): bigint {
  const format = FLOAT_FORMATS[kind];
  if (isNanBits(a, format)) return quiet(a, format);
  if (isNanBits(b, format)) return quiet(b, format);
  return encode(result, kind);
}
export const add = (a: bigint, b: bigint, kind: FloatKind): bigint => compute(a, b, kind, decode(a, kind) + decode(b, kind));
export const subtract = (a: bigint, b: bigint, kind: FloatKind): bigint => compute(a, b, kind, decode(a, kind) - decode(b, kind));
export const multiply = (a: bigint, b: bigint, kind: FloatKind): bigint => compute(a, b, kind, decode(a, kind) * decode(b, kind));
export const divide = (a: bigint, b: bigint, kind: FloatKind): bigint => compute(a, b, kind, decode(a, kind) / decode(b, kind));
/** The remainder with the sign of `a` (C's fmod). */
export const remainder = (a: bigint, b: bigint, kind: FloatKind): bigint => compute(a, b, kind, decode(a, kind) % decode(b, kind));

export function negate(bits: bigint, kind: FloatKind): bigint {
  const format = FLOAT_FORMATS[kind];
  if (!hasSign(format)) return bits;
  // Where NaN is encoded as -0, neither zero nor NaN has a sign to change.
  if (format.special === "negZero" && (bits & (signMask(format) - 1n)) === 0n) return bits;
  return bits ^ signMask(format);
}
export const absolute = (bits: bigint, kind: FloatKind): bigint => (isNegative(bits, kind) ? negate(bits, kind) : bits);
/** The magnitude of `a` with the sign of `b`. */
export const copySign = (a: bigint, b: bigint, kind: FloatKind): bigint =>
  isNegative(a, kind) === isNegative(b, kind) ? a : negate(a, kind);

/** The larger one; +0 is above -0, and a NaN wins (llvm::maximum). */
export function maximum(a: bigint, b: bigint, kind: FloatKind): bigint {
  const format = FLOAT_FORMATS[kind];
  if (isNanBits(a, format)) return quiet(a, format);
  if (isNanBits(b, format)) return quiet(b, format);
  return larger(a, b, kind);
}
export function minimum(a: bigint, b: bigint, kind: FloatKind): bigint {
  const format = FLOAT_FORMATS[kind];
  if (isNanBits(a, format)) return quiet(a, format);
  if (isNanBits(b, format)) return quiet(b, format);
  return smaller(a, b, kind);
}
/** The larger one; a quiet NaN gives way to a number (llvm::maxnum). */
export function maxnum(a: bigint, b: bigint, kind: FloatKind): bigint {
  const format = FLOAT_FORMATS[kind];
  if (isSignalling(a, format)) return quiet(a, format);
  if (isSignalling(b, format)) return quiet(b, format);
  if (isNanBits(a, format)) return b;
  return isNanBits(b, format) ? a : larger(a, b, kind);
}
export function minnum(a: bigint, b: bigint, kind: FloatKind): bigint {
  const format = FLOAT_FORMATS[kind];
  if (isSignalling(a, format)) return quiet(a, format);
  if (isSignalling(b, format)) return quiet(b, format);
  if (isNanBits(a, format)) return b;
  return isNanBits(b, format) ? a : smaller(a, b, kind);
}
function larger(a: bigint, b: bigint, kind: FloatKind): bigint {
  const x = decode(a, kind);
  const y = decode(b, kind);
  if (x === 0 && y === 0) return isNegative(a, kind) ? b : a;
  return x < y ? b : a;
}
function smaller(a: bigint, b: bigint, kind: FloatKind): bigint {
  const x = decode(a, kind);
  const y = decode(b, kind);
  if (x === 0 && y === 0) return isNegative(a, kind) ? a : b;
  return y < x ? b : a;
}

/** The same value in another kind; undefined unless it can be represented there without loss. */
export function convertExactly(bits: bigint, from: FloatKind, to: FloatKind): bigint | undefined {
  const source = FLOAT_FORMATS[from];
  const target = FLOAT_FORMATS[to];
  if (isNanBits(bits, source)) return convertNaN(bits, source, target, to);
  if (isInfBits(bits, source)) return target.special === "ieee" ? encode(decode(bits, from), to) : undefined;
  const value = decode(bits, from);
  const converted = encode(value, to);
  return Object.is(decode(converted, to), value) ? converted : undefined;
}
function convertNaN(bits: bigint, source: FloatFormat, target: FloatFormat, to: FloatKind): bigint | undefined {
  if (target.special === "none") return undefined;
  const sign = hasSign(source) && (bits & signMask(source)) !== 0n;
  const plain = encode(Number.NaN, to);
  const signed = (nan: bigint) => (sign && target.special !== "negZero" && hasSign(target) ? nan | signMask(target) : nan);
  if (target.special === "allOnes") return source.special === "allOnes" ? signed(plain) : undefined;
  if (target.special === "negZero") return source.special === "negZero" ? plain : undefined;
  if (source.special === "negZero") return plain;
  const payload = bits & ((1n << BigInt(source.mantissa)) - 1n);
  if ((payload & quietMask(source)) === 0n) return undefined; // signalling: an invalid operation
  const shift = BigInt(target.mantissa - source.mantissa);
  const moved = shift >= 0n ? payload << shift : payload >> -shift;
  if (shift < 0n && moved << -shift !== payload) return undefined;
  const exponent = ((1n << BigInt(target.exponent)) - 1n) << BigInt(target.mantissa);
  return signed(exponent | moved);
}

/** An integer rounded to the kind, to nearest, ties to even. */
export function fromInteger(value: bigint, kind: FloatKind): bigint {
  const negative = value < 0n;
  const magnitude = negative ? -value : value;
  const excess = magnitude.toString(2).length - 50;
  if (kind === "f64" || excess <= 0) return encode(Number(value), kind);
  // Round only once: keep 50 bits and, as the lowest, whether any bit below them is set.
  const shift = BigInt(excess);
  const kept = magnitude >> shift;
  const sticky = kept << shift === magnitude ? kept : kept | 1n;
  const scaled = Number(sticky) * 2 ** excess;
  return encode(negative ? -scaled : scaled, kind);
}
/** The integer that remains when the fraction is cut off; undefined when `width` bits cannot hold it. */
export function toInteger(bits: bigint, kind: FloatKind, width: number, signed: boolean): bigint | undefined {
  const value = decode(bits, kind);
  if (!Number.isFinite(value)) return undefined;
  const integer = BigInt(Math.trunc(value));
  const low = signed ? -(1n << BigInt(width - 1)) : 0n;
  const high = (1n << BigInt(signed ? width - 1 : width)) - 1n;
  return low <= integer && integer <= high ? integer : undefined;
}

export type RoundToIntegral = "up" | "down" | "zero" | "nearestEven" | "nearestAway";
/** The integral value next to a float in that direction; keeps the sign of zero. */
export function roundToIntegral(bits: bigint, kind: FloatKind, mode: RoundToIntegral): bigint {
  const format = FLOAT_FORMATS[kind];
  if (isNanBits(bits, format)) return quiet(bits, format);
  const value = decode(bits, kind);
  if (!Number.isFinite(value)) return bits;
  const magnitude = Math.abs(value);
  const floor = Math.floor(magnitude);
  const half = magnitude - floor - 0.5;
  const negative = isNegative(bits, kind);
  const up =
    magnitude > floor &&
    (mode === "up"
      ? !negative
      : mode === "down"
        ? negative
        : mode !== "zero" && (half > 0 || (half === 0 && (mode === "nearestAway" || floor % 2 === 1))));
  const rounded = up ? floor + 1 : floor;
  return encode(negative ? -rounded : rounded, kind);
}
