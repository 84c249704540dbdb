/** Types as the LLVM dialect has them. Source: mlir/lib/Conversion/LLVMCommon/TypeConverter.cpp. */
import { isCompatibleType } from "../../dialects/llvm/types/compatible.js";
import { LLVMArrayType } from "../../dialects/llvm/types/types.js";
import type { Type } from "../../ir/attribute.js";
import { IndexType, i64, VectorType } from "../../ir/builtin-types.js";
import { type Materialization, TypeConverter } from "../../rewrite/type-converter.js";
import { unrealizedCast } from "../../rewrite/unrealized-casts.js";

/** `index` is as wide as a pointer, a vector of several dimensions an array of vectors; other types have no like. */
function convertToLLVM(type: Type): Type | null {
  if (isCompatibleType(type)) return type;
  if (IndexType.is(type)) return i64(type.ctx);
  if (!VectorType.is(type) || type.params.shape.length === 0) return null;
  const { shape, scalable, elementType } = type.params;
  const element = convertToLLVM(elementType);
  if (!element || scalable?.slice(0, -1).some(Boolean)) return null;
  const row: Type = VectorType.get(type.ctx, { shape: shape.slice(-1), scalable: scalable?.slice(-1), elementType: element });
  return shape.slice(0, -1).reduceRight((inner, numElements) => LLVMArrayType.get(type.ctx, { elementType: inner, numElements }), row);
}

/** Casts connect what was converted and what was not. */
export function llvmTypeConverter(): TypeConverter {
  const cast: Materialization = (rw, types, inputs, loc) => rw.insert(unrealizedCast(rw.ctx, loc, inputs, types)).results;
  return new TypeConverter().addConversion(convertToLLVM).addSourceMaterialization(cast).addTargetMaterialization(cast);
}
