/** Accesses by way of a buffer's descriptor: pointer, size and flags. Source: ROCDLOps.td. */
import { I16, I32, I32Attr, I64 } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { AllTypesMatch, Pure } from "../../../ir/traits.js";
import { ALIAS_ATTRS } from "../../llvm/constraints.js";
import { LLVMType, Pointer, pointerIn } from "../../llvm/type-constraints.js";

export const MakeBufferRsrcOp = defineOp("rocdl.make.buffer.rsrc", () => ({
  summary: "descriptor of a buffer",
  operands: { base: Pointer, stride: I16, numRecords: I64, flags: I32 },
  results: { res: Pointer },
  traits: [Pure],
  format: "operands attr-dict `:` type($base) `to` type($res)",
}));
export const RawPtrBufferLoadOp = defineOp("rocdl.raw.ptr.buffer.load", () => ({
  summary: "load; 0 past the end of the buffer",
  operands: { rsrc: pointerIn(8), offset: I32, soffset: I32, aux: I32 },
  attrs: ALIAS_ATTRS,
  results: { res: LLVMType },
  format: "operands attr-dict `:` type($res)",
  effects: ({ rsrc }) => [{ kind: "read", value: rsrc }],
}));
export const RawPtrBufferStoreOp = defineOp("rocdl.raw.ptr.buffer.store", () => ({
  summary: "store; nothing past the end of the buffer",
  operands: { vdata: LLVMType, rsrc: pointerIn(8), offset: I32, soffset: I32, aux: I32 },
  attrs: ALIAS_ATTRS,
  format: "operands attr-dict `:` type($vdata)",
  effects: ({ rsrc }) => [{ kind: "write", value: rsrc }],
}));
export const RawPtrBufferAtomicCmpSwap = defineOp("rocdl.raw.ptr.buffer.atomic.cmpswap", () => ({
  summary: "stores where memory is equal to `cmp`, and returns what was there",
  operands: { src: LLVMType, cmp: LLVMType, rsrc: pointerIn(8), offset: I32, soffset: I32, aux: I32 },
  attrs: ALIAS_ATTRS,
  results: { res: LLVMType },
  traits: [AllTypesMatch("res", "src", "cmp")],
  format: "operands attr-dict `:` type($res)",
  effects: ({ rsrc }) => [
    { kind: "read", value: rsrc },
    { kind: "write", value: rsrc },
  ],
}));
/** A wave's data goes to LDS from an address on, in the order of its lanes. */
export const RawPtrBufferLoadLdsOp = defineOp("rocdl.raw.ptr.buffer.load.lds", () => ({
  summary: "copy to shared memory; 0 past the end of the buffer",
  operands: { rsrc: pointerIn(8), ldsPtr: pointerIn(3), size: I32, voffset: I32, soffset: I32, offset: I32, aux: I32 },
  attrs: ALIAS_ATTRS,
  format: "operands attr-dict",
  effects: ({ rsrc, ldsPtr }) => [
    { kind: "read", value: rsrc },
    { kind: "write", value: ldsPtr },
  ],
}));
export const GlobalLoadLdsOp = defineOp("rocdl.global.load.lds", () => ({
  summary: "copy to shared memory",
  operands: { globalPtr: pointerIn(1), ldsPtr: pointerIn(3) },
  attrs: { size: I32Attr, offset: I32Attr, aux: I32Attr, ...ALIAS_ATTRS },
  format: "$globalPtr `,` $ldsPtr `,` $size `,` $offset `,` $aux attr-dict",
  effects: ({ globalPtr, ldsPtr }) => [
    { kind: "read", value: globalPtr },
    { kind: "write", value: ldsPtr },
  ],
}));
