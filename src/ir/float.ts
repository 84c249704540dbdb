/**
 * Conversion between numbers and the bits of every float kind. A double holds all values of the kinds
 * up to f64 exactly; rounding is to nearest, ties to even, as APFloat does by default.
 */
import { Bug } from "../support/assert.js";
import type { Type } from "./attribute.js";
import { FLOAT_FORMATS, type FloatFormat, type FloatKind, FloatType } from "./builtin-types.js";

const view = new DataView(new ArrayBuffer(8));

export function formatOf(type: Type): FloatFormat {
  if (!FloatType.is(type)) throw new Bug(`${type.def.name} is not a float type`);
  return FLOAT_FORMATS[type.params.kind];
}

/** The bits of `value` in the float kind of `type`. */
export function numberToBits(value: number, type: Type): bigint {
  if (!FloatType.is(type)) throw new Bug(`${type.def.name} is not a float type`);
  return encode(value, type.params.kind);
}

/** The number that `bits` encode in the float kind of `type`. */
export function bitsToNumber(bits: bigint, type: Type): number {
  if (!FloatType.is(type)) throw new Bug(`${type.def.name} is not a float type`);
  return decode(bits, type.params.kind);
}

/** The bits of a number, rounded to the kind (nearest, ties to even). */
export function encode(value: number, kind: FloatKind): bigint {
  if (kind === "f64") {
    if (Number.isNaN(value)) return 0x7ff8000000000000n; // the machine's own may have the sign set
    view.setFloat64(0, value);
    return view.getBigUint64(0);
  }
  if (kind === "f32") {
    view.setFloat32(0, value);
    return BigInt(Number.isNaN(value) ? 0x7fc00000 : view.getUint32(0));
  }
  return encodeSmall(value, FLOAT_FORMATS[kind]);
}

/** The number of bits; exact. */
export function decode(bits: bigint, kind: FloatKind): number {
  if (kind === "f64") {
    view.setBigUint64(0, bits);
    return view.getFloat64(0);
  }
  if (kind === "f32") {
    view.setUint32(0, Number(bits));
    return view.getFloat32(0);
  }
  return decodeSmall(bits, FLOAT_FORMATS[kind]);
}

function signBit(format: FloatFormat): bigint {
  return 1n << BigInt(format.width - 1);
}

/** The encoding of NaN: quiet and positive where the format has a choice. */
export function nanBits(format: FloatFormat): bigint {
  const exponentOnes = (1n << BigInt(format.exponent)) - 1n;
  switch (format.special) {
    case "ieee":
      return (exponentOnes << BigInt(format.mantissa)) | (1n << BigInt(format.mantissa - 1));
    case "allOnes":
      return (1n << BigInt(format.exponent + format.mantissa)) - 1n;
    case "negZero":
      return signBit(format);
    case "none":
      return 0n;
  }
}

export function isNanBits(bits: bigint, format: FloatFormat): boolean {
  const magnitude = bits & (signBit(format) - 1n);
  switch (format.special) {
    case "ieee":
      return magnitude > ((1n << BigInt(format.exponent)) - 1n) << BigInt(format.mantissa);
    case "allOnes":
      return (format.mantissa === 0 ? bits : magnitude) === nanBits(format);
    case "negZero":
      return bits === signBit(format);
    case "none":
      return false;
  }
}

export function isInfBits(bits: bigint, format: FloatFormat): boolean {
  const magnitude = bits & (signBit(format) - 1n);
  return format.special === "ieee" && magnitude === ((1n << BigInt(format.exponent)) - 1n) << BigInt(format.mantissa);
}

/** The largest finite value's bits without sign. */
function largestBits(format: FloatFormat): bigint {
  const all = (1n << BigInt(format.exponent + format.mantissa)) - 1n;
  if (format.special === "ieee") return (((1n << BigInt(format.exponent)) - 1n) << BigInt(format.mantissa)) - 1n;
  if (format.special === "allOnes") return all - 1n;
  return all;
}

function encodeSmall(value: number, format: FloatFormat): bigint {
  if (Number.isNaN(value)) return nanBits(format);
  const unsignedKind = format.mantissa === 0;
  const negative = value < 0 || Object.is(value, -0);
  const sign = negative && !unsignedKind ? signBit(format) : 0n;
  const magnitude = Math.abs(value);
  if (magnitude === 0) return format.special === "negZero" ? 0n : sign;
  const overflow = format.special === "ieee" ? largestBits(format) + 1n : format.special === "none" ? largestBits(format) : nanBits(format);
  const signed = (bits: bigint) => (format.special === "negZero" && bits === signBit(format) ? bits : sign | bits);
  if (magnitude === Infinity) return signed(overflow);

  let exponent = Math.max(exponentOf(magnitude), 1 - format.bias);
  const scaled = scaleByPowerOf2(magnitude, format.mantissa - exponent); // in units of the last place; exact
  let mantissa = roundHalfEven(scaled);
  if (mantissa >= 2 ** (format.mantissa + 1)) {
    mantissa /= 2;
    exponent += 1;
  }
  const normal = mantissa >= 2 ** format.mantissa;
  const biased = normal || unsignedKind ? exponent + format.bias : 0;
  const fraction = normal ? mantissa - 2 ** format.mantissa : mantissa;
  const bits = (BigInt(biased) << BigInt(format.mantissa)) + BigInt(fraction);
  if (bits > largestBits(format)) return signed(overflow);
  if (bits === 0n && format.special === "negZero") return 0n;
  return sign | bits;
}

function decodeSmall(bits: bigint, format: FloatFormat): number {
  if (isNanBits(bits, format)) return Number.NaN;
  const negative = format.mantissa > 0 && (bits & signBit(format)) !== 0n;
  if (isInfBits(bits, format)) return negative ? -Infinity : Infinity;
  const biased = Number((bits >> BigInt(format.mantissa)) & ((1n << BigInt(format.exponent)) - 1n));
  const fraction = Number(bits & ((1n << BigInt(format.mantissa)) - 1n));
  const subnormal = biased === 0 && format.mantissa > 0;
  const significand = subnormal ? fraction : fraction + 2 ** format.mantissa;
  const exponent = (subnormal ? 1 : biased) - format.bias - format.mantissa;
  const magnitude = scaleByPowerOf2(significand, exponent);
  return negative ? -magnitude : magnitude;
}

/** floor(log2(x)) of a positive finite double. */
function exponentOf(x: number): number {
  view.setFloat64(0, x);
  const biased = (view.getUint16(0) >> 4) & 0x7ff;
  if (biased > 0) return biased - 1023;
  return exponentOf(x * 2 ** 60) - 60;
}

function scaleByPowerOf2(x: number, power: number): number {
  while (power > 1000) {
    x *= 2 ** 1000;
    power -= 1000;
  }
  while (power < -1000) {
    x *= 2 ** -1000;
    power += 1000;
  }
  return x * 2 ** power;
}

function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest < 0.5) return floor;
  if (rest > 0.5) return floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}
