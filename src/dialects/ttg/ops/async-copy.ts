/** Asynchronous copies to shared memory and waiting for them. Source: TritonGPUOps.td. */
import { BoolAttr, defaultAttr, I1, I32Attr, optional, rankedTensorOf, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { AttrSizedOperandSegments, OptionalTypesMatchWith } from "../../../ir/traits.js";
import { PtrTensor, TritonType } from "../../tt/constraints.js";
import { CacheModifierAttr, EvictionPolicyAttr } from "../../tt/enums.js";
import { readsGlobal } from "../../tt/tt-op.js";
import { getI1SameShape, getPointeeType } from "../../tt/types.js";
import { ttgTraits, writesShared } from "../ttg-op.js";
import { AsyncToken, MemDescOperand, MemDescType } from "../types.js";

export const AsyncWaitOp = defineOp("ttg.async_wait", () => ({
  summary: "async wait",
  operands: { asyncToken: variadic(AsyncToken) },
  attrs: { num: I32Attr },
  results: { retToken: AsyncToken },
  traits: ttgTraits(),
  format: "($asyncToken^)? attr-dict",
}));

export const AsyncCommitGroupOp = defineOp("ttg.async_commit_group", () => ({
  summary: "async commit group",
  operands: { inputTokens: variadic(AsyncToken) },
  results: { asyncToken: AsyncToken },
  traits: ttgTraits(),
  format: "(`tokens` $inputTokens^)? attr-dict",
}));

export const AsyncCopyGlobalToLocalOp = defineOp("ttg.async_copy_global_to_local", () => ({
  summary: "copy data from global memory to local memory asynchronously",
  operands: { src: PtrTensor, result: MemDescOperand, mask: optional(I1Tensor()), other: optional(TritonType) },
  attrs: {
    cache: defaultAttr(CacheModifierAttr, "none"),
    evict: defaultAttr(EvictionPolicyAttr, "evict_normal"),
    isVolatile: defaultAttr(BoolAttr, false),
    // The most elements that one access may take, where the IR alone does not prove them aligned.
    contiguity: defaultAttr(I32Attr, 1),
  },
  results: { token: AsyncToken },
  traits: ttgTraits(
    AttrSizedOperandSegments,
    OptionalTypesMatchWith("infer mask type from src type", "src", "mask", getI1SameShape),
    OptionalTypesMatchWith("infer other type from src type", "src", "other", getPointeeType),
  ),
  format:
    "$src `,` $result (`mask` $mask^)? (`other` $other^)? oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` type($src) `->` type($result)",
  verify({ result }, report) {
    if (MemDescType.is(result.type) && !result.type.params.mutableMemory)
      report.error("Cannot store into immutable memory", "ttg.async-copy");
  },
  effects: ({ src, result }) => [readsGlobal(src), writesShared(result)],
}));

function I1Tensor() {
  return rankedTensorOf(I1, "tensor of 1-bit signless integer values");
}
