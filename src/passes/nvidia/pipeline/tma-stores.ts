/**
 * Stores through descriptors in a loop: TMA copies from a buffer, each waited for only before the next one writes there.
 * Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/TMAStoresPipeline.cpp.
 */
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { isHostSideDescriptor } from "../../../dialects/tt/kernel.js";
import { DescriptorStoreLikeOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { AtomicCASOp, AtomicRMWOp } from "../../../dialects/tt/ops/memory.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { LocalAllocOp, LocalDeallocOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { memDescType } from "../../../dialects/ttg/types.js";
import { FenceAsyncSharedOp } from "../../../dialects/ttng/ops/barrier.js";
import { TMAStoreWaitOp } from "../../../dialects/ttng/ops/tma.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { CoarseSchedule } from "../../ttg/software-pipelining/coarse-schedule.js";
import { bodyOf } from "../../ttg/software-pipelining/pipelined-loops.js";
import { getEncodingFromDescriptor } from "../tma/descriptor-layouts.js";
import { copyToDescriptor } from "../tma/tma-copies.js";
import { lowerTMADescriptors } from "./lower-tma-descriptors.js";

/** Makes the stores of a loop asynchronous; those of inner loops are theirs. */
export function pipelineTMAStores(rw: Rewriter, loop: ForView): void {
  const stores = tmaStores(loop);
  if (stores.length === 0) return;
  if (rw.ctx.triton.ordersStoresByAtomics && hasOrderedAtomic(loop)) return;
  // Stores of the same shape share a buffer: each waits for the one before anyway.
  const allocs = new Map<string, Value>();
  const allocOf = stores.map(({ op, desc, src }) => {
    const type = src.type as TensorType;
    const { shape, elementType } = type.params;
    const key = `${shape.join("x")}x${elementType.id}`;
    let alloc = allocs.get(key);
    if (!alloc) {
      const types = [memDescType(shape, elementType, getEncodingFromDescriptor(type, desc), SharedMemorySpace.get(rw.ctx, {}), true)];
      allocs.set(key, (alloc = rw.from(op, () => rw.setBefore(loop).value(LocalAllocOp, {}, { loc: op.locRef, types }))));
    }
    return alloc;
  });
  const onDevice = stores.some(({ desc }) => !isHostSideDescriptor(desc));
  stores.forEach(({ op, src }, i) => rw.from(op, () => storeAsynchronously(rw, op, src, allocOf[i]!)));
  const options = { loc: loop.op.locRef };
  rw.from(loop, () => {
    rw.setAfter(loop).create(TMAStoreWaitOp, { pendings: 0 }, options);
    for (const src of allocOf) rw.create(LocalDeallocOp, { src }, options);
  });
  // Two places for each descriptor made in the loop.
  if (onDevice) lowerTMADescriptors(rw, loop, new CoarseSchedule(3));
}

interface TMAStore {
  readonly op: Operation;
  readonly desc: Value;
  readonly src: Value;
}
function tmaStores(loop: ForView): TMAStore[] {
  const stores: TMAStore[] = [];
  for (const top of bodyOf(loop).ops())
    top.walk((op) => {
      const store = op.def.interface(DescriptorStoreLikeOpInterface);
      if (store) stores.push({ op, desc: store.desc(op), src: store.src(op) });
      return ForOp.is(op) ? "skip" : undefined;
    });
  return stores;
}

/** Whether an atomic in the loop orders other accesses of memory. */
function hasOrderedAtomic(loop: ForView): boolean {
  return loop.op.walk((op) => {
    const atomic = AtomicRMWOp.match(op) ?? AtomicCASOp.match(op);
    return atomic && atomic.sem !== "relaxed" ? "interrupt" : undefined;
  });
}

function storeAsynchronously(rw: Rewriter, op: Operation, src: Value, alloc: Value): void {
  const options = { loc: op.locRef };
  rw.setBefore(op).create(TMAStoreWaitOp, { pendings: 0, read_only: rw.ctx.triton.waitsForWrites }, options);
  rw.create(LocalStoreOp, { src, dst: alloc }, options);
  rw.create(FenceAsyncSharedOp, { bCluster: false }, options);
  copyToDescriptor(rw, op, alloc, true);
  rw.erase(op);
}
