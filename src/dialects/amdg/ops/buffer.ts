/** Accesses to global memory at offsets from one pointer, which the hardware checks for bounds. Source: TritonAMDGPUOps.td. */
import { RankedTensorType, withElementType } from "../../../ir/builtin-types.js";
import { defaultAttr, I1, I32, I32Attr, optional, rankedTensorOf } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { defineInterface, type InterfaceImpl, implement } from "../../../ir/interfaces.js";
import { AttrSizedOperandSegments, OptionalTypesMatchWith, type Trait, TypesMatchWith } from "../../../ir/traits.js";
import { I32Tensor, Ptr, Tensor } from "../../tt/constraints.js";
import { AtomicRMWAttr, CacheModifierAttr, MemSemanticAttr, MemSyncScopeAttr } from "../../tt/enums.js";
import { SameLoadStoreOperandsAndResultEncoding, SameLoadStoreOperandsEncoding } from "../../tt/traits.js";
import { readsGlobal, writesGlobal } from "../../tt/tt-op.js";
import { getI1SameShape, getI32SameShape, getPointeeType, getPointerTypeToElement } from "../../tt/types.js";
import { writesShared } from "../../ttg/ttg-op.js";
import { AsyncToken, MemDescOperand } from "../../ttg/types.js";

/** Ops on `ptr + offsets`: the places of those operands. */
export interface BufferOpInterface {
  readonly ptr: number;
  readonly offsets: number;
}
export const BufferOpInterface = defineInterface<BufferOpInterface>("BufferOpInterface");
const accesses = (ptr: number): readonly InterfaceImpl[] => [implement(BufferOpInterface, { ptr, offsets: ptr + 1 })];

const Mask = optional(rankedTensorOf(I1));
const Stride = optional(I32);
const same = <T>(type: T): T => type;
const matchesPointee = (name: string, what: string): Trait =>
  TypesMatchWith(`${what} element type matches the pointed type of ptr`, name, "ptr", getPointerTypeToElement);
const offsetsOf = (name: string): Trait => TypesMatchWith(`${name} and offsets have the same shape`, name, "offsets", getI32SameShape);
const maskOf = (name: string): Trait => OptionalTypesMatchWith(`${name} and mask have the same shape`, name, "mask", getI1SameShape);

export const BufferLoadOp = defineOp("amdg.buffer_load", () => ({
  summary: "Load from a scalar base pointer and a tensor offset",
  operands: { ptr: Ptr, offsets: I32Tensor, stride: Stride, mask: Mask, other: optional(Tensor) },
  attrs: { cache: defaultAttr(CacheModifierAttr, "none") },
  results: { result: Tensor },
  traits: [
    SameLoadStoreOperandsAndResultEncoding,
    AttrSizedOperandSegments,
    matchesPointee("result", "result"),
    offsetsOf("result"),
    maskOf("result"),
    OptionalTypesMatchWith("result and other have the same type", "result", "other", same),
  ],
  interfaces: accesses(0),
  format:
    "$ptr `[` $offsets `]` (`,` $mask^)? (`,` $other^)? oilist(`cacheModifier` `=` $cache) (`stride` `=` $stride^)? attr-dict `:` type($result)",
  effects: ({ ptr }) => [readsGlobal(ptr)],
}));

export const BufferLoadToLocalOp = defineOp("amdg.buffer_load_to_local", () => ({
  summary: "Load from a scalar base pointer and a tensor offset to shared memory",
  operands: { dest: MemDescOperand, ptr: Ptr, offsets: I32Tensor, mask: Mask, other: optional(Tensor), stride: Stride },
  // The most elements that one access may take, where the IR alone does not prove them aligned.
  attrs: { cache: defaultAttr(CacheModifierAttr, "none"), contiguity: defaultAttr(I32Attr, 1) },
  results: { token: AsyncToken },
  traits: [
    AttrSizedOperandSegments,
    TypesMatchWith("dest element type matches pointee type of ptr", "dest", "ptr", getPointerTypeToElement),
    OptionalTypesMatchWith("infer mask shape from offsets", "offsets", "mask", getI1SameShape),
  ],
  interfaces: accesses(1),
  format:
    "$ptr `[` $offsets `]` (`mask` `=` $mask^)? (`other` `=` $other^)? (`stride` `=` $stride^)? oilist(`cacheModifier` `=` $cache) `into` $dest attr-dict `:` type($ptr) `[` type($offsets) `]` type($other) `->` type($dest)",
  verify({ ptr, offsets, other }, report) {
    const pointee = getPointeeType(ptr.type);
    if (!other || !pointee || !RankedTensorType.is(offsets.type)) return;
    if (other.type !== withElementType(offsets.type, pointee))
      report.error(
        "failed to verify that other matches shape and layout of offsets and the element type matches the pointee type of ptr",
        "verify.types-match",
      );
  },
  effects: ({ dest, ptr }) => [writesShared(dest), readsGlobal(ptr)],
}));

export const BufferAtomicRMWOp = defineOp("amdg.buffer_atomic_rmw", () => ({
  summary: "Atomic RMW op which reads, modifies, and writes to a scalar base pointer and a tensor offset",
  operands: { ptr: Ptr, offsets: I32Tensor, value: Tensor, stride: Stride, mask: Mask },
  attrs: { atomic_rmw_op: AtomicRMWAttr, sem: MemSemanticAttr, scope: MemSyncScopeAttr },
  results: { result: Tensor },
  traits: [
    AttrSizedOperandSegments,
    SameLoadStoreOperandsAndResultEncoding,
    TypesMatchWith("result element type matches the value type", "result", "value", same),
    matchesPointee("result", "result"),
    offsetsOf("result"),
    maskOf("result"),
    matchesPointee("value", "value"),
    offsetsOf("value"),
    maskOf("value"),
  ],
  interfaces: accesses(0),
  format:
    "$atomic_rmw_op `,` $sem `,` $scope `,` $value `,` $ptr `[` $offsets `]` (`,` $mask^)? (`stride` `=` $stride^)? attr-dict `:` type($result)",
  effects: ({ ptr }) => [readsGlobal(ptr), writesGlobal(ptr)],
}));

export const BufferAtomicCASOp = defineOp("amdg.buffer_atomic_cas", () => ({
  summary: "Atomic CAS op which does compare-exchange to a scalar base pointer and a tensor offset",
  operands: { ptr: Ptr, offsets: I32Tensor, cmp: Tensor, val: Tensor, stride: Stride },
  attrs: { sem: MemSemanticAttr, scope: MemSyncScopeAttr },
  results: { result: Tensor },
  traits: [
    SameLoadStoreOperandsAndResultEncoding,
    TypesMatchWith("result element type matches the val type", "result", "val", same),
    TypesMatchWith("result element type matches the cmp type", "result", "cmp", same),
    matchesPointee("result", "result"),
    offsetsOf("result"),
    offsetsOf("val"),
    TypesMatchWith("val and cmp have the same shape", "val", "cmp", same),
  ],
  interfaces: accesses(0),
  format: "$sem `,` $scope `,` $cmp `,` $val `,` $ptr `[` $offsets `]` (`stride` `=` $stride^)? attr-dict `:` type($result)",
  effects: ({ ptr }) => [readsGlobal(ptr), writesGlobal(ptr)],
}));

export const BufferStoreOp = defineOp("amdg.buffer_store", () => ({
  summary: "Store into scalar base pointer and a tensor offset",
  operands: { value: Tensor, ptr: Ptr, offsets: I32Tensor, stride: Stride, mask: Mask },
  attrs: { cache: defaultAttr(CacheModifierAttr, "none") },
  traits: [AttrSizedOperandSegments, SameLoadStoreOperandsEncoding, matchesPointee("value", "value"), offsetsOf("value"), maskOf("value")],
  interfaces: accesses(1),
  format:
    "$value `,` $ptr `[` $offsets `]` (`,` $mask^)? oilist(`cacheModifier` `=` $cache) (`stride` `=` $stride^)? attr-dict `:` type($value)",
  effects: ({ ptr }) => [writesGlobal(ptr)],
}));
