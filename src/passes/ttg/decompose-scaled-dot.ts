/**
 * `tt.dot_scaled` where no instruction takes scales: operands are widened to f16 or bf16 and multiplied by their scales.
 *
 *     %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e4m3
 *
 * becomes `tt.dot (fp_to_fp %a * broadcast %s), fp_to_fp %b, %c`, with NaN where a scale is 0xff unless fastMath.
 * Source: lib/Dialect/TritonGPU/Transforms/DecomposeScaledBlocked.cpp.
 */
import * as arith from "../../dialects/arith/ops/index.js";
import { valueLocation } from "../../dialects/scf/build.js";
import { layoutRules } from "../../dialects/tt/infer-layout.js";
import { BitcastOp, FpToFpOp } from "../../dialects/tt/ops/cast.js";
import { DotOp, DotScaledOp, scaleFactor } from "../../dialects/tt/ops/dot.js";
import { BroadcastOp, ExpandDimsOp, ReshapeOp, SplatOp, TransOp } from "../../dialects/tt/ops/shape.js";
import { distributedParams, encodingAttr } from "../../dialects/ttg/encodings/define-encoding.js";
import { enclosingModule, getNumCTAs, getThreadsPerWarp } from "../../dialects/ttg/num-warps.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import { Fp4ToFpOp } from "../../dialects/ttg/ops/misc.js";
import type { Type } from "../../ir/attribute.js";
import { denseElements, floatAttr, intAttr, splatOf } from "../../ir/builtin-attrs.js";
import {
  bitWidth,
  floatType,
  intType,
  isFloat,
  type TensorType,
  tensorType,
  withElementType,
  withEncoding,
} from "../../ir/builtin-types.js";
import type { View } from "../../ir/define-op.js";
import type { LocationRef } from "../../ir/location.js";
import type { Value } from "../../ir/value.js";
import { isMma } from "../../layout/encoding-params.js";
import { getDefaultBlockedEncoding } from "../../layout/encodings/blocked.js";
import { dotOperandFor } from "../../layout/encodings/dot-operand.js";
import { PassError } from "../../pass/pass-error.js";
import { type Pattern, pattern } from "../../rewrite/pattern.js";
import type { Rewriter } from "../../rewrite/rewriter.js";
import { convertLayout } from "./distributed-op-encoding.js";
import { lookupNumWarps } from "./memory-access.js";

export type ScaledDot = View<typeof DotScaledOp>;
/** Makes the operand of the product in the type of computation, times its scale. */
type ScaleOperand = (rw: Rewriter, dot: ScaledDot, opIdx: 0 | 1, compute: Type) => Value;
const typeOf = (value: Value): TensorType => value.type as TensorType;
const paramsOf = (value: Value) => typeOf(value).params;
const cloneElement = (value: Value, element: Type): Type => withElementType(value.type, element);

/** The pattern that makes a dot of a scaled dot, whose operands are scaled before. */
export const decomposeScaledDotBy = (scaleOperand: ScaleOperand): Pattern =>
  pattern("decompose-scaled-blocked", DotScaledOp, (dot, rw) => {
    const result = distributedParams(paramsOf(dot.d).encoding);
    if (!result || isMma(result)) return rw.noMatch("the result has a matrix instruction's layout");
    const isPackedAlongK = dot.lhs_k_pack && dot.rhs_k_pack;
    if (!isPackedAlongK && !rw.ctx.triton.generalScaledDots) return rw.noMatch("fp4 elements are not packed along k");
    if (!rw.ctx.triton.generalScaledDots && [dot.a_scale, dot.b_scale].some((scale) => scale && isFloatScale(scale)))
      throw new PassError(dot.op, "no instruction of the target takes scales in fp8; Triton 3.8 does without one", "lower.unsupported");
    const compute = floatType(rw.ctx, dot.a_elem_type === "fp16" || dot.b_elem_type === "fp16" ? "f16" : "bf16");
    const operand = (opIdx: 0 | 1): Value => {
      const scaled = scaleOperand(rw, dot, opIdx, compute);
      const encoding = encodingAttr(rw.ctx, dotOperandFor(opIdx, result, bitWidth(paramsOf(scaled).elementType)!));
      return convertLayout(rw, scaled, encoding, valueLocation(scaled));
    };
    const a = operand(0);
    const b = operand(1);
    const product = rw.value(DotOp, { a, b, c: dot.c });
    rw.replaceWith(dot, ConvertLayoutOp, { src: product }, { types: [dot.d.type] });
    return true;
  });

export const decomposeScaledDot = decomposeScaledDotBy((rw, dot, opIdx, compute) => scaleArg(rw, dot, opIdx, compute));

/** The operand is widened, then multiplied. */
export function scaleArg(rw: Rewriter, dot: ScaledDot, opIdx: 0 | 1, compute: Type): Value {
  const [given, scale, elemType, isPackedAlongK] =
    opIdx === 0 ? [dot.a, dot.a_scale, dot.a_elem_type, dot.lhs_k_pack] : [dot.b, dot.b_scale, dot.b_elem_type, dot.rhs_k_pack];
  const loc = valueLocation(given);
  const rank = paramsOf(given).shape.length;
  const kDim = opIdx === 0 ? rank - 1 : rank - 2;
  const value =
    elemType === "e2m1"
      ? fp4ToFp(rw, given, compute, isPackedAlongK ? kDim : opIdx === 0 ? rank - 2 : rank - 1, loc)
      : rw.value(FpToFpOp, { src: given }, { loc, types: [cloneElement(given, compute)] });
  if (!scale) return value;
  const { oriented, spread } = extendScale(rw, dot, scale, opIdx, compute, value.type);
  const product = rw.value(arith.MulFOp, { lhs: value, rhs: spread }, { loc });
  return maskNan(rw, dot, product, oriented, kDim);
}

/** The scale with k where the operand has it, and the same as numbers, one for each element of a tensor of that type. */
export function extendScale(
  rw: Rewriter,
  dot: ScaledDot,
  scale: Value,
  opIdx: 0 | 1,
  compute: Type,
  type: Type,
): { readonly oriented: Value; readonly spread: Value } {
  const loc = valueLocation(scale);
  const rank = paramsOf(scale).shape.length;
  // Scales of b come as if they were those of a.
  const order = [...Array.from({ length: rank - 2 }, (_, i) => i), rank - 1, rank - 2];
  const oriented = opIdx === 1 ? rw.value(TransOp, { src: scale, order }, { loc }) : scale;
  const factor = broadcastScale(rw, dot, scaleTo16(rw, oriented, compute), opIdx === 0 ? rank - 1 : rank - 2);
  return { oriented, spread: rw.value(ConvertLayoutOp, { src: factor }, { loc, types: [type] }) };
}

function fp4ToFp(rw: Rewriter, src: Value, element: Type, axis: number, loc: LocationRef): Value {
  const { shape, encoding } = paramsOf(src);
  const wide = shape.map((size, d) => (d === axis ? size * 2 : size));
  // Upstream's builder asks with the shape of the result.
  const inferred = encoding && layoutRules(encoding).inferFp4ToFpOpEncoding(wide, axis, encoding, true, undefined);
  return rw.value(Fp4ToFpOp, { src, axis }, { loc, types: [tensorType(wide, element, inferred)] });
}

const isFloatScale = (scale: Value): boolean => isFloat(paramsOf(scale).elementType);
/** A scale that is no number of its own holds the exponent of a power of two: shifted to its place it is that power as bf16 or f32. */
function scaleTo16(rw: Rewriter, scale: Value, compute: Type): Value {
  const loc = valueLocation(scale);
  if (isFloatScale(scale)) return rw.value(FpToFpOp, { src: scale }, { loc, types: [cloneElement(scale, compute)] });
  const large = isFloat(compute, "f16") ? floatType(rw.ctx, "f32") : compute;
  const width = bitWidth(large)!;
  const int = intType(rw.ctx, width);
  const mantissaBits = width === 32 ? 23 : 7;
  const wide = rw.value(arith.ExtUIOp, { in: scale }, { loc, types: [cloneElement(scale, int)] });
  const shift = rw.value(arith.ConstantOp, { value: intAttr(int, mantissaBits) }, { loc, types: [int] });
  const shifts = rw.value(SplatOp, { src: shift }, { loc, types: [cloneElement(scale, int)] });
  const shifted = rw.value(arith.ShLIOp, { lhs: wide, rhs: shifts }, { loc });
  const power = rw.value(BitcastOp, { src: shifted }, { loc, types: [cloneElement(scale, large)] });
  return large === compute ? power : rw.value(arith.TruncFOp, { in: power }, { loc, types: [cloneElement(scale, compute)] });
}

/** A value for each element along `dim` of one for each scale. */
function broadcastScale(rw: Rewriter, dot: ScaledDot, scale: Value, dim: number): Value {
  const loc = valueLocation(scale);
  const { shape } = paramsOf(scale);
  const rank = shape.length;
  const module = enclosingModule(dot.op);
  const factor = rw.ctx.triton.generalScaledDots ? (scaleFactor(dot) as number) : 32;
  const blocked = getDefaultBlockedEncoding([...shape, 1], lookupNumWarps(dot.op), getThreadsPerWarp(module), getNumCTAs(module));
  const sliced = convertLayout(rw, scale, encodingAttr(rw.ctx, { kind: "slice", dim: rank, parent: blocked }), loc);
  const expanded = rw.value(ExpandDimsOp, { src: sliced, axis: rank }, { loc });
  const { elementType, encoding } = paramsOf(expanded);
  const broadcast = rw.value(BroadcastOp, { src: expanded }, { loc, types: [tensorType([...shape, factor], elementType, encoding)] });
  const order = Array.from({ length: rank }, (_, i) => i);
  order.splice(dim + 1, 0, rank);
  const trans = rw.value(TransOp, { src: broadcast, order }, { loc });
  return reshape(
    rw,
    trans,
    shape.map((size, d) => (d === dim ? size * factor : size)),
    loc,
  );
}
/** A reshape that keeps the order of elements, in the layout that follows. */
function reshape(rw: Rewriter, src: Value, shape: readonly number[], loc: LocationRef): Value {
  const from = paramsOf(src);
  const encoding = from.encoding && layoutRules(from.encoding).inferReshapeOpEncoding(from.shape, from.encoding, shape, undefined);
  return rw.value(ReshapeOp, { src }, { loc, types: [tensorType(shape, from.elementType, encoding)] });
}

function isNan(rw: Rewriter, scale: Value, compute: Type): Value {
  const loc = valueLocation(scale);
  if (isFloatScale(scale)) {
    const number = scaleTo16(rw, scale, compute);
    return rw.value(arith.CmpFOp, { predicate: "uno", lhs: number, rhs: number }, { loc });
  }
  const nan = rw.value(arith.ConstantOp, { value: denseElements(scale.type, [-1n]) }, { loc, types: [scale.type] });
  return rw.value(arith.CmpIOp, { predicate: "eq", lhs: scale, rhs: nan }, { loc });
}

/** A scale of 0xff is NaN, and so is all that it scales, unless `fastMath` says that there is none. */
export function maskNan(rw: Rewriter, dot: ScaledDot, product: Value, scale: Value, dim: number): Value {
  if (dot.fastMath) return product;
  const loc = valueLocation(scale);
  const spread = broadcastScale(rw, dot, isNan(rw, scale, paramsOf(product).elementType), dim);
  const condition = rw.value(ConvertLayoutOp, { src: spread }, { loc, types: [withEncoding(typeOf(spread), paramsOf(product).encoding)] });
  const nan = splatOf(product.type, floatAttr(paramsOf(product).elementType, Number.NaN));
  const nans = rw.value(arith.ConstantOp, { value: nan }, { loc, types: [product.type] });
  return rw.value(arith.SelectOp, { condition, true_value: nans, false_value: product }, { loc });
}
