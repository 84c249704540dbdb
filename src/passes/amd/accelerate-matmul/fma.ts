/** Dots without a matrix instruction: operands become types that fma and v_dot take. Source: AccelerateAMDMatmul.cpp, AccelerateBlocked. */
import * as arith from "../../../dialects/arith/ops/index.js";
import { FpToFpOp } from "../../../dialects/tt/ops/cast.js";
import { DotOp } from "../../../dialects/tt/ops/dot.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { AmdGpu } from "../../../gpu/amd.js";
import type { Type } from "../../../ir/attribute.js";
import { bitWidth, FloatType, floatType, isFloat, isInteger, withElementType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Value } from "../../../ir/value.js";
import { type Pattern, pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { elementOf, type Request, shapeOf, typeOf } from "./operands.js";

export const dotToFma = ({ gpu, remark }: Request): Pattern =>
  pattern("accelerate-blocked", DotOp, (dot, rw) => {
    if (encodingParams(typeOf(dot.d).params.encoding)?.kind !== "blocked") return rw.noMatch("expected blocked encoding result tensor");
    remark(dot.op, "Attempting to map dot operation to FMA intrinsic.");
    if (isLegal(dot, gpu)) return rw.noMatch("Dot operation is already in FMA form.");
    const common = commonType([dot.a, dot.b, dot.c, dot.d].map(elementOf));
    const [a, b, c] = [dot.a, dot.b, dot.c].map((value) => cast(rw, value, common)) as [Value, Value, Value];
    const { inputPrecision, maxNumImpreciseAcc } = dot;
    const product = rw.value(DotOp, { a, b, c, inputPrecision, maxNumImpreciseAcc }, { types: [c.type] });
    return rw.replace(dot.op, cast(rw, product, elementOf(dot.d)));
  });

/** Whether v_dot or fma computes it as it is. */
function isLegal({ a, b, c, d }: View<typeof DotOp>, { family }: AmdGpu): boolean {
  const k = shapeOf(a).at(-1)!;
  const [x, y, z, result] = [a, b, c, d].map(elementOf) as [Type, Type, Type, Type];
  const sumsInF32 = isFloat(z, "f32") && isFloat(result, "f32");
  // gfx1250 has no v_dot.
  if (family !== "GFX1250") {
    if (isFloat(x, "f16") && isFloat(y, "f16") && sumsInF32 && k % 2 === 0) return true;
    if (family === "CDNA4" && isFloat(x, "bf16") && isFloat(y, "bf16") && sumsInF32 && k % 2 === 0) return true;
    if (isInteger(x, 8) && isInteger(y, 8) && isInteger(z, 32) && isInteger(result, 32) && k % 4 === 0) return true;
  }
  return [y, z].every((type) => type === x) && (isFloat(x, "f16") || isFloat(x, "f32") || isFloat(x, "f64"));
}

/** f16 or f32, which holds all of the types. */
function commonType(types: readonly Type[]): Type {
  const isWide = (type: Type): boolean => bitWidth(type)! > (FloatType.is(type) ? 16 : 8) || isFloat(type, "bf16");
  return floatType(types[0]!.ctx, types.some(isWide) ? "f32" : "f16");
}

function cast(rw: Rewriter, src: Value, element: Type): Value {
  const from = elementOf(src);
  if (from === element) return src;
  const types = [withElementType(src.type, element)];
  if (!FloatType.is(from)) return rw.value(arith.SIToFPOp, { in: src }, { types });
  if (!FloatType.is(element)) return rw.value(arith.FPToSIOp, { in: src }, { types });
  // A wider type holds every value exactly.
  return rw.value(FpToFpOp, { src, ...(bitWidth(from)! > bitWidth(element)! ? { rounding: "rtne" as const } : {}) }, { types });
}
