/** Buffers in shared memory: allocating, loading, storing. Source: TritonGPUOps.td; Ops.cpp. */

import type { Type } from "../../../ir/attribute.js";
import { bitWidth, isShaped } from "../../../ir/builtin-types.js";
import { I32Attr, optional, optionalAttr } from "../../../ir/constraints.js";
import { defineOp, type FoldResult, type MemoryEffect, type OpReport } from "../../../ir/define-op.js";
import { typeText } from "../../../ir/text-hook.js";
import type { Value } from "../../../ir/value.js";
import { getRank, getSharedAlignment } from "../../../layout/encoding-queries.js";
import { Tensor } from "../../tt/constraints.js";
import { encodingParams, sharedParams } from "../encodings/define-encoding.js";
import { SharedMemorySpace } from "../encodings/shared-memory.js";
import { LocalLoadTrait, readsShared, SHARED_MEMORY, ttgTraits, writesShared } from "../ttg-op.js";
import { AsyncToken, type MemDesc, MemDescOperand, sameShape } from "../types.js";

const descOf = (value: Value): MemDesc => value.type as MemDesc;

export const LocalAllocOp = defineOp("ttg.local_alloc", () => ({
  summary: "allocate tensor",
  operands: { src: optional(Tensor) },
  attrs: { alignment: optionalAttr(I32Attr) },
  results: { result: MemDescOperand },
  traits: ttgTraits(),
  format: "($src^)? attr-dict `:` functional-type(operands, results)",
  verifyDependsOn: "types and attributes",
  verify({ op, src, result }, report) {
    const type = descOf(result);
    if (!SharedMemorySpace.is(type.params.memorySpace)) return void report.error("should create a buffer of shared memory", "ttg.memory");
    if (src && !checkRank(src.type, type, "source", report)) return;
    const bits = bitWidth(type.params.elementType) ?? 8;
    if (op.ctx.triton.checksMemory && bits % 8 !== 0)
      return void report.error("element type bit width must be a multiple of 8", "ttg.memory");
    verifyAllocOp(src, type, report);
  },
  // An immutable buffer whose place is not yet fixed has no effects, so that CSE and DCE treat it as a value.
  effects({ op, src, result }): readonly MemoryEffect[] {
    if (!descOf(result).params.mutableMemory && !op.hasAttr("allocation.offset")) return [];
    const allocates: MemoryEffect = { kind: "allocate", value: result, resource: SHARED_MEMORY };
    return src ? [allocates, writesShared(result)] : [allocates];
  },
  // local_alloc(local_load(x)) -> x
  fold({ src, result }): FoldResult {
    if (descOf(result).params.mutableMemory) return undefined;
    const loaded = LocalLoadOp.match(src?.definingOp)?.src;
    return loaded?.type === result.type ? loaded : undefined;
  },
}));

/** The alignment of the buffer in bytes. */
export function alignmentOrDefault(alloc: { readonly alignment: number | undefined; readonly result: Value }): number {
  if (alloc.alignment !== undefined) return alloc.alignment;
  const params = sharedParams(descOf(alloc.result).params.encoding);
  return params ? getSharedAlignment(params) : 16;
}

export const LocalDeallocOp = defineOp("ttg.local_dealloc", () => ({
  summary: "dealloc buffer",
  operands: { src: MemDescOperand },
  traits: ttgTraits(),
  format: "$src attr-dict `:` qualified(type($src))",
  effects: ({ src }) => [{ kind: "free", value: src, resource: SHARED_MEMORY }],
}));

export const LocalLoadOp = defineOp("ttg.local_load", () => ({
  summary: "Load a buffer from local memory into a distributed tensor",
  operands: { src: MemDescOperand, token: optional(AsyncToken) },
  results: { result: Tensor },
  traits: ttgTraits(LocalLoadTrait),
  format: "$src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)",
  verifyDependsOn: "types and attributes",
  verify({ src, result }, report) {
    if (checkRank(result.type, descOf(src), "result", report)) verifyMemoryOpTypes(src.type, result.type, report);
  },
  effects: ({ src }) => [readsShared(src)],
}));

export const LocalStoreOp = defineOp("ttg.local_store", () => ({
  summary: "Store a distributed tensor into a buffer in local memory",
  operands: { src: Tensor, dst: MemDescOperand },
  traits: ttgTraits(),
  format: "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))",
  verifyDependsOn: "types and attributes",
  verify({ src, dst }, report) {
    if (!descOf(dst).params.mutableMemory) return void report.error("Cannot store into immutable memory", "ttg.memory");
    if (checkRank(src.type, descOf(dst), "source", report)) verifyMemoryOpTypes(src.type, dst.type, report);
  },
  effects: ({ dst }) => [writesShared(dst)],
}));

/** A tensor and the encoding of its buffer have the same rank. */
function checkRank(tensor: Type, desc: MemDesc, name: string, report: OpReport): boolean {
  const params = encodingParams(desc.params.encoding);
  if (!params || params.kind === "tensor_memory_encoding" || params.kind === "tensor_memory_scales_encoding") {
    report.error("expected memdesc to have a shared memory encoding", "ttg.memory");
    return false;
  }
  const rank = shapeOf(tensor).length;
  if (rank === getRank(params)) return true;
  report.error(`${name} has rank ${rank} but memdesc encoding has rank ${getRank(params)}`, "ttg.memory");
  return false;
}

/** Source and destination of a copy between a tensor and a buffer must have the same element type and shape. */
export function verifyMemoryOpTypes(src: Type, dst: Type, report: OpReport): boolean {
  const error = (message: string) => (report.error(message, "ttg.memory"), false);
  if (elementsOf(src) !== elementsOf(dst))
    return error(`source element type '${typeText(src)}' must match destination element type '${typeText(elementsOf(dst))}'`);
  const fits = sameShape(shapeOf(src), shapeOf(dst));
  return fits || error(`source shape [${shapeOf(src).join(", ")}] must match [destination shape ${shapeOf(dst).join(", ")}]`);
}
/** The rules of ops that allocate, in shared memory or tensor memory. */
export function verifyAllocOp(src: Value | undefined, type: MemDesc, report: OpReport): void {
  const { shape, allocShape, mutableMemory } = type.params;
  if (!sameShape(shape, allocShape)) report.error("result shape and its alloc shape must match", "ttg.memory");
  else if (src) verifyMemoryOpTypes(src.type, type, report);
  else if (!mutableMemory) report.error("uninitialized alloc must have a mutable memdesc type", "ttg.memory");
}
function shapeOf(type: Type): readonly number[] {
  return isShaped(type) ? type.params.shape : [];
}
function elementsOf(type: Type): Type {
  return isShaped(type) ? type.params.elementType : type;
}
