/**
 * Type constraints for operands of LLVM ops, with upstream's descriptions.
 * Source: mlir/include/mlir/Dialect/LLVMIR/LLVMOpBase.td.
 */
import { VectorType } from "../../ir/builtin-types.js";
import { AnySignlessInteger, anyOf, I1, type TypeConstraint, typeConstraint } from "../../ir/constraints.js";
import { isCompatibleFloat, isCompatibleOuterType, isCompatibleVector, isLoadable, isScalableVector } from "./types/compatible.js";
import { LLVMArrayType, LLVMFunctionType, LLVMPointerType, LLVMStructType, LLVMTokenType, LLVMVoidType, ptrType } from "./types/types.js";

export const LLVMType = typeConstraint("LLVM dialect-compatible type", isCompatibleOuterType);
export const PrimitiveType = typeConstraint(
  "primitive LLVM type",
  (t) => isCompatibleOuterType(t) && !LLVMVoidType.is(t) && !LLVMFunctionType.is(t),
);
export const TokenType = typeConstraint(
  "LLVM token type",
  (t) => LLVMTokenType.is(t),
  (ctx) => LLVMTokenType.get(ctx, {}),
);
export const FunctionTypeC = typeConstraint("LLVM function type", (t) => LLVMFunctionType.is(t));
export const LLVMFloat = typeConstraint("floating point LLVM type", isCompatibleFloat);
/** Formats spell the type of such an operand without `!llvm.ptr`: `<3>`. */
export const Pointer: TypeConstraint = { ...typeConstraint("LLVM pointer type", (t) => LLVMPointerType.is(t)), stripped: "llvm.ptr" };
export const pointerIn = (addressSpace: number): TypeConstraint => ({
  ...typeConstraint(
    `LLVM pointer in address space ${addressSpace}`,
    (t) => LLVMPointerType.is(t) && t.params.addressSpace === addressSpace,
    (ctx) => ptrType(ctx, addressSpace),
  ),
  stripped: "llvm.ptr",
});
export const AnyStruct = typeConstraint("LLVM structure type", (t) => LLVMStructType.is(t));
export const Aggregate = typeConstraint("LLVM aggregate type", (t) => LLVMStructType.is(t) || LLVMArrayType.is(t));
export const NonAggregate = typeConstraint("LLVM-compatible non-aggregate type", (t) => isCompatibleOuterType(t) && !Aggregate.test(t));
export const LoadableType = typeConstraint("LLVM type with size", isLoadable);
export const LLVMVector: TypeConstraint = {
  ...typeConstraint("LLVM dialect-compatible vector type", isCompatibleVector),
  kind: VectorType,
};
export const FixedVector = typeConstraint("LLVM dialect-compatible fixed-length vector type", (t) => !isScalableVector(t));
/** A vector that LLVM knows, with such elements. */
export const vectorOf = (element: TypeConstraint): TypeConstraint =>
  typeConstraint(
    `LLVM dialect-compatible vector of ${element.description}`,
    (t) => isCompatibleVector(t) && VectorType.is(t) && element.test(t.params.elementType),
  );
/** Such a type, or a vector of it. */
export function scalarOrVectorOf(element: TypeConstraint): TypeConstraint {
  const vector = vectorOf(element);
  return anyOf(`${element.description} or ${vector.description}`, element, vector);
}
export const IntOrVector = scalarOrVectorOf(AnySignlessInteger);
export const FloatOrVector = scalarOrVectorOf(LLVMFloat);
export const PointerOrVector = scalarOrVectorOf(Pointer);
export const I1OrVector = scalarOrVectorOf(I1);
export const I1Vector = vectorOf(I1);
