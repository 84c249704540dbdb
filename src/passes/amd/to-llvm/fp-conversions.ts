/** Conversions between float types. Source: third_party/amd/lib/TritonAMDGPUToLLVM/ElementwiseOpToLLVM.cpp. */

import { SetFP8Clamping } from "../../../dialects/amdg/attrs.js";
import { ExtFOp, TruncFOp } from "../../../dialects/arith/ops/cast.js";
import { FpToFpOp } from "../../../dialects/tt/ops/cast.js";
import type { Type } from "../../../ir/attribute.js";
import { elementTypeOrSelf, type FloatKind, f32, floatKind, i32, isFloat, isInteger } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { elementwise, withoutFloat8 } from "../../ttg-to-llvm/elementwise.js";
import { LLBuilder, vecType } from "../../ttg-to-llvm/ll-builder.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";
import { bf16ToF32, conversionOf, f32ToBf16Rtz } from "./fp8-conversions.js";

/** Rounded to the nearest, ties to even; a NaN stays one. */
export function f32ToBf16(b: LLBuilder, value: Value): Value {
  const word = b.bitcast(value, i32(b.ctx));
  const isNaN = b.intrinsic("llvm.is.fpclass", b.int1(), [value, b.i32(3)])!;
  const half = b.i32(16);
  const odd = b.and(b.lshr(word, half), b.i32(1));
  const most = b.i32(0x7fff);
  const rounded = b.add(b.add(word, odd), most);
  return f32ToBf16Rtz(b, b.select(isNaN, b.i32(0x7fff0000), rounded));
}

/** The function's mode becomes that in which conversions to 8 bits saturate: `saturateConversions` sets it. */
const SATURATES = "amdgcn.set.fp8.clamping";

/** Sets the mode register's bit for it (bit 23, one bit wide) at the start of the functions that convert to 8 bits. */
export function saturateConversions(module: Operation): void {
  const { ctx } = module;
  for (const op of module.regions[0]!.firstBlock!.ops()) {
    if (!op.hasAttr(SATURATES)) continue;
    op.removeAttr(SATURATES);
    const b = new LLBuilder(ctx, false);
    b.setAfter(op.regions[0]!.firstBlock!, null);
    b.loc = module.locRef;
    const place = 1 | (23 << 6);
    b.intrinsic("llvm.amdgcn.s.setreg", undefined, [b.i32(place), b.i32(1)]);
  }
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

const FP_TO_FP: LoweringRule = elementwise(FpToFpOp, (lo: Lowering, op, operands, type) => {
  const { b, ctx, target } = lo;
  const { src, result, rounding } = FpToFpOp.match(op)!;
  const [from, to] = [src, result].map((value) => floatKind(elementTypeOrSelf(value.type))) as [FloatKind, FloatKind];
  const first = operands[0]![0]!;
  if (from === "f32" && (to === "f16" || to === "bf16") && rounding === "rtne") return narrow(lo, operands, type);
  if (from === "f32" && to === "bf16") return f32ToBf16Rtz(b, b.bitcast(first, i32(ctx)));
  if ((from === "f16" || from === "bf16") && to === "f32")
    return operands.slice(0, 4).map(([x]) => (from === "f16" ? b.fpext(x!, f32(ctx)) : bf16ToF32(b, x!)));
  if (isInteger(type, 8)) lo.newFunc.setAttr(SATURATES, SetFP8Clamping.get(ctx, {}));
  const conversion = conversionOf(target.family, from, to, rounding);
  if (!conversion) {
    const by = rounding === undefined ? "" : ` with rounding mode ${rounding}`;
    return void lo.fail(op, `Unsupported conversion from '${from}' to '${to}'${by}`, "lower.fp8");
  }
  const count = Math.min(conversion.count, operands.length);
  const values = operands.slice(0, count).map(([x]) => x!);
  while (values.length < conversion.count) values.push(b.undef(first.type));
  return conversion.convert(lo, values).slice(0, count);
});

export const FP_CONVERSIONS: readonly LoweringRule[] = [
  FP_TO_FP,
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
