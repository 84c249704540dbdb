/** Conversions between float types. Source: third_party/amd/lib/TritonAMDGPUToLLVM/ElementwiseOpToLLVM.cpp. */
import { ExtFOp, TruncFOp } from "../../../dialects/arith/ops/cast.js";
import type { Type } from "../../../ir/attribute.js";
import { f32, floatType, i16, i32, isFloat } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { elementwise, withoutFloat8 } from "../../ttg-to-llvm/elementwise.js";
import { type LLBuilder, vecType } from "../../ttg-to-llvm/ll-builder.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";

/** bf16 is the upper half of f32. */
export function bf16ToF32(b: LLBuilder, value: Value): Value {
  const word = b.zext(b.bitcast(value, i16(b.ctx)), i32(b.ctx));
  return b.bitcast(b.shl(word, b.i32(16)), f32(b.ctx));
}
const upperHalf = (b: LLBuilder, word: Value): Value => b.bitcast(b.trunc(b.lshr(word, b.i32(16)), i16(b.ctx)), floatType(b.ctx, "bf16"));

/** Rounded to the nearest, ties to even; a NaN stays one. */
export function f32ToBf16(b: LLBuilder, value: Value): Value {
  const word = b.bitcast(value, i32(b.ctx));
  const isNaN = b.intrinsic("llvm.is.fpclass", b.int1(), [value, b.i32(3)])!;
  const half = b.i32(16);
  const odd = b.and(b.lshr(word, half), b.i32(1));
  const most = b.i32(0x7fff);
  const rounded = b.add(b.add(word, odd), most);
  return upperHalf(b, b.select(isNaN, b.i32(0x7fff0000), rounded));
}

/** f32 to f16 or bf16: on CDNA4 two at once. */
function narrow({ b, ctx, target }: Lowering, operands: readonly (readonly Value[])[], type: Type): Value | readonly Value[] {
  const first = operands[0]![0]!;
  const second = operands[1]?.[0];
  if (target.family !== "CDNA4") return isFloat(type, "bf16") ? f32ToBf16(b, first) : b.fptrunc(first, type);
  if (!second) return b.fptrunc(first, type);
  let pair = b.undef(vecType(f32(ctx), 2));
  const [low, high] = [b.i32(0), b.i32(1)];
  pair = b.insertElement(b.insertElement(pair, first, low), second, high);
  const narrowed = b.fptrunc(pair, vecType(type, 2));
  return [b.extractElement(narrowed, low), b.extractElement(narrowed, high)];
}

export const FP_CONVERSIONS: readonly LoweringRule[] = [
  withoutFloat8(
    elementwise(ExtFOp, ({ b }, _op, [operands], type) => {
      const [x] = operands as readonly [Value];
      return isFloat(x.type, "bf16") && isFloat(type, "f32") ? bf16ToF32(b, x) : b.fpext(x, type);
    }),
  ),
  withoutFloat8(
    elementwise(TruncFOp, (lo: Lowering, _op, operands, type) => {
      const first = operands[0]![0]!;
      if (isFloat(first.type, "f32") && (isFloat(type, "f16") || isFloat(type, "bf16"))) return narrow(lo, operands, type);
      return lo.b.fptrunc(first, type);
    }),
  ),
];
