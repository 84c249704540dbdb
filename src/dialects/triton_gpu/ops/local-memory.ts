/**
 * Buffers in shared memory as 3.0 to 3.2 wrote them, and layout conversions. The ops are today's of `ttg` but for their
 * types and for `memdesc_subview`, which became memdesc_index and memdesc_subslice.
 * Source: include/triton/Dialect/TritonGPU/IR/TritonGPUOps.td of Triton 3.1 and 3.2.
 */
import {
  BoolAttr,
  DenseI32ArrayAttr,
  defaultAttr,
  I1,
  I32,
  I32Attr,
  optional,
  optionalAttr,
  rankedTensorOf,
  variadic,
} from "../../../ir/constraints.js";
import { defineOp, type MemoryEffect } from "../../../ir/define-op.js";
import { AttrSizedOperandSegments, Pure, SameOperandsAndResultElementType, SameOperandsAndResultShape } from "../../../ir/traits.js";
import { PtrTensor, Tensor, TritonType } from "../../tt/constraints.js";
import { CacheModifierAttr, EvictionPolicyAttr } from "../../tt/enums.js";
import { readsGlobal } from "../../tt/tt-op.js";
import { readsShared, SHARED_MEMORY, writesShared } from "../../ttg/ttg-op.js";
import { AsyncToken, OldMemDesc, OldMemDescType } from "../types.js";

export const OldConvertLayoutOp = defineOp("triton_gpu.convert_layout", () => ({
  summary: "convert layout",
  operands: { src: Tensor },
  results: { result: Tensor },
  traits: [SameOperandsAndResultShape, SameOperandsAndResultElementType, Pure],
  format: "$src attr-dict `:` type($src) `->` type($result)",
}));

export const OldAsyncWaitOp = defineOp("triton_gpu.async_wait", () => ({
  summary: "async wait",
  operands: { asyncToken: variadic(AsyncToken) },
  attrs: { num: I32Attr },
  results: { retToken: AsyncToken },
  format: "$asyncToken attr-dict",
}));
export const OldAsyncCommitGroupOp = defineOp("triton_gpu.async_commit_group", () => ({
  summary: "async commit group",
  operands: { inputTokens: variadic(AsyncToken) },
  results: { asyncToken: AsyncToken },
  format: "$inputTokens attr-dict",
}));
export const OldAsyncCopyGlobalToLocalOp = defineOp("triton_gpu.async_copy_global_to_local", () => ({
  summary: "copy data from global memory to local memory asynchronously",
  operands: { src: PtrTensor, result: OldMemDesc, mask: optional(rankedTensorOf(I1)), other: optional(TritonType) },
  attrs: {
    cache: defaultAttr(CacheModifierAttr, "none"),
    evict: defaultAttr(EvictionPolicyAttr, "evict_normal"),
    isVolatile: defaultAttr(BoolAttr, false),
  },
  results: { token: AsyncToken },
  traits: [AttrSizedOperandSegments],
  format:
    "$src `,` $result (`mask` $mask^)? (`other` $other^)? oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` type($src) `->` type($result)",
  effects: ({ src, result }) => [readsGlobal(src), writesShared(result)],
}));

export const OldLocalAllocOp = defineOp("triton_gpu.local_alloc", () => ({
  summary: "allocate tensor",
  operands: { src: optional(Tensor) },
  attrs: { alignment: optionalAttr(I32Attr) },
  results: { result: OldMemDesc },
  format: "$src attr-dict `:` functional-type(operands, results)",
  effects({ src, result }): readonly MemoryEffect[] {
    if (OldMemDescType.is(result.type) && !result.type.params.mutableMemory) return [];
    const allocates: MemoryEffect = { kind: "allocate", value: result, resource: SHARED_MEMORY };
    return src ? [allocates, writesShared(result)] : [allocates];
  },
}));
export const OldLocalDeallocOp = defineOp("triton_gpu.local_dealloc", () => ({
  summary: "dealloc buffer",
  operands: { src: OldMemDesc },
  format: "$src attr-dict `:` qualified(type($src))",
  effects: ({ src }) => [{ kind: "free", value: src, resource: SHARED_MEMORY }],
}));
export const OldLocalLoadOp = defineOp("triton_gpu.local_load", () => ({
  summary: "load a buffer from local memory into a distributed tensor",
  operands: { src: OldMemDesc, token: optional(AsyncToken) },
  results: { result: Tensor },
  format: "$src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)",
  effects: ({ src }) => [readsShared(src)],
}));
export const OldLocalStoreOp = defineOp("triton_gpu.local_store", () => ({
  summary: "store a distributed tensor into a buffer in local memory",
  operands: { src: Tensor, dst: OldMemDesc },
  format: "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))",
  effects: ({ dst }) => [writesShared(dst)],
}));
export const OldMemDescSubviewOp = defineOp("triton_gpu.memdesc_subview", () => ({
  summary: "take a subview of the descriptor",
  operands: { src: OldMemDesc, offsets: variadic(I32) },
  results: { result: OldMemDesc },
  traits: [Pure],
  format: "$src `[` $offsets `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))",
}));
export const OldMemDescTransOp = defineOp("triton_gpu.memdesc_trans", () => ({
  summary: "transpose the descriptor",
  operands: { src: OldMemDesc },
  attrs: { order: DenseI32ArrayAttr },
  results: { result: OldMemDesc },
  traits: [Pure],
  format: "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))",
}));
