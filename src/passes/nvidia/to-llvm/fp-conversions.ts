/**
 * Conversions between float types, and of integers to floats where PTX does several at once.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ElementwiseOpToLLVM.cpp, FpToFpOpConversion, SIToFPOpConversion.
 */

import { SIToFPOp } from "../../../dialects/arith/ops/cast.js";
import * as ll from "../../../dialects/llvm/ops/index.js";
import { structType } from "../../../dialects/llvm/types/types.js";
import { FpToFpOp } from "../../../dialects/tt/ops/cast.js";
import { Fp4ToFpOp } from "../../../dialects/ttg/ops/misc.js";
import type { Type } from "../../../ir/attribute.js";
import { elementTypeOrSelf, FloatType, f16, f32, floatType, i32, intType, isFloat, isInteger } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { elementwise } from "../../ttg-to-llvm/elementwise.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";
import { f8Conversion, type PackedConversion, s8ToBf16 } from "./packed-conversions.js";

/** Packs the values into words, runs the PTX and unpacks what it gives. */
function convertPacked(
  lo: Lowering,
  { text, inWidth, outWidth }: PackedConversion,
  values: readonly Value[],
  from: Type,
  to: Type,
): Value[] {
  const { b, ctx } = lo;
  const perIn = inWidth / scalarBits(from);
  const words: Value[] = [];
  for (let i = 0; i < values.length; i += perIn) words.push(b.packVector(values.slice(i, i + perIn)));
  const inputs = words.map((word) => b.bitcast(word, intType(ctx, inWidth)));

  const perOut = outWidth / scalarBits(to);
  const count = values.length / perOut;
  const vector = vecType(to, perOut);
  const constraints = [
    ...new Array<string>(count).fill(outWidth === 16 ? "=h" : "=r"),
    ...new Array<string>(inputs.length).fill(inWidth === 16 ? "h" : "r"),
  ].join(",");
  const type = count === 1 ? vector : structType(ctx, new Array<Type>(count).fill(vector));
  const asm = b.inlineAsm(text, constraints, inputs, type, { sideEffects: false });
  const outputs = count === 1 ? [asm] : Array.from({ length: count }, (_, i) => b.extractValue(asm, i));
  return values.map((_, i) => b.extractElement(outputs[Math.floor(i / perOut)]!, b.i32(i % perOut)));
}

/** f32 to f16 by a mode of rounding. */
function toF16(lo: Lowering, value: Value, rounding: string): Value {
  const text = `cvt.${rounding === "rtz" ? "rz" : "rn"}.f16.f32 $0, $1;`;
  return lo.b.inlineAsm(text, "=h,r", [value], f16(lo.ctx), { sideEffects: false });
}
const kindOf = (type: Type): string => FloatType.params(type).kind;

/** Eight f4 (e2m1) in a word to eight f16 or bf16 in four words. Source: Fp4ToFpOpToLLVM.cpp. */
const F4_TO_BF16 = [
  "{",
  ".reg .b32 a<14>;",
  "and.b32  \ta0, $4, -2004318072;",
  "\tshr.u32 \ta1, a0, 3;",
  "\tand.b32  \ta2, $4, 2004318071;",
  "\tshr.u32 \ta3, a2, 16;",
  "\tshr.u32 \ta4, a0, 19;",
  "\tprmt.b32 a5, -1065353216, -1065336832, a2;",
  "\tprmt.b32 a6, -1065353216, -1065336832, a3;",
  "\tprmt.b32 a7, 1061109504, 1077952576, a2;",
  "\tprmt.b32 a8, 1061109504, 1077952576, a3;",
  "\tprmt.b32 a9, 32768, 0, a1;",
  "\tprmt.b32 a10, 32768, 0, a4;",
  "\tor.b32  \ta11, a7, a9;",
  "\tor.b32  \ta12, a8, a10;",
  "\tprmt.b32 $0, a5, a11, 20800;",
  "\tprmt.b32 $1, a5, a11, 29538;",
  "\tprmt.b32 $2, a6, a12, 20800;",
  "\tprmt.b32 $3, a6, a12, 29538;",
  "\t}",
].join("\n");
const F4_TO_F16 = [
  "{",
  ".reg .b32           a<11>;",
  ".reg .b16           t<4>;",
  "and.b32             a0, $4, 0x77777777;",
  "\tand.b32             a1, $4, 0x88888888;",
  "\tshr.u32             a2, a1, 3;",
  "\tshr.u32             a3, a0, 16;",
  "\tshr.u32             a4, a2, 16;",
  "\tprmt.b32            a5, 0x3C383000, 0x4C484440, a0;",
  "prmt.b32            a6, 0x3C383000, 0x4C484440, a3;",
  "prmt.b32            a7, 0x00008000, 0x0, a2;",
  "prmt.b32            a8, 0x00008000, 0x0, a4;",
  "or.b32              a9, a5, a7;",
  "\tor.b32              a10, a6, a8;",
  "\tmov.b32             {t0, t1}, a9;",
  "mov.b32             {t2, t3}, a10;",
  "cvt.rn.f16x2.e4m3x2 $0, t0;",
  "cvt.rn.f16x2.e4m3x2 $1, t1;",
  "cvt.rn.f16x2.e4m3x2 $2, t2;",
  "cvt.rn.f16x2.e4m3x2 $3, t3;",
  "}",
].join("\n");

const FP4_TO_FP = rule(Fp4ToFpOp, ({ src, result }, lo) => {
  const { b, ctx } = lo;
  const element = elementTypeOrSelf(result.type);
  const bytes = lo.elements(src);
  const type = structType(ctx, new Array<Type>(4).fill(i32(ctx)));
  const values: Value[] = [];
  for (let i = 0; i < bytes.length; i += 4) {
    const packed = b.packVector(bytes.slice(i, i + 4));
    const text = isFloat(element, "f16") ? F4_TO_F16 : F4_TO_BF16;
    const asm = b.inlineAsm(text, "=r,=r,=r,=r,r", [packed], type, { sideEffects: false });
    for (let word = 0; word < 4; word++) values.push(...b.unpackVector(b.bitcast(b.extractValue(asm, word), vecType(element, 2))));
  }
  lo.setElements(result, values);
});

export const FP_CONVERSIONS: readonly LoweringRule[] = [
  FP4_TO_FP,
  elementwise(FpToFpOp, (lo, op, operands) => {
    const { b, ctx } = lo;
    const { src, result, rounding } = FpToFpOp.match(op)!;
    const [from, to] = [elementTypeOrSelf(src.type), elementTypeOrSelf(result.type)];
    const [value] = operands[0]!;
    const { gpu } = lo.target;
    if (isFloat(from, "f16") && isFloat(to, "f32")) return b.fpext(value!, f32(ctx));
    if (isFloat(from, "f32") && isFloat(to, "f16")) return toF16(lo, value!, rounding ?? "rtne");
    if (isFloat(from, "f32") && isFloat(to, "bf16"))
      return b.intrinsic(`llvm.nvvm.f2bf16.${rounding === "rtz" ? "rz" : "rn"}`, floatType(ctx, "bf16"), [value!]);

    const toF8 = isFloat(to, "f8E4M3FN") || isFloat(to, "f8E5M2");
    if (toF8 && !isFloat(from, "f32") && rounding !== "rtne") return undefined;
    if (!gpu.fp8Pairs && (isFloat(from, "f8E4M3FN") || isFloat(to, "f8E4M3FN"))) {
      lo.fail(op, "Conversion from/to f8e4m3nv is only supported on compute capability >= 89", "lower.fp8");
      return undefined;
    }
    const throughF16 = isFloat(from, "f32") && (!(gpu.fp8Singles && toF8) || rounding === "rtz");
    const source = throughF16 ? f16(ctx) : from;
    const target = isFloat(to, "f32") ? f16(ctx) : to;
    const conversion = f8Conversion(kindOf(source), kindOf(target), rounding, gpu);
    if (!conversion) return undefined;
    const count = Math.min(conversion.count, operands.length);
    let values: Value[] = operands.slice(0, count).map(([v]) => v!);
    if (throughF16) values = values.map((v) => toF16(lo, v, "rtz"));
    const sourceType = convertType(source);
    while (values.length < conversion.count) values.push(b.undef(sourceType));
    const converted = convertPacked(lo, conversion, values, sourceType, convertType(target)).slice(0, count);
    return isFloat(to, "f32") ? converted.map((v) => b.fpext(v, f32(ctx))) : converted;
  }),
  elementwise(SIToFPOp, (lo, op, operands, element) => {
    const from = elementTypeOrSelf(op.operand(0).type);
    if (!isFloat(element, "bf16") || !isInteger(from, 8) || operands.length < 4) return lo.b.op(ll.SIToFPOp, [operands[0]![0]!], element);
    const values = operands.slice(0, 4).map(([v]) => v!);
    return convertPacked(lo, s8ToBf16(lo.target.gpu), values, from, element);
  }),
];
