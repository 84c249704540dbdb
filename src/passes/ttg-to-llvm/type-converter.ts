/**
 * Types of tensors and the like as a thread holds them. Source: lib/Conversion/TritonGPUToLLVM/TypeConverter.cpp.
 */
import { LLVMVoidType, ptrType, structType } from "../../dialects/llvm/types/types.js";
import { PointerType } from "../../dialects/tt/types.js";
import { distributedParams, encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { AsyncTokenType, MemDescType } from "../../dialects/ttg/types.js";
import { isAnyTensorDesc } from "../../dialects/ttng/types.js";
import type { Type } from "../../ir/attribute.js";
import { FloatType, IndexType, i8, i32, RankedTensorType } from "../../ir/builtin-types.js";
import { getTotalElemsPerThread } from "../../layout/encoding-queries.js";
import { LayoutError } from "../../layout/layout-error.js";

/** Kinds of f8 that LLVM has no type for: their bits are carried in an i8. */
const AS_I8: ReadonlySet<string> = new Set(["f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"]);

/** Elements of a tensor that one thread holds. */
export function elementsPerThread(type: Type): number {
  if (!RankedTensorType.is(type)) return 1;
  const encoding = distributedParams(type.params.encoding);
  if (!encoding) throw new LayoutError("a tensor without a distributed layout");
  return getTotalElemsPerThread(encoding, type.params.shape);
}

/** The type in the LLVM dialect: a tensor is a struct of its thread's elements, a memdesc one of base and offsets. */
export function convertType(type: Type): Type {
  const { ctx } = type;
  if (IndexType.is(type)) return i32(ctx);
  if (FloatType.is(type)) return AS_I8.has(type.params.kind) ? i8(ctx) : type;
  if (PointerType.is(type)) return ptrType(ctx, type.params.addressSpace);
  if (isAnyTensorDesc(type)) return ptrType(ctx, 0);
  if (AsyncTokenType.is(type)) return i32(ctx);
  if (RankedTensorType.is(type))
    return structType(ctx, new Array<Type>(elementsPerThread(type)).fill(convertType(type.params.elementType)));
  if (MemDescType.is(type)) {
    const encoding = encodingParams(type.params.encoding);
    const inTensorMemory = encoding?.kind === "tensor_memory_encoding" || encoding?.kind === "tensor_memory_scales_encoding";
    // Tensor memory too, though it is address space 6.
    const base = ptrType(ctx, 3);
    return inTensorMemory ? base : structType(ctx, [base, ...type.params.shape.map(() => i32(ctx))]);
  }
  return type;
}

export const voidOr = (type: Type | undefined, ctx: Type["ctx"]): Type => type ?? LLVMVoidType.get(ctx, {});
