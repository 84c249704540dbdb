/** Type constraints for operands and results of tt ops. Source: TritonTypes.td; descriptions as its summaries. */
import type { Type } from "../../ir/attribute.js";
import {
  bitWidth,
  elementTypeOrSelf,
  type FloatKind,
  FloatType,
  isInteger,
  RankedTensorType,
  UnrankedTensorType,
} from "../../ir/builtin-types.js";
import { anyOf, I1, I8, I32, I64, rankedTensorOf, type TypeConstraint, typeConstraint } from "../../ir/constraints.js";
import { PointerType, TensorDescType } from "./types.js";

const FLOAT_KINDS: ReadonlySet<FloatKind> = new Set(["f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f16", "bf16", "f32", "f64"]);
const INT_WIDTHS: ReadonlySet<number> = new Set([1, 4, 8, 16, 32, 64]);

/** `A or B`: upstream's AnyTypeOf without a summary of its own. */
function oneOf(...constraints: readonly TypeConstraint[]): TypeConstraint {
  return anyOf(constraints.map((c) => c.description).join(" or "), ...constraints);
}
/** Upstream's TensorOf, which also takes unranked tensors. */
function tensorOf(element: TypeConstraint): TypeConstraint {
  const isTensor = (t: Type) => RankedTensorType.is(t) || UnrankedTensorType.is(t);
  return typeConstraint(`tensor of ${element.description} values`, (t) => isTensor(t) && element.test(elementTypeOrSelf(t)));
}

export const Float = typeConstraint("floating-point", (t) => FloatType.is(t) && FLOAT_KINDS.has(t.params.kind));
export const FloatTensor = rankedTensorOf(Float);
export const FloatLike = oneOf(Float, FloatTensor);
export const BoolLike = oneOf(I1, rankedTensorOf(I1));
export const I1OrTensor = oneOf(I1, tensorOf(I1));
export const Int = typeConstraint("integer", (t) => isInteger(t) && INT_WIDTHS.has(bitWidth(t)!));
export const IntTensor = rankedTensorOf(Int);
export const IntLike = oneOf(Int, IntTensor);
export const I64Like = oneOf(I64, tensorOf(I64));
export const I32Tensor = rankedTensorOf(I32);
export const Ptr: TypeConstraint = { ...typeConstraint("ptr", (t) => PointerType.is(t)), stripped: PointerType.name };
export const PtrTensor = rankedTensorOf(Ptr);
export const PtrLike = oneOf(Ptr, PtrTensor);
export const FpIntTensor = rankedTensorOf(oneOf(Float, Int));
export const Tensor = rankedTensorOf(oneOf(Float, Int, Ptr));
export const TensorPtr: TypeConstraint = {
  ...typeConstraint("ptr", (t) => PointerType.is(t) && Tensor.test(t.params.pointeeType)),
  stripped: PointerType.name,
};
export const PtrLikeOrTensorPtr = oneOf(PtrLike, TensorPtr);
/** Any type of a value in Triton IR. */
export const TritonType = oneOf(FloatLike, IntLike, PtrLike, TensorPtr);
/** An operand of dot_scaled: floats, or fp4 packed in pairs into bytes. */
export const FloatOrI8Tensor = rankedTensorOf(oneOf(Float, I8));
export const TensorDesc: TypeConstraint = {
  ...typeConstraint(TensorDescType.summary!, (t) => TensorDescType.is(t)),
  stripped: TensorDescType.name,
};
