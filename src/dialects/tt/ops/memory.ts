/** Loads, stores and atomics on global memory. */

import { BoolAttr, DenseI32ArrayAttr, defaultAttr, optional, optionalAttr } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { AttrSizedOperandSegments, InferTypeOpInterface, SameOperandsAndResultShape, TypesMatchWith } from "../../../ir/traits.js";
import { BoolLike, PtrLike, PtrLikeOrTensorPtr, TritonType } from "../constraints.js";
import { AtomicRMWAttr, CacheModifierAttr, EvictionPolicyAttr, MemSemanticAttr, MemSyncScopeAttr, PaddingOptionAttr } from "../enums.js";
import {
  SameLoadStoreOperandsAndResultEncoding,
  SameLoadStoreOperandsAndResultShape,
  SameLoadStoreOperandsEncoding,
  SameLoadStoreOperandsShape,
  SameOperandsAndResultEncoding,
} from "../traits.js";
import { readsGlobal, ttTraits, writesGlobal } from "../tt-op.js";
import { getI1SameShape, getPointeeType, getPointerTypeSameShape } from "../types.js";

const maskOfPointee = (type: Parameters<typeof getPointeeType>[0]) => {
  const pointee = getPointeeType(type);
  return pointee && getI1SameShape(pointee);
};

/** Source: TritonOps.td, TT_LoadOp. */
export const LoadOp = defineOp("tt.load", () => ({
  summary: "Load from a tensor of pointers or from a tensor pointer",
  operands: { ptr: PtrLikeOrTensorPtr, mask: optional(BoolLike), other: optional(TritonType) },
  attrs: {
    boundaryCheck: defaultAttr(DenseI32ArrayAttr, []),
    padding: optionalAttr(PaddingOptionAttr),
    cache: defaultAttr(CacheModifierAttr, "none"),
    evict: defaultAttr(EvictionPolicyAttr, "evict_normal"),
    isVolatile: defaultAttr(BoolAttr, false),
  },
  results: { result: TritonType },
  traits: ttTraits(
    SameLoadStoreOperandsAndResultShape,
    SameLoadStoreOperandsAndResultEncoding,
    AttrSizedOperandSegments,
    InferTypeOpInterface,
    TypesMatchWith("result matches ptr type", "ptr", "result", getPointeeType),
    TypesMatchWith("mask type matches ptr type", "ptr", "mask", maskOfPointee),
    TypesMatchWith("other matches ptr type", "ptr", "other", getPointeeType),
  ),
  format: `
    $ptr (\`,\` $mask^)? (\`,\` $other^)?
    oilist(\`cacheModifier\` \`=\` $cache | \`evictionPolicy\` \`=\` $evict)
    attr-dict \`:\` type($ptr)`,
  effects: ({ ptr, isVolatile }) => (isVolatile ? [readsGlobal(ptr), { kind: "write" }] : [readsGlobal(ptr)]),
}));

/** Source: TritonOps.td, TT_StoreOp. */
export const StoreOp = defineOp("tt.store", () => ({
  summary: "Store by a tensor of pointers or by a tensor pointer",
  operands: { ptr: PtrLikeOrTensorPtr, value: TritonType, mask: optional(BoolLike) },
  attrs: {
    boundaryCheck: defaultAttr(DenseI32ArrayAttr, []),
    cache: defaultAttr(CacheModifierAttr, "none"),
    evict: defaultAttr(EvictionPolicyAttr, "evict_normal"),
  },
  traits: ttTraits(
    SameLoadStoreOperandsShape,
    SameLoadStoreOperandsEncoding,
    TypesMatchWith("value type matches ptr type", "ptr", "value", getPointeeType),
    TypesMatchWith("mask type matches ptr type", "ptr", "mask", maskOfPointee),
  ),
  format: `
    $ptr \`,\` $value (\`,\` $mask^)?
    oilist(\`cacheModifier\` \`=\` $cache | \`evictionPolicy\` \`=\` $evict)
    attr-dict \`:\` type($ptr)`,
  effects: ({ ptr }) => [writesGlobal(ptr)],
}));

/** Source: TritonOps.td, TT_AtomicRMWOp. */
export const AtomicRMWOp = defineOp("tt.atomic_rmw", () => ({
  summary: "atomic rmw",
  operands: { ptr: PtrLike, val: TritonType, mask: optional(BoolLike) },
  attrs: { atomic_rmw_op: AtomicRMWAttr, sem: MemSemanticAttr, scope: MemSyncScopeAttr },
  results: { result: TritonType },
  traits: ttTraits(
    SameOperandsAndResultShape,
    SameOperandsAndResultEncoding,
    TypesMatchWith("ptr type matches value type", "val", "ptr", getPointerTypeSameShape),
    TypesMatchWith("mask type matches value type", "val", "mask", getI1SameShape),
  ),
  format: `
    $atomic_rmw_op \`,\` $sem \`,\` $scope \`,\` $ptr \`,\` $val (\`,\` $mask^)?  attr-dict \`:\`
    functional-type(operands, $result)`,
  effects: ({ ptr }) => [readsGlobal(ptr), writesGlobal(ptr)],
}));

/** Source: TritonOps.td, TT_AtomicCASOp. */
export const AtomicCASOp = defineOp("tt.atomic_cas", () => ({
  summary: "atomic cas",
  operands: { ptr: PtrLike, cmp: TritonType, val: TritonType },
  attrs: { sem: MemSemanticAttr, scope: MemSyncScopeAttr },
  results: { result: TritonType },
  traits: ttTraits(
    SameOperandsAndResultShape,
    SameOperandsAndResultEncoding,
    TypesMatchWith("ptr type matches cmp type", "cmp", "ptr", getPointerTypeSameShape),
    TypesMatchWith("ptr type matches value type", "val", "ptr", getPointerTypeSameShape),
  ),
  format: "$sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)",
  effects: ({ ptr }) => [readsGlobal(ptr), writesGlobal(ptr)],
}));
