/** Clamps that hardware has an instruction for. Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ElementwiseOpToLLVM.cpp, ClampFOpConversion. */
import { ConstantOp } from "../dialects/arith/ops/constant.js";
import { NegFOp, SubFOp } from "../dialects/arith/ops/float.js";
import { SplatOp } from "../dialects/tt/ops/shape.js";
import { DenseElementsAttr, FloatAttr, floatValue } from "../ir/builtin-attrs.js";
import { FloatType, type TensorType } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";

/** The number that all elements of a constant are; scalars count since 3.7. */
function splatNumber(value: Value): number | undefined {
  const constant = ConstantOp.match(value.definingOp)?.value;
  if (FloatAttr.is(constant)) return value.type.ctx.triton.clipsScalars ? floatValue(constant) : undefined;
  if (!DenseElementsAttr.is(constant) || !constant.params.splat) return undefined;
  const { elementType } = (constant.params.type as TensorType).params;
  return FloatType.is(elementType)
    ? floatValue(FloatAttr.get(value.type.ctx, { bits: constant.params.elements[0]!, type: elementType }))
    : undefined;
}
/** Whether one bound is the other one negated, or splats are of such scalars. */
function isNegative(low: Value, high: Value): boolean {
  if (NegFOp.match(low.definingOp)?.operand === high) return true;
  const [from, to] = [low, high].map((bound) => SplatOp.match(bound.definingOp)?.src);
  return to !== undefined && NegFOp.match(from?.definingOp)?.operand === to;
}
/** Whether a clamp is clamp(x, -limit, limit): one instruction, `min.xorsign.abs`, where the GPU has it. */
export function isClip(op: Operation): boolean {
  const [low, high] = [op.operand(1), op.operand(2)];
  if (op.ctx.triton.negatesFloats && isNegative(low, high)) return true;
  const sub = SubFOp.match(low.definingOp);
  if (sub) return sub.rhs === high && splatNumber(sub.lhs) === 0;
  const [from, to] = [splatNumber(low), splatNumber(high)];
  return from !== undefined && to !== undefined && from === -to;
}
