/** Types as lists of registers: structs, arrays and vectors are what they are made of, in order. */

import { LLVMArrayType, LLVMPointerType, LLVMStructType, structElements } from "../../dialects/llvm/types/types.js";
import type { Type } from "../../ir/attribute.js";
import { FloatType, IndexType, IntegerType, shapedParams, VectorType } from "../../ir/builtin-types.js";
import { pointerBytes } from "../llvm-ir/data-layout.js";
import type { Width } from "./graph.js";

/** One register's worth of a value. `bits` are those in memory; a predicate has 1. */
export interface Leaf {
  readonly bits: number;
  readonly width: Width;
  /** `i`, or the float kind: `f32`. Pointers are `i`. */
  readonly kind: string;
}

const cache = new WeakMap<Type, readonly Leaf[]>();
/** The registers of a type; undefined when it has a part that no register holds. */
export function leavesOf(type: Type): readonly Leaf[] | undefined {
  const known = cache.get(type);
  if (known) return known;
  const found = compute(type);
  if (found) cache.set(type, found);
  return found;
}

function compute(type: Type): readonly Leaf[] | undefined {
  if (IntegerType.is(type)) return scalar(type.params.width, "i");
  if (IndexType.is(type)) return scalar(64, "i");
  if (FloatType.is(type)) {
    const bits = { f16: 16, bf16: 16, f32: 32, f64: 64 }[type.params.kind as string];
    return bits === undefined ? undefined : scalar(bits, type.params.kind);
  }
  if (LLVMPointerType.is(type)) return scalar(8 * pointerBytes(type.params.addressSpace), "i");
  if (VectorType.is(type)) return repeated(type.params.elementType, type.params.shape[0]!);
  if (LLVMArrayType.is(type)) return repeated(type.params.elementType, type.params.numElements);
  if (LLVMStructType.is(type)) {
    const parts = structElements(type).map(leavesOf);
    return parts.includes(undefined) ? undefined : parts.flatMap((p) => p!);
  }
  return type.def.name === "llvm.void" ? [] : undefined;
}
function scalar(bits: number, kind: string): readonly Leaf[] | undefined {
  if (![1, 8, 16, 32, 64].includes(bits)) return undefined;
  return [{ bits, kind, width: (bits === 8 ? 32 : bits) as Width }];
}
function repeated(type: Type, count: number): readonly Leaf[] | undefined {
  const one = leavesOf(type);
  return one && Array.from({ length: count }, () => one).flat();
}

/** Where the part at a position begins, and how many registers it has. */
export function leafRange(type: Type, position: readonly number[]): { readonly start: number; readonly count: number } {
  let start = 0;
  let at = type;
  for (const index of position) {
    if (LLVMStructType.is(at)) {
      const elements = structElements(at);
      for (const element of elements.slice(0, index)) start += leavesOf(element)!.length;
      at = elements[index]!;
    } else {
      const elementType = LLVMArrayType.is(at) ? at.params.elementType : shapedParams(at).elementType;
      start += index * leavesOf(elementType)!.length;
      at = elementType;
    }
  }
  return { start, count: leavesOf(at)!.length };
}
