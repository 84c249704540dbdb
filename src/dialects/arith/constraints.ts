/** Operands of arith and math ops: scalars, vectors or tensors of a type. Source: mlir/include/mlir/IR/CommonTypeConstraints.td. */
import type { Type } from "../../ir/attribute.js";
import {
  FloatType,
  i1,
  isIndex,
  isInteger,
  isShaped,
  MemRefType,
  RankedTensorType,
  UnrankedTensorType,
  VectorType,
  withElementType,
} from "../../ir/builtin-types.js";
import { type TypeConstraint, typeConstraint } from "../../ir/constraints.js";

const isSignlessInteger = (type: Type): boolean => isInteger(type);
const isSignlessIntegerOrIndex = (type: Type): boolean => isInteger(type) || isIndex(type);
const isFloat = (type: Type): boolean => FloatType.is(type);
const isIntegerOrFloat = (type: Type): boolean => isInteger(type) || FloatType.is(type);

/** The element type of a vector or tensor, any other type itself. */
function elementOf(type: Type): Type {
  return RankedTensorType.is(type) || VectorType.is(type) || UnrankedTensorType.is(type) ? type.params.elementType : type;
}
function like(description: string, element: (type: Type) => boolean): TypeConstraint {
  return typeConstraint(description, (type) => element(elementOf(type)));
}
function likeOrMemRef(description: string, element: (type: Type) => boolean): TypeConstraint {
  return typeConstraint(description, (type) => element(MemRefType.is(type) ? type.params.elementType : elementOf(type)));
}

export const SignlessIntegerOrIndexLike = like("signless-integer-like", isSignlessIntegerOrIndex);
export const SignlessFixedWidthIntegerLike = like("signless-fixed-width-integer-like", isSignlessInteger);
export const FloatLike = like("floating-point-like", isFloat);
export const BoolLike = like("bool-like", (type) => isInteger(type, 1));
export const IndexCastType = likeOrMemRef("signless-integer-like or memref of signless-integer", isSignlessIntegerOrIndex);
export const BitcastType = likeOrMemRef("signless-integer-or-float-like or memref of signless-integer or float", isIntegerOrFloat);

/** i1, or the same vector or tensor of i1. */
export function i1SameShape(type: Type): Type {
  return isShaped(type) || UnrankedTensorType.is(type) ? withElementType(type, i1(type.ctx)) : i1(type.ctx);
}
