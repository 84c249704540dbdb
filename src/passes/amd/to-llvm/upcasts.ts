/**
 * Floats of 4 bits, two in a byte, to wider ones, and floats of 4 and 8 bits times their block's scale, which is a power of two.
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/Fp4ToFpOpToLLVM.cpp, UpcastMXFPToLLVM.cpp, Utility.cpp; ScaledUpcastToLLVM.cpp.
 */
import { ScaledUpcastFp4Op, ScaledUpcastFp8Op, UpcastMXFPOp } from "../../../dialects/amdg/ops/upcast.js";
import { CONVERSIONS } from "../../../dialects/rocdl/ops/conversions.js";
import { distributedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { Fp4ToFpOp } from "../../../dialects/ttg/ops/misc.js";
import type { Type } from "../../../ir/attribute.js";
import { elementTypeOrSelf, f16, f32, floatType, i16, i32, i64, isFloat, type TensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Value } from "../../../ir/value.js";
import { vecType } from "../../ttg-to-llvm/ll-builder.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { callExtern } from "../../ttg-to-llvm/math.js";
import { laneAndWarpId } from "../../ttg-to-llvm/thread-indices.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";
import { widenScaled } from "./fp8-conversions.js";

const elementOf = (value: Value): Type => elementTypeOrSelf(value.type);
/** Four bytes each, in order. */
function inFours<T>(values: readonly Value[], make: (four: readonly Value[], start: number) => readonly T[]): T[] {
  const made: T[] = [];
  for (let i = 0; i < values.length; i += 4) made.push(...make(values.slice(i, i + 4), i));
  return made;
}

/** Bytes picked from two words by the bytes of a selector. */
const permBytes = (lo: Lowering, high: Value, low: Value, selector: Value): Value =>
  callExtern(lo, "llvm.amdgcn.perm", i32(lo.ctx), [high, low, selector]);
/** The scale of a block, whose bits are an exponent, as f32. */
const scaleToF32 = ({ b, ctx }: Lowering, scale: Value): Value => b.bitcast(b.shl(b.zext(scale, i32(ctx)), b.i32(23)), f32(ctx));

/** Eight floats of 4 bits to bf16 on CDNA3: by bytes that are picked to f8E4M3FNUZ, from there to f32, times the scale. */
function fp4ToBf16ByFp8(lo: Lowering, bytes: readonly Value[], scale: Value): Value[] {
  const { b, ctx } = lo;
  const input = b.bitcast(b.packVector(bytes), i32(ctx));
  const even = b.and(input, b.i32(0x07070707));
  const odd = b.lshr(b.and(input, b.i32(0x70707070)), b.i32(4));
  const [low, high] = [b.i32(0xc4c0b800), b.i32(0xd4d0ccc8)];
  const magnitudes = [even, odd].map((index) => permBytes(lo, high, low, index));
  const signs = [b.or(b.shl(input, b.i32(4)), b.i32(0x7f7f7f7f)), b.or(input, b.i32(0x7f7f7f7f))];
  const words = magnitudes.map((word, i) => b.and(word, signs[i]!));
  const widen = CONVERSIONS["cvt.pk.f32.fp8"]!;
  const widened = words.flatMap((src) => [false, true].map((wordSel) => b.value(widen, { src, wordSel }, i64(ctx))));
  const by = scaleToF32(lo, scale);
  const both = b.packVector([by, by]);
  const pairs = widened.map((pair) => b.bitcast(b.fmul(both, b.bitcast(pair, vecType(f32(ctx), 2))), vecType(i32(ctx), 2)));
  // Even ones: 0 and 2, 4 and 6; odd ones: 1 and 3, 5 and 7.
  const singles = [0, 2, 0, 2, 1, 3, 1, 3].map((pair, i) => b.extractElement(pairs[pair]!, b.i32((i >> 1) & 1)));
  const upper = b.i32(0x07060302);
  return [0, 2, 4, 6].flatMap((i) => {
    const pair = permBytes(lo, singles[i + 1]!, singles[i]!, upper);
    return b.unpackVector(b.bitcast(pair, vecType(floatType(ctx, "bf16"), 2)));
  });
}

/** Eight floats of 4 bits to f16 or bf16: both bytes of each are picked from a table by its bits without the sign. */
function fp4ByTable(lo: Lowering, bytes: readonly Value[], type: Type): Value[] {
  const { b, ctx } = lo;
  const isF16 = isFloat(type, "f16");
  const input = b.bitcast(b.packVector(bytes), i32(ctx));
  const lowTable = [isF16 ? 0 : 0xc0804000, isF16 ? 0 : 0xc0800000].map((x) => b.i32(x)) as [Value, Value];
  const highTable = (isF16 ? [0x46444240, 0x3e3c3800] : [0x40404040, 0x3f3f3f00]).map((x) => b.i32(x)) as [Value, Value];
  const even = b.and(input, b.i32(0x07070707));
  const odd = b.lshr(b.and(input, b.i32(0x70707070)), b.i32(4));
  const evenSigns = b.shl(b.and(input, b.i32(0x08080808)), b.i32(4));
  const oddSigns = b.and(input, b.i32(0x80808080));
  const widen = (index: Value, signs: Value): Value[] => {
    const lower = isF16 ? b.i32(0) : permBytes(lo, ...lowTable, index);
    const upper = b.or(permBytes(lo, ...highTable, index), signs);
    return [0x05010400, 0x07030602].map((selector) => permBytes(lo, upper, lower, b.i32(selector)));
  };
  const [even20, even64] = widen(even, evenSigns) as [Value, Value];
  const [odd31, odd75] = widen(odd, oddSigns) as [Value, Value];
  const pairs = [
    [odd31, even20],
    [odd75, even64],
  ].flatMap(([high, low]) => [0x05040100, 0x07060302].map((selector) => permBytes(lo, high!, low!, b.i32(selector))));
  return pairs.flatMap((pair) => b.unpackVector(b.bitcast(pair, vecType(type, 2))));
}

/** A value times its scale, whose NaN makes it one unless `fastMath`; bf16 is multiplied as f32. */
function timesScale(lo: Lowering, value: Value, scale: Value, fastMath: boolean): Value {
  const { b, ctx } = lo;
  const isF16 = isFloat(value.type, "f16");
  let product: Value;
  if (isF16) product = b.fmul(value, b.fptrunc(scaleToF32(lo, scale), f16(ctx)));
  else {
    const single = b.bitcast(b.shl(b.zext(b.bitcast(value, i16(ctx)), i32(ctx)), b.i32(16)), f32(ctx));
    const scaled = b.bitcast(b.fmul(single, scaleToF32(lo, scale)), i32(ctx));
    product = b.bitcast(b.trunc(b.lshr(scaled, b.i32(16)), i16(ctx)), value.type);
  }
  if (fastMath) return product;
  const isNaN = b.icmp("eq", scale, b.i8(0xff));
  return b.select(isNaN, b.bitcast(b.i16(isF16 ? 0x7c01 : 0x7fff), value.type), product);
}

/** Blocks of 32 elements along K with a scale each: lanes hold the scales of others, and get those of their own rows. */
function lowerUpcastMXFP({ op, src, scale, result, fp_type, fastMath }: View<typeof UpcastMXFPOp>, lo: Lowering): false | void {
  const { b, target } = lo;
  const values = lo.elements(src);
  const scales = lo.elements(scale);
  const type = elementOf(result);
  const isFp4 = fp_type === "e2m1";
  const perScale = isFp4 ? 16 : 32;
  const dot = distributedParams((src.type as TensorType).params.encoding!);
  const rows = dot?.kind === "dot_op" && dot.parent.kind === "amd_mfma" ? dot.parent.instrShape[0] : undefined;
  if (values.length !== scales.length * perScale || (rows !== 32 && rows !== 16))
    return lo.fail(op, `values and scales of these layouts cannot be multiplied: ${values.length} and ${scales.length} in each thread`);
  const holders = target.threadsPerWarp / rows;
  const { lane } = laneAndWarpId(lo);
  const first = b.mul(b.urem(lane, b.i32(rows)), b.i32(holders));
  const lanes = Array.from({ length: holders }, (_, i) => (i === 0 ? first : b.add(first, b.i32(i))));
  const wide = isFloat(type, "f16") ? "f16" : "bf16";
  const made: Value[] = [];
  scales.forEach((own, index) => {
    const fromLanes = lanes.map((from) => lo.code.shuffleIdx(lo, own, from));
    const block = values.slice(index * perScale, (index + 1) * perScale);
    const parts = inFours(block, (four, start) => {
      const by = fromLanes[Math.floor((start * holders) / perScale)]!;
      if (target.family === "CDNA4") {
        const name = isFp4 ? "fp4" : fp_type === "e4m3" ? "fp8" : "bf8";
        return widenScaled(lo, name, wide, four, () => scaleToF32(lo, by));
      }
      if (isFp4 && target.family === "CDNA3" && wide === "bf16") return fp4ToBf16ByFp8(lo, four, by);
      const plain = isFp4 ? fp4ByTable(lo, four, type) : four;
      return plain.map((value) => timesScale(lo, value, by, fastMath));
    });
    made.push(...parts);
  });
  lo.setElements(result, made);
}

/** A scale that is the upper half of an f32. */
function scaledUpcast(lo: Lowering, name: string, input: Value, scale: Value, output: Value, perScale: number): void {
  const { b, ctx } = lo;
  const inputs = lo.elements(input);
  const scales = lo.elements(scale);
  const wide = isFloat(elementOf(output), "f16") ? "f16" : "bf16";
  const values = inFours(inputs, (four, start) =>
    widenScaled(lo, name, wide, four, () =>
      b.bitcast(b.shl(b.zext(b.bitcast(scales[start * perScale]!, i16(ctx)), i32(ctx)), b.i32(16)), f32(ctx)),
    ),
  );
  lo.setElements(output, values);
}

export const UPCASTS: readonly LoweringRule[] = [
  rule(Fp4ToFpOp, ({ op, src, result }, lo: Lowering) => {
    const type = elementOf(result);
    const bytes = lo.elements(src);
    if (bytes.length % 4 !== 0) return lo.fail(op, `a thread must hold a multiple of 4 bytes here, and holds ${bytes.length}`);
    if (lo.target.family === "CDNA3" && isFloat(type, "bf16"))
      return lo.fail(op, `Triton 3.6 lowers no conversion of fp4 to bf16 without a scale on ${lo.target.arch}; it does to f16`);
    return lo.setElements(
      result,
      inFours(bytes, (four) => fp4ByTable(lo, four, type)),
    );
  }),
  rule(UpcastMXFPOp, lowerUpcastMXFP),
  rule(ScaledUpcastFp4Op, ({ input, scale, output }, lo: Lowering) => scaledUpcast(lo, "fp4", input, scale, output, 2)),
  rule(ScaledUpcastFp8Op, ({ input, scale, output }, lo: Lowering) =>
    scaledUpcast(lo, isFloat(elementOf(input), "f8E4M3FN") ? "fp8" : "bf8", input, scale, output, 1),
  ),
];
