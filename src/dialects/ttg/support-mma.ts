/** Which dots tensor cores can do. Source: lib/Analysis/Utility.cpp, supportMMA. */
import type { Type } from "../../ir/attribute.js";
import { intOf } from "../../ir/builtin-attrs.js";
import { bitWidth, FloatType, IntegerType, isFloat, isInteger, isShaped, RankedTensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { getShapePerCTAOf } from "../../layout/encoding-queries.js";
import { InputPrecisionAttr } from "../tt/enums.js";
import { encodingParams } from "./encodings/define-encoding.js";
import { maybeLookupNumWarps } from "./num-warps.js";

const TF32 = InputPrecisionAttr.enum!.cases["tf32"]!;

/** Whether version 1, 2, 3 (wgmma) or 5 (tcgen05) of the tensor cores can do this `tt.dot`. */
export function supportMMA(dot: Operation, version: number): boolean {
  const aType = dot.operand(0).type;
  const a = elementOf(aType);
  const b = elementOf(dot.operand(1).type);
  const resultType = dot.result(0).type;
  if (!RankedTensorType.is(resultType) || !isShaped(aType)) return false;
  if (version === 3 || version === 5) {
    const k = aType.params.shape.at(-1) ?? 0;
    const encoding = encodingParams(resultType.params.encoding);
    const shapePerCTA = encoding ? getShapePerCTAOf(encoding, resultType.params.shape) : resultType.params.shape;
    const rank = shapePerCTA.length;
    const numWarps = maybeLookupNumWarps(dot) ?? 0;
    const tileFits = shapePerCTA[rank - 2]! % 64 === 0 && shapePerCTA[rank - 1]! % dot.ctx.triton.narrowestDot === 0;
    if (rank !== 2 || !tileFits || k < Math.trunc(256 / (bitWidth(a) ?? 1))) return false;
    const result = elementOf(resultType);
    if (version === 5 && dot.ctx.triton.smallF64Dots && [a, b, result].some((t) => isFloat(t, "f64"))) return false;
    if (version === 5) {
      const asks = dot.ctx.triton.asksTypesOfTcgen05;
      if (asks && isFloat(a, "f32") && isFloat(b, "f32") && intOf(dot.attr("inputPrecision")) !== TF32) return false;
      if (numWarps !== 4 && numWarps !== 8) return false;
      if ([a, b, result].some((t) => IntegerType.is(t))) return asks && isInteger8(a) && isInteger8(b) && isInteger(result, 32);
      return true;
    }
    const isFp8 = isFloat(a, "f8E5M2") || isFloat(a, "f8E4M3FN");
    if (numWarps % 4 !== 0 || !(isFp8 || isInteger8(a) || isFloat(a, "f16") || isFloat(a, "bf16") || isFloat(a, "f32"))) return false;
    // wgmma accumulates fp8 products with less than f32's precision.
    if ((intOf(dot.attr("maxNumImpreciseAcc")) ?? 0) < 32 && isFp8 && isFloat(result, "f32")) return false;
  }
  if (isFloat(a, "f32") && isFloat(b, "f32")) return intOf(dot.attr("inputPrecision")) === TF32 && version >= 2;
  return supportMMAOperand(a, version) && supportMMAOperand(b, version);
}

const FP8 = new Set(["f8E5M2", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ"]);

/** Whether the elements of an operand of this type fit that version; fp8 is not native to all but can be promoted to f16. */
export function supportMMAOperand(operand: Type, version: number): boolean {
  const type = elementOf(operand);
  if (FloatType.is(type) && FP8.has(type.params.kind)) return true;
  if (isFloat(type, "f16") || isFloat(type, "bf16")) return true;
  return version >= 2 && (isFloat(type, "f32") || isFloat(type, "f64") || isInteger8(type));
}
function isInteger8(type: Type): boolean {
  return isInteger(type, 8) || isInteger(type, 8, "signed") || isInteger(type, 8, "unsigned");
}
function elementOf(type: Type): Type {
  return isShaped(type) ? type.params.elementType : type;
}
