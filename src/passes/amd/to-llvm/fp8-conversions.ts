/**
 * Conversions between floats of 8 bits and wider ones: by instructions, which CDNA3 has for the formats without infinities (FNUZ) and
 * CDNA4 for those of OCP, else by integer arithmetic. Results are rounded to the nearest and saturate.
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/ElementwiseOpToLLVM.cpp, FpToFpOpConversion.
 */
import * as ll from "../../../dialects/llvm/ops/index.js";
import { CONVERSIONS, CvtPkRtzOp } from "../../../dialects/rocdl/ops/conversions.js";
import type { AmdFamily } from "../../../gpu/amd.js";
import { floatAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, type FloatKind, f16, f32, floatType, i1, i8, i16, i32, i64, intType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { type LLBuilder, vecType } from "../../ttg-to-llvm/ll-builder.js";
import type { Lowering } from "./amd-lowering.js";

type Wide = "f32" | "f16" | "bf16";
/** The formats of 8 bits: bits of exponent and mantissa, the exponent's bias, and whether a negative zero is the one NaN. */
interface Narrow {
  readonly exponent: number;
  readonly mantissa: number;
  readonly bias: number;
  readonly unsignedZero: boolean;
  readonly largest: number;
  /** As the instructions call them. */
  readonly name: "fp8" | "bf8";
}
const NARROW: Partial<Record<FloatKind, Narrow>> = {
  f8E4M3FN: { exponent: 4, mantissa: 3, bias: 7, unsignedZero: false, largest: 448, name: "fp8" },
  f8E5M2: { exponent: 5, mantissa: 2, bias: 15, unsignedZero: false, largest: 57344, name: "bf8" },
  f8E4M3FNUZ: { exponent: 4, mantissa: 3, bias: 8, unsignedZero: true, largest: 240, name: "fp8" },
  f8E5M2FNUZ: { exponent: 5, mantissa: 2, bias: 16, unsignedZero: true, largest: 57344, name: "bf8" },
};
const MANTISSA: Readonly<Record<Wide, number>> = { f32: 23, f16: 10, bf16: 7 };
const EXPONENT: Readonly<Record<Wide, number>> = { f32: 8, f16: 5, bf16: 8 };

/** Some values at once, as many as `count`. */
export interface Conversion {
  readonly count: number;
  readonly convert: (lo: Lowering, values: readonly Value[]) => readonly Value[];
}

// --- by instructions ------------------------------------------------------------------------------

/** Four bytes as a word. */
function wordOf({ b, ctx }: Lowering, bytes: readonly Value[]): Value {
  return b.bitcast(b.packVector(bytes), i32(ctx));
}
/** The bytes of a word or of a pair of halves. */
const bytesOf = ({ b, ctx }: Lowering, word: Value): Value[] => b.unpackVector(b.bitcast(word, vecType(i8(ctx), 4)));

/** Four bytes times a scale (f32). */
export function widenScaled(lo: Lowering, name: string, wide: Wide, bytes: readonly Value[], scale: () => Value): Value[] {
  const { b, ctx } = lo;
  const src = wordOf(lo, bytes);
  const by = scale();
  const type = vecType(floatType(ctx, wide), 2);
  const op = CONVERSIONS[`cvt.scalef32.pk.${wide}.${name}`]!;
  const pairs =
    name === "fp4"
      ? [0, 1, 2, 3].map((srcSelIndex) => b.value(op, { src, scale: by, srcSelIndex }, type))
      : [false, true].map((srcLoHiSel) => b.value(op, { src, scale: by, srcLoHiSel }, type));
  return pairs.flatMap((pair) => b.unpackVector(pair));
}
function narrowScaled(lo: Lowering, name: string, wide: Wide, values: readonly Value[]): Value[] {
  const { b, ctx } = lo;
  const type = vecType(i16(ctx), 2);
  let oldVdst = b.undef(type);
  const scale = b.f32(1);
  const op = CONVERSIONS[`cvt.scalef32.pk.${name}.${wide}`]!;
  let pair = wide === "f32" ? undefined : b.undef(vecType(values[0]!.type, 2));
  for (const dstLoHiSel of [false, true]) {
    const [x, y] = values.slice(dstLoHiSel ? 2 : 0) as [Value, Value];
    if (pair) pair = b.insertElement(b.insertElement(pair, x, b.i32(0)), y, b.i32(1));
    const sources = pair ? { src0: pair } : { src0: x, src1: y };
    oldVdst = b.value(op, { oldVdst, ...sources, scale, dstLoHiSel }, type);
  }
  return bytesOf(lo, oldVdst);
}
function widenToF32(lo: Lowering, name: string, bytes: readonly Value[]): Value[] {
  const { b, ctx } = lo;
  const src = wordOf(lo, bytes);
  const op = CONVERSIONS[`cvt.pk.f32.${name}`]!;
  const pairs = [false, true].map((wordSel) => b.value(op, { src, wordSel }, i64(ctx)));
  return pairs.flatMap((pair) => b.unpackVector(b.bitcast(pair, vecType(f32(ctx), 2))));
}
function narrowFromF32(lo: Lowering, name: string, values: readonly Value[]): Value[] {
  const { b, ctx } = lo;
  const op = CONVERSIONS[`cvt.pk.${name}.f32`]!;
  let old = b.undef(i32(ctx));
  for (const wordSel of [false, true]) {
    const [srcA, srcB] = values.slice(wordSel ? 2 : 0);
    old = b.value(op, { srcA, srcB, old, wordSel }, i32(ctx));
  }
  return bytesOf(lo, old);
}
/** Two f32 to f16, rounded towards zero. */
function f32ToF16Rtz({ b, ctx }: Lowering, [srcA, srcB]: readonly Value[]): Value[] {
  return b.unpackVector(b.value(CvtPkRtzOp, { srcA, srcB }, vecType(f16(ctx), 2)));
}

// --- by arithmetic --------------------------------------------------------------------------------

/** bf16 is the upper half of f32. */
export function bf16ToF32(b: LLBuilder, value: Value): Value {
  const word = b.zext(b.bitcast(value, i16(b.ctx)), i32(b.ctx));
  return b.bitcast(b.shl(word, b.i32(16)), f32(b.ctx));
}
/** The upper half of a word, which may be that of an f32. */
export const f32ToBf16Rtz = (b: LLBuilder, word: Value): Value =>
  b.bitcast(b.trunc(b.lshr(word, b.i32(16)), i16(b.ctx)), floatType(b.ctx, "bf16"));
const isNaN = (b: LLBuilder, value: Value): Value => b.intrinsic("llvm.is.fpclass", i1(b.ctx), [value, b.i32(3)])!;

/** Rounds the bits of a float as an integer to those of the narrow format, ties to even. */
function narrowByBits(lo: Lowering, wide: Wide, to: Narrow, value: Value): Value {
  const { b, ctx } = lo;
  const width = bitWidth(value.type)!;
  const type = intType(ctx, width);
  const n = (x: number): Value => b.int(type, x);
  const bits = (x: number): number => Number(floatAttr(value.type, x).params.bits);
  const dropped = MANTISSA[wide] - to.mantissa;
  let nan = isNaN(b, value);

  const whole = b.bitcast(value, type);
  const signBit = 2 ** (width - 1);
  const sign = b.trunc(b.lshr(b.and(whole, n(signBit)), n(width - 8)), i8(ctx));
  const magnitude = b.and(whole, n(signBit - 1));

  const odd = b.lshr(b.and(magnitude, n(2 ** dropped)), n(dropped));
  const rounded = b.add(magnitude, b.add(odd, n(2 ** (dropped - 1) - 1)));
  const kept = b.and(rounded, n((2 ** (2 + EXPONENT[wide] + to.mantissa) - 1) * 2 ** dropped));
  // Subnormal numbers are rounded below, from the smallest normal one.
  const normal = b.op(ll.UMaxOp, [kept, n(bits(2 ** (1 - to.bias)))], type);
  const bias = 2 ** (EXPONENT[wide] - 1) - 1;
  const rebiased = b.sub(normal, n((bias - to.bias) * 2 ** MANTISSA[wide]));
  let byte = b.trunc(b.lshr(rebiased, n(dropped)), i8(ctx));

  // The most that still rounds to the largest number; without infinities, upstream takes the number itself.
  let most = bits(to.largest);
  if (!to.unsignedZero) most |= { f32: 0x7ffff, f16: 0x7f, bf16: 0x7 }[wide];
  else {
    const full = n((2 ** EXPONENT[wide] - 1) * 2 ** MANTISSA[wide]);
    nan = b.icmp("eq", b.and(magnitude, full), full);
  }
  const largest = to.unsignedZero ? 0x7f : 0x7e;
  byte = b.select(b.icmp("ugt", magnitude, n(most)), b.i8(largest), byte);
  // Below the smallest normal number, by the points half way between two subnormal ones.
  for (let i = 2 ** to.mantissa - 1; i >= 0; i--) {
    const halfway = n(bits((2 * i + 1) * 2 ** (-to.bias - to.mantissa)));
    byte = b.select(b.icmp(i % 2 === 0 ? "ule" : "ult", magnitude, halfway), b.i8(i), byte);
  }
  byte = b.select(nan, b.i8(to.unsignedZero ? 0x80 : 0x7f), byte);
  byte = b.or(byte, sign);
  if (!to.unsignedZero) return byte;
  const isNegativeZero = b.and(b.icmp("eq", byte, b.i8(0x80)), b.icmp("eq", nan, b.i1(false)));
  return b.select(isNegativeZero, b.i8(0), byte);
}

/** f16 to e5m2, which is its upper byte. */
function f16ToE5M2({ b, ctx }: Lowering, value: Value): Value {
  const bits = b.bitcast(value, i16(ctx));
  const sign = b.and(bits, b.i16(0x8000));
  const exponent = b.and(b.lshr(bits, b.i16(10)), b.i16(0x1f));
  const mantissa = b.and(bits, b.i16(0x03ff));
  const magnitude = b.and(bits, b.i16(0x7fff));
  const bias = b.add(b.lshr(b.and(magnitude, b.i16(0x0100)), b.i16(8)), b.i16(0x007f));
  const rounded = b.add(magnitude, bias);
  const saturated = b.select(b.icmp("uge", magnitude, b.i16(0x7b80)), b.i16(0x7b00), rounded);
  const isNaN = b.and(b.icmp("eq", exponent, b.i16(0x1f)), b.icmp("ne", mantissa, b.i16(0)));
  const signed = b.or(sign, b.select(isNaN, b.i16(0x7e00), saturated));
  return b.trunc(b.lshr(signed, b.i16(8)), i8(ctx));
}
/** f32 or bf16 to e5m2: the exponent of 8 bits becomes one of 5, subnormal numbers case by case. */
function toE5M2({ b, ctx }: Lowering, wide: "f32" | "bf16", value: Value): Value {
  const width = wide === "f32" ? 32 : 16;
  const mantissaBits = MANTISSA[wide];
  const type = intType(ctx, width);
  const n = (x: number): Value => b.int(type, x);
  /** A quarter of the last place that is kept of bf16, with as many bits as the mantissa has. */
  const part = (x: number): number => x * 2 ** (mantissaBits - 2);
  const bits = b.bitcast(value, type);
  const sign = b.and(bits, n(2 ** (width - 1)));
  const exponent = b.and(b.lshr(bits, n(mantissaBits)), n(0xff));
  let mantissa = b.and(bits, n(2 ** mantissaBits - 1));
  const exponent5 = b.select(b.icmp("ult", exponent, n(0x71)), n(0), b.sub(exponent, n(0x70)));

  mantissa = b.select(b.icmp("ult", exponent, n(0x6e)), n(0), mantissa);
  mantissa = b.select(b.icmp("eq", exponent, n(0x6e)), b.select(b.icmp("ne", mantissa, n(0)), n(part(1)), n(0)), mantissa);
  mantissa = b.select(b.icmp("eq", exponent, n(0x6f)), b.select(b.icmp("uge", mantissa, n(part(2))), n(part(2)), n(part(1))), mantissa);
  const isLast = b.icmp("eq", exponent, n(0x70));
  const more = b.icmp("ugt", mantissa, n(part(1)));
  const upper = b.select(b.icmp("uge", mantissa, n(part(3))), n(part(4)), n(part(3)));
  mantissa = b.select(isLast, b.select(more, upper, n(part(2))), mantissa);

  const magnitude = b.or(b.shl(exponent5, n(mantissaBits)), mantissa);
  const bias = b.add(b.lshr(b.and(magnitude, n(part(1))), n(mantissaBits - 2)), n(part(1) / 2 - 1));
  let result = b.add(magnitude, bias);
  const isLarge = b.or(b.icmp("ugt", exponent, n(0x8e)), b.icmp("uge", magnitude, n(0x1e * part(4) + part(3) + part(1) / 2)));
  result = b.select(isLarge, n(0x1e * part(4) + part(4) - 1), result);
  const isNaN = b.and(b.icmp("eq", exponent, n(0xff)), b.icmp("ne", mantissa, n(0)));
  result = b.select(isNaN, n(0x1f * part(4) + part(2)), result);
  result = b.or(b.lshr(sign, n(3)), result);
  return b.trunc(b.lshr(result, n(mantissaBits - 2)), i8(ctx));
}
/** The upper bytes of f16: rounded towards zero. */
function f16ToE5M2Rtz({ b, ctx }: Lowering, values: readonly Value[]): Value[] {
  const pairs = [values.slice(0, 2), values.slice(2)].map((pair) => b.packVector(pair));
  const bytes = pairs.map((pair) => b.bitcast(b.bitcast(pair, i32(ctx)), vecType(i8(ctx), 4)));
  return bytes.flatMap((four) => [1, 3].map((i) => b.extractElement(four, b.i32(i))));
}

/** A byte as the upper one of 16 bits. */
const upperByte = ({ b, ctx }: Lowering, byte: Value): Value => b.bitcast(b.packVector([b.i8(0), byte]), i16(ctx));
/** Two bytes as the upper ones of the halves of a word. */
const upperBytes = ({ b, ctx }: Lowering, bytes: readonly Value[]): Value =>
  b.bitcast(b.packVector([b.i8(0), bytes[0]!, b.i8(0), bytes[1]!]), i32(ctx));

/** e4m3 to f16: the bits move by one place, and subnormal numbers are looked up. */
function e4m3ToF16(lo: Lowering, from: Narrow, byte: Value): Value {
  const { b, ctx } = lo;
  const bits = upperByte(lo, byte);
  const sign = b.and(bits, b.i16(0x8000));
  let half = b.add(b.lshr(b.and(bits, b.i16(0x7fff)), b.i16(1)), b.i16((15 - from.bias) << 10));
  const magnitude = b.and(byte, b.i8(0x7f));
  const isNaN = from.unsignedZero ? b.icmp("eq", byte, b.i8(0x80)) : b.icmp("eq", magnitude, b.i8(0x7f));
  half = b.select(isNaN, b.i16(0x7e00), half);
  for (let i = 0; i < 8; i++) {
    const subnormal = b.i16(Number(floatAttr(f16(ctx), i * 2 ** (-from.bias - 2)).params.bits));
    half = b.select(b.icmp("eq", magnitude, b.i8(i)), subnormal, half);
  }
  return b.bitcast(b.or(half, sign), f16(ctx));
}
/** e5m2 without infinities to f16: an exponent that is smaller by one. */
function e5m2fnuzToF16(lo: Lowering, byte: Value): Value {
  const { b, ctx } = lo;
  const n = (x: number): Value => b.i16(x);
  const bits = upperByte(lo, byte);
  const exponent = b.and(bits, n(0x7c00));
  const mantissa = b.and(bits, n(0x0300));
  const sign = b.and(bits, n(0x8000));
  const isSubnormal = b.icmp("eq", exponent, n(0));
  const shifted = b.lshr(mantissa, n(1));
  const subnormal = b.or(sign, shifted);
  const smaller = b.sub(exponent, n(0x0400));
  const becomesSubnormal = b.icmp("eq", exponent, n(0x0400));
  const withOne = b.add(shifted, n(0x0200));
  const normal = b.or(sign, b.or(mantissa, smaller));
  const ofOne = b.or(sign, withOne);
  return b.bitcast(b.select(isSubnormal, subnormal, b.select(becomesSubnormal, ofOne, normal)), f16(ctx));
}
const e5m2ToF16 = (lo: Lowering, bytes: readonly Value[]): Value[] => {
  const { b, ctx } = lo;
  const words = [bytes.slice(0, 2), bytes.slice(2)].map((pair) => upperBytes(lo, pair));
  return words.map((word) => b.bitcast(word, vecType(f16(ctx), 2))).flatMap((pair) => b.unpackVector(pair));
};
/** To bf16: the bits moved to their places in f32, times a power of two that mends the exponent. Step by step for all pairs, as upstream. */
function toBf16(lo: Lowering, from: Narrow, bytes: readonly Value[]): Value[] {
  const { b, ctx } = lo;
  const starts = Array.from({ length: bytes.length / 2 }, (_, i) => 2 * i);
  const words = starts.map((i) => upperBytes(lo, bytes.slice(i, i + 2)));
  const magnitudes = words.map((word) => b.and(word, b.i32(0x7fff7fff))).map((word) => b.lshr(word, b.i32(8 - from.exponent)));
  const singles = magnitudes.flatMap((word) => [b.shl(word, b.i32(16)), b.and(word, b.i32(0xffff0000))]);
  const scale = 2 ** (127 - from.bias);
  const scaled = singles
    .map((single) => b.bitcast(single, f32(ctx)))
    .map((single) => b.fmul(single, b.f32(scale)))
    .map((single) => b.bitcast(single, i32(ctx)));
  const joined = starts.map((i) => b.or(b.lshr(scaled[i]!, b.i32(16)), scaled[i + 1]!));
  const signs = words.map((word) => b.and(word, b.i32(0x80008000)));
  const signed = joined.map((word, i) => b.or(word, signs[i]!));
  return signed.map((word) => b.bitcast(word, vecType(floatType(ctx, "bf16"), 2))).flatMap((pair) => b.unpackVector(pair));
}

// --- which ----------------------------------------------------------------------------------------

/** One value after the other. */
const each =
  (convert: (lo: Lowering, value: Value) => Value): Conversion["convert"] =>
  (lo, values) =>
    values.map((value) => convert(lo, value));
const extend = each(({ b, ctx }, value) => b.fpext(value, f32(ctx)));
const truncate = each(({ b, ctx }, value) => b.fptrunc(value, f16(ctx)));
const then =
  (first: Conversion["convert"], second: Conversion["convert"]): Conversion["convert"] =>
  (lo, values) =>
    second(lo, first(lo, values));

function widening(family: AmdFamily, kind: FloatKind, from: Narrow, to: Wide): Conversion {
  const { name, unsignedZero } = from;
  const hardware = unsignedZero ? family === "CDNA3" : family === "CDNA4";
  if (hardware && !unsignedZero) return { count: 4, convert: (lo, bytes) => widenScaled(lo, name, to, bytes, () => lo.b.f32(1)) };
  const viaF32: Conversion["convert"] = (lo, bytes) => widenToF32(lo, name, bytes);
  if (to === "bf16") {
    if (!unsignedZero) return { count: 4, convert: (lo, bytes) => toBf16(lo, from, bytes) };
    if (kind === "f8E4M3FNUZ" && family === "CDNA4") return { count: 2, convert: (lo, bytes) => toBf16(lo, from, bytes) };
    return {
      count: 4,
      convert: then(
        viaF32,
        each(({ b, ctx }, value) => f32ToBf16Rtz(b, b.bitcast(value, i32(ctx)))),
      ),
    };
  }
  if (hardware) return { count: 4, convert: to === "f32" ? viaF32 : then(viaF32, truncate) };
  const toF16 = kind === "f8E5M2" ? e5m2ToF16 : each((lo, byte) => (name === "fp8" ? e4m3ToF16(lo, from, byte) : e5m2fnuzToF16(lo, byte)));
  return { count: 4, convert: to === "f32" ? then(toF16, extend) : toF16 };
}

function narrowing(family: AmdFamily, kind: FloatKind, from: Wide, to: Narrow): Conversion {
  const { name, unsignedZero } = to;
  const byBits = (wide: Wide): Conversion["convert"] => each((lo, value) => narrowByBits(lo, wide, to, value));
  if (!unsignedZero) {
    if (family === "CDNA4") return { count: 4, convert: (lo, values) => narrowScaled(lo, name, from, values) };
    if (kind === "f8E4M3FN") return { count: 4, convert: byBits(from) };
    return { count: 4, convert: each((lo, value) => (from === "f16" ? f16ToE5M2(lo, value) : toE5M2(lo, from, value))) };
  }
  const byInstruction: Conversion["convert"] = (lo, values) => narrowFromF32(lo, name, values);
  if (family === "CDNA3" || (from === "bf16" && kind === "f8E4M3FNUZ" && family !== "CDNA4")) {
    const toF32 = from === "bf16" ? each(({ b }, value) => bf16ToF32(b, value)) : extend;
    return { count: 4, convert: from === "f32" ? byInstruction : then(toF32, byInstruction) };
  }
  if (from === "bf16") return { count: 4, convert: byBits(from) };
  // f16 becomes e5m2 by way of f32, and on GPUs before CDNA4 f32 becomes either by way of f16.
  const ofF16 = kind === "f8E5M2FNUZ" ? then(extend, byBits("f32")) : byBits("f16");
  if (from === "f16") return { count: 2, convert: ofF16 };
  return { count: 2, convert: family === "CDNA4" ? byBits("f32") : then(truncate, ofF16) };
}

/** How to convert from or to a float of 8 bits, or from f32 to f16 towards zero; undefined where there is no such conversion. */
export function conversionOf(family: AmdFamily, from: FloatKind, to: FloatKind, rounding: string | undefined): Conversion | undefined {
  const isWide = (kind: FloatKind): kind is Wide => kind in MANTISSA;
  const [source, target] = [NARROW[from], NARROW[to]];
  if (source && isWide(to) && rounding === undefined) return widening(family, from, source, to);
  if (rounding === "rtz") {
    if (from === "f32" && to === "f16") return { count: 2, convert: f32ToF16Rtz };
    if (to !== "f8E5M2") return undefined;
    if (from === "f16") return { count: 4, convert: f16ToE5M2Rtz };
    const toF16: Conversion["convert"] = (lo, values) => [...f32ToF16Rtz(lo, values.slice(0, 2)), ...f32ToF16Rtz(lo, values.slice(2))];
    return from === "f32" ? { count: 4, convert: then(toF16, f16ToE5M2Rtz) } : undefined;
  }
  return isWide(from) && target && rounding === "rtne" ? narrowing(family, to, from, target) : undefined;
}
