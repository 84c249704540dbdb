/**
 * Sizes and offsets of types in memory, by NVPTX's data layout: pointers to shared memory and the like have 32 bits.
 * Source: llvm/lib/Target/NVPTX/NVPTXTargetMachine.cpp (computeDataLayout), with short pointers as Triton sets them.
 */

import { LLVMArrayType, LLVMPointerType, LLVMStructType, structBody, structElements } from "../../dialects/llvm/types/types.js";
import type { Type } from "../../ir/attribute.js";
import { bitWidth, IndexType, IntegerType, VectorType } from "../../ir/builtin-types.js";
import { Bug } from "../../support/assert.js";

export const DATA_LAYOUT = "e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

/** Bytes of a pointer into an address space. */
export const pointerBytes = (addressSpace: number): number => (addressSpace >= 3 && addressSpace <= 7 ? 4 : 8);

/** Bytes from one element of the type to the next. */
export function byteSize(type: Type): number {
  const size = storeSize(type);
  const align = byteAlign(type);
  return Math.ceil(size / align) * align;
}
/** Bytes that a store of the type writes. */
export function storeSize(type: Type): number {
  if (LLVMPointerType.is(type)) return pointerBytes(type.params.addressSpace);
  if (VectorType.is(type)) return Math.ceil((type.params.shape[0]! * scalarBits(type.params.elementType)) / 8);
  if (LLVMArrayType.is(type)) return type.params.numElements * byteSize(type.params.elementType);
  if (LLVMStructType.is(type)) {
    const elements = structElements(type);
    return elements.length === 0 ? 0 : elementOffset(type, elements.length).offset;
  }
  return Math.ceil(scalarBits(type) / 8);
}
function scalarBits(type: Type): number {
  if (LLVMPointerType.is(type)) return 8 * pointerBytes(type.params.addressSpace);
  return bitWidth(type) ?? (IndexType.is(type) ? 64 : unsized(type));
}
/** The alignment that loads and stores have when none is given, in bytes. */
export function byteAlign(type: Type): number {
  if (LLVMArrayType.is(type)) return byteAlign(type.params.elementType);
  if (LLVMStructType.is(type)) return isPacked(type) ? 1 : Math.max(1, ...structElements(type).map(byteAlign));
  const size = VectorType.is(type)
    ? Math.ceil((type.params.shape[0]! * scalarBits(type.params.elementType)) / 8)
    : Math.ceil(scalarBits(type) / 8);
  return 2 ** Math.ceil(Math.log2(Math.max(1, size)));
}
/** Where element `index` of a struct, array or vector begins, and its type; one past the end of a struct is its size. */
export function elementOffset(type: Type, index: number): { readonly offset: number; readonly type: Type } {
  if (LLVMArrayType.is(type) || VectorType.is(type))
    return { offset: index * byteSize(type.params.elementType), type: type.params.elementType };
  if (!LLVMStructType.is(type)) return unsized(type);
  const elements = structElements(type);
  const packed = isPacked(type);
  let offset = 0;
  for (let i = 0; i < elements.length; i++) {
    const align = packed ? 1 : byteAlign(elements[i]!);
    offset = Math.ceil(offset / align) * align;
    if (i === index) return { offset, type: elements[i]! };
    offset += packed ? storeSize(elements[i]!) : byteSize(elements[i]!);
  }
  const align = byteAlign(type);
  return { offset: Math.ceil(offset / align) * align, type };
}
function isPacked(type: Type): boolean {
  if (!LLVMStructType.is(type)) return false;
  return type.params.kind === "literal" ? type.params.packed : (structBody(type)?.packed ?? false);
}
function unsized(type: Type): never {
  throw new Bug(`${type.def.name} has no size`);
}

/**
 * The alignment, in bytes, that a load or store (or an alloca, `preferred`) without one gets in the text: translation happens
 * before NVPTX's layout is attached, so under LLVM's default one.
 */
export function defaultAlign(type: Type, preferred = false): number {
  if (LLVMPointerType.is(type)) return 8;
  if (LLVMArrayType.is(type)) return defaultAlign(type.params.elementType, preferred);
  if (LLVMStructType.is(type)) {
    const own = isPacked(type) ? 1 : Math.max(1, ...structElements(type).map((t) => defaultAlign(t)));
    return preferred ? Math.max(8, own) : own;
  }
  if (IntegerType.is(type) && type.params.width > 32 && type.params.width <= 64) return preferred ? 8 : 4;
  return byteAlign(type);
}
