/** The types that the LLVM dialect accepts as LLVM types. Source: mlir/lib/Dialect/LLVMIR/IR/LLVMTypes.cpp. */
import type { Type } from "../../../ir/attribute.js";
import { bitWidth, type FloatKind, FloatType, IntegerType, VectorType } from "../../../ir/builtin-types.js";
import {
  LLVMArrayType,
  LLVMFunctionType,
  LLVMPointerType,
  LLVMPPCFP128Type,
  LLVMStructType,
  LLVMTargetExtType,
  structElements,
} from "./types.js";

const FLOATS: ReadonlySet<FloatKind> = new Set(["f16", "bf16", "f32", "f64", "f80", "f128"] as FloatKind[]);

/** A float type that the LLVM dialect takes. */
export function isCompatibleFloat(type: Type): boolean {
  return (FloatType.is(type) && FLOATS.has(type.params.kind)) || LLVMPPCFP128Type.is(type);
}
const isSignless = (type: Type): boolean => IntegerType.is(type) && type.params.signedness === "signless";

/** A one-dimensional vector of integers, floats or pointers. */
export function isCompatibleVector(type: Type): boolean {
  if (!VectorType.is(type) || type.params.shape.length !== 1) return false;
  const { elementType } = type.params;
  return isSignless(elementType) || isCompatibleFloat(elementType) || LLVMPointerType.is(elementType);
}
/** A vector whose first dimension is scalable. */
export const isScalableVector = (type: Type): boolean => VectorType.is(type) && (type.params.scalable?.[0] ?? false);

/** Whether the outermost level is an LLVM type; what it contains is not looked at. */
export function isCompatibleOuterType(type: Type): boolean {
  return type.def.name.startsWith("llvm.") || isSignless(type) || isCompatibleFloat(type) || isCompatibleVector(type);
}

const known = new WeakMap<Type, boolean>();
/** Whether the type is an LLVM type all through. */
export function isCompatibleType(type: Type): boolean {
  let answer = known.get(type);
  if (answer === undefined) {
    known.set(type, true); // while a recursive struct is looked at, it counts as right
    answer = nestedTypes(type)?.every(isCompatibleType) ?? isCompatibleOuterType(type);
    known.set(type, answer);
  }
  return answer;
}
function nestedTypes(type: Type): readonly Type[] | undefined {
  if (LLVMStructType.is(type)) return structElements(type);
  if (LLVMArrayType.is(type)) return [type.params.elementType];
  if (LLVMFunctionType.is(type)) return [type.params.returnType, ...type.params.params];
  if (LLVMTargetExtType.is(type)) return type.params.typeParams;
  return undefined;
}

const UNSIZED: ReadonlySet<string> = new Set(["llvm.void", "llvm.label", "llvm.metadata", "llvm.func", "llvm.token"]);
/** Types that have a size, so that they can be loaded and stored. */
export function isLoadable(type: Type): boolean {
  return isCompatibleOuterType(type) && !UNSIZED.has(type.def.name);
}
/** The element type of a vector, any other type itself. */
export const elementOrSelf = (type: Type): Type => (VectorType.is(type) ? type.params.elementType : type);
/** The integer type of comparisons: `i1`, or a vector of it of the same length. */
export function withI1Elements(type: Type, i1: Type): Type {
  return isCompatibleVector(type) && VectorType.is(type) ? VectorType.get(type.ctx, { ...type.params, elementType: i1 }) : i1;
}
/** Bits of a vector of integers or floats, at least, when it is scalable. */
export function bitsOf(type: Type): number {
  if (!VectorType.is(type)) return bitWidth(type) ?? 64;
  return (type.params.shape[0] ?? 1) * (bitWidth(type.params.elementType) ?? 64);
}
