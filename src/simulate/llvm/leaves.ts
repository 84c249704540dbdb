/** Values of the LLVM dialect as registers: a struct, array or vector is the list of its scalars' registers. */

import { LLVMArrayType, LLVMPointerType, LLVMStructType, structElements } from "../../dialects/llvm/types/types.js";
import type { Type } from "../../ir/attribute.js";
import { FloatType, IntegerType, VectorType } from "../../ir/builtin-types.js";

/** A scalar: its bits (1 for a predicate), and what PTX calls it. */
export interface Leaf {
  readonly bits: 1 | 8 | 16 | 32 | 64;
  /** `f16`, `bf16`, `f32`, `f64`; undefined for integers and pointers. */
  readonly float: string | undefined;
  readonly space: number | undefined;
}

const BUFFER = 8;
const POINTER_BITS: Readonly<Record<number, 32 | 64>> = { 3: 32, 7: 32 };

/** The scalars of a type, in order; undefined when it has one that no register holds. */
export function leavesOf(type: Type): readonly Leaf[] | undefined {
  if (IntegerType.is(type)) {
    const { width } = type.params;
    return width === 1 || width === 8 || width === 16 || width === 32 || width === 64
      ? [{ bits: width, float: undefined, space: undefined }]
      : undefined;
  }
  if (FloatType.is(type)) {
    const { kind } = type.params;
    const bits = kind === "f16" || kind === "bf16" ? 16 : kind === "f32" ? 32 : kind === "f64" ? 64 : undefined;
    return bits === undefined ? undefined : [{ bits, float: kind, space: undefined }];
  }
  // AMD's descriptor of a buffer: its first byte, and how many bytes there are.
  if (LLVMPointerType.is(type) && type.params.addressSpace === BUFFER)
    return [0, 0].map(() => ({ bits: 64, float: undefined, space: undefined }) as const);
  if (LLVMPointerType.is(type))
    return [{ bits: POINTER_BITS[type.params.addressSpace] ?? 64, float: undefined, space: type.params.addressSpace }];
  const parts = elementsOf(type);
  if (parts === undefined) return undefined;
  const leaves = parts.map(leavesOf);
  return leaves.includes(undefined) ? undefined : leaves.flatMap((l) => l!);
}

/** The element types of an aggregate. */
export function elementsOf(type: Type): readonly Type[] | undefined {
  if (VectorType.is(type)) return Array.from({ length: type.params.shape.reduce((a, b) => a * b, 1) }, () => type.params.elementType);
  if (LLVMArrayType.is(type)) return Array.from({ length: Number(type.params.numElements) }, () => type.params.elementType);
  return LLVMStructType.is(type) ? structElements(type) : undefined;
}

/** Bytes in memory, and the alignment, of a type in LLVM's layout for NVPTX. */
export function sizeOf(type: Type): { readonly bytes: number; readonly align: number } {
  if (VectorType.is(type)) {
    const element = sizeOf(type.params.elementType).bytes;
    const bytes = 2 ** Math.ceil(Math.log2(Math.max(element * (elementsOf(type)?.length ?? 1), 1)));
    return { bytes, align: bytes };
  }
  if (LLVMArrayType.is(type)) {
    const { bytes, align } = sizeOf(type.params.elementType);
    return { bytes: bytes * Number(type.params.numElements), align };
  }
  if (LLVMStructType.is(type)) {
    const offsets = fieldOffsets(structElements(type));
    return { bytes: offsets.bytes, align: offsets.align };
  }
  // In memory a pointer to shared memory, too, has 64 bits unless the data layout says otherwise: NVPTX's says 32.
  const bytes = Math.ceil((leavesOf(type)?.[0]?.bits ?? 8) / 8);
  return { bytes, align: bytes };
}

/** Where a struct's fields lie. */
export function fieldOffsets(fields: readonly Type[]): {
  readonly offsets: readonly number[];
  readonly bytes: number;
  readonly align: number;
} {
  let at = 0;
  let largest = 1;
  const offsets = fields.map((field) => {
    const { bytes, align } = sizeOf(field);
    at = Math.ceil(at / align) * align;
    largest = Math.max(largest, align);
    const offset = at;
    at += bytes;
    return offset;
  });
  return { offsets, bytes: Math.ceil(at / largest) * largest, align: largest };
}

/** Leaves before element `index` of an aggregate. */
export function leafOffset(type: Type, index: number): number {
  return (elementsOf(type) ?? []).slice(0, index).reduce((sum, t) => sum + (leavesOf(t)?.length ?? 0), 0);
}
