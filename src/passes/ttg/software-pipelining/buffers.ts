/** Rings of buffers in shared memory. Source: Pipeliner/PipeliningUtility.cpp. */
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { LocalAllocOp, LocalDeallocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescIndexOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import { type MemDesc, memDescType } from "../../../dialects/ttg/types.js";
import type { Attribute } from "../../../ir/attribute.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

/** One buffer of a ring. */
export function createSingleBufferView(rw: Rewriter, alloc: Value, index: Value): Value {
  const { shape, elementType, encoding, memorySpace, mutableMemory } = (alloc.type as MemDesc).params;
  const types = [memDescType(shape.slice(1), elementType, encoding, memorySpace, mutableMemory)];
  return rw.value(MemDescIndexOp, { src: alloc, index }, { loc: alloc.definingOp?.locRef ?? rw.loc, types });
}

/** Makes a ring for what an op of the loop loads before the loop, and frees it after. */
export function createAlloc(rw: Rewriter, loop: Operation, op: Operation, encoding: Attribute, buffers: number): Value {
  const { shape, elementType } = (op.result(0).type as TensorType).params;
  const type = memDescType([buffers, ...shape], elementType, encoding, SharedMemorySpace.get(rw.ctx, {}), true);
  const alloc = rw.setBefore(loop).value(LocalAllocOp, {}, { loc: op.locRef, types: [type] });
  rw.setAfter(loop).create(LocalDeallocOp, { src: alloc }, { loc: loop.locRef });
  return alloc;
}
