/** Facts about loads, stores and atomics that passes need. Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp. */

import { AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp } from "../../dialects/tt/ops/memory.js";
import { PointerType } from "../../dialects/tt/types.js";
import { enclosingModule, getThreadsPerWarp, maybeLookupNumWarps } from "../../dialects/ttg/num-warps.js";
import { AsyncCopyGlobalToLocalOp } from "../../dialects/ttg/ops/async-copy.js";
import { bitWidth, numElements, RankedTensorType, type TensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { LayoutError } from "../../layout/layout-error.js";
import { PassError } from "../../pass/pass-error.js";

/** The pointer by which an op accesses global memory. */
export function getMemAccessPtr(op: Operation): Value | undefined {
  return (
    LoadOp.match(op)?.ptr ??
    AtomicRMWOp.match(op)?.ptr ??
    AtomicCASOp.match(op)?.ptr ??
    AsyncCopyGlobalToLocalOp.match(op)?.src ??
    StoreOp.match(op)?.ptr
  );
}

/** The width in bits of an element, or of what it points to. */
export function getElementBitWidth({ params: { elementType } }: TensorType): number {
  const width = bitWidth(PointerType.is(elementType) ? elementType.params.pointeeType : elementType);
  if (width === undefined) throw new LayoutError(`${elementType.def.name} has no width`);
  return width;
}

/** The warps per CTA that run `op`. */
export function lookupNumWarps(op: Operation): number {
  const numWarps = maybeLookupNumWarps(op);
  if (numWarps === undefined) throw new PassError(op, "the module does not say how many warps it has", "pass.num-warps");
  return numWarps;
}

/** Whether a load or store is worth a layout of its own: it accesses at least as many elements as there are threads. */
export function isExpensiveLoadOrStore(op: Operation): boolean {
  const { type } = op.operand(0);
  if (PointerType.is(type)) return RankedTensorType.is(type.params.pointeeType);
  if (!RankedTensorType.is(type)) return false;
  const count = numElements(type.params.shape);
  // One element is loaded by all threads alike; few of them mostly hit the cache.
  return count !== 1 && count >= lookupNumWarps(op) * getThreadsPerWarp(enclosingModule(op));
}
