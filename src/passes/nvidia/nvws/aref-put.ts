/** The producer's side of a value that goes to other partitions. Source: third_party/nvidia/lib/Dialect/NVWS/Transforms/InsertAref.cpp. */

import { ArefPutEnterOp, ArefPutExitOp } from "../../../dialects/nvws/ops/aref.js";
import { DescriptorGatherOp, DescriptorLoadOp } from "../../../dialects/nvws/ops/descriptor.js";
import { AsyncOpAttr, type AsyncOpKind } from "../../../dialects/nvws/types.js";
import { valueLocation } from "../../../dialects/scf/build.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { DescriptorGatherOp as TensorGatherOp, DescriptorLoadOp as TensorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { SplatOp } from "../../../dialects/tt/ops/shape.js";
import { encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { enclosingModule, getNumCTAs, getThreadsPerWarp } from "../../../dialects/ttg/num-warps.js";
import { LocalAllocOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { type MemDesc, memDescType } from "../../../dialects/ttg/types.js";
import { dictEntries } from "../../../ir/builtin-attrs.js";
import { RankedTensorType, type TensorType, tensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { getDefaultBlockedEncoding } from "../../../layout/encodings/blocked.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";
import {
  getPartitionIds,
  getStageCluster,
  type PartitionIds,
  place,
  type StageCluster,
} from "../automatic-warp-specialization/partition.js";
import { refuse } from "../not-specializable.js";
import { getSharedEncoding, rowsInSharedMemory } from "../pipeline/shared-encoding.js";
import { getEncodingFromDescriptor } from "../tma/descriptor-layouts.js";
import { bytesPerCTA, isTMALoad } from "../tma/tma-copies.js";
import { buffersOf, bufferViewType, createAlloc, createAref, multiBufferedType, tokenType } from "./buffers.js";
import { isScalar, type Produced } from "./consumers.js";

/** A buffer that a load of the same partitions fills. */
export function isDescLoadAndAlloc(value: Value): { readonly alloc: View<typeof LocalAllocOp>; readonly load: Operation } | undefined {
  const pair = loadAndAlloc(value);
  return pair && isTMALoad(pair.load) ? pair : undefined;
}
function loadAndAlloc(value: Value): ReturnType<typeof isDescLoadAndAlloc> {
  const alloc = LocalAllocOp.match(value.definingOp);
  const load = alloc?.src?.definingOp;
  if (!alloc || !load || (!isTMALoad(load) && !LoadOp.is(load))) return undefined;
  return areEqual(getPartitionIds(alloc.op), getPartitionIds(load)) ? { alloc, load } : undefined;
}
const areEqual = (a: PartitionIds, b: PartitionIds): boolean => a.size === b.size && [...a].every((id) => b.has(id));

/** A scalar travels as a tensor of one element. */
export function tensorTypeOfScalar({ type, parentBlock }: Value): TensorType {
  const module = enclosingModule(parentBlock!.parentOp!)!;
  const encoding = getDefaultBlockedEncoding([1], lookupNumWarps(module), getThreadsPerWarp(module), getNumCTAs(module));
  return tensorType([1], type, encodingAttr(type.ctx, encoding));
}

/** Makes an aref before the loop, and writes a value to it at the insertion point. The ops that this replaces are stale then. */
export function putIntoAref(
  rw: Rewriter,
  loop: ForView,
  { value, partitions }: Produced,
): { readonly aref: Value; readonly staleOps: readonly Operation[] } {
  const loc = valueLocation(value);
  const aref = rw.preserving(() => {
    const buffers = createAlloc(rw.setBefore(loop), multiBufferedType(bufferTypeOf(value), 1), loc);
    return createAref(rw, [buffers], loc);
  });
  const yielded = rw.ctx.triton.dividesByFlow ? yieldedFor(value) : value;
  const source = yielded && (loadAndAlloc(yielded)?.load ?? yielded.definingOp);
  const at = getStageCluster(source);
  // One of several partitions that compute the value writes it.
  const [producer] = partitions;
  const producers = [producer!];
  const options = { loc };
  const types = [bufferViewType(buffersOf(aref), true), tokenType(rw.ctx)];
  const enter = place(rw.create(ArefPutEnterOp, { aref }, { loc, types }), producers, at);
  const { kind, staleOps } = write(rw, value, enter.buffers[0]!, producers, at);
  const async_ops = [AsyncOpAttr.get(rw.ctx, { value: kind })];
  place(rw.create(ArefPutExitOp, { aref, token: enter.token, async_ops }, options), producers, at);
  return { aref, staleOps };
}

/** The value that the loop hands on as a carried one; any other value itself. */
function yieldedFor(value: Value): Value | undefined {
  let at = value;
  for (const seen = new Set<Value>(); at.argOwner && !seen.has(at); ) {
    seen.add(at);
    const end = at.argOwner.lastOp!;
    if (!YieldOp.is(end)) return undefined;
    at = end.operand(at.index - 1);
  }
  return at;
}

function bufferTypeOf(value: Value): MemDesc {
  const { type, definingOp } = value;
  const load = type.ctx.triton.groupsEquivalentLayouts ? isDescLoadAndAlloc(value)?.load : undefined;
  if (load) {
    const loaded = load.result(0).type as TensorType;
    const { shape, elementType } = loaded.params;
    const { memorySpace, mutableMemory } = (type as MemDesc).params;
    return memDescType(shape, elementType, getEncodingFromDescriptor(loaded, load.operand(0)), memorySpace, mutableMemory);
  }
  if (LocalAllocOp.is(definingOp)) return type as MemDesc;
  if (!RankedTensorType.is(type) && !isScalar(value)) refuse(definingOp!, "a value of this type cannot go from one partition to another");
  const tensor = RankedTensorType.is(type) ? type : tensorTypeOfScalar(value);
  const { shape, elementType } = tensor.params;
  if (tensor === type && definingOp && !RankedTensorType.is(definingOp.result(0).type))
    refuse(definingOp, "the op's tensor goes to another partition, but its first result is none");
  const encoding = tensor === type && definingOp ? getSharedEncoding(definingOp) : rowsInSharedMemory(tensor);
  return memDescType(shape, elementType, encoding, SharedMemorySpace.get(type.ctx, {}));
}
/** Writes a value to a buffer. Returns the kind of write, and the ops that are unused then. */
function write(
  rw: Rewriter,
  value: Value,
  buffer: Value,
  producers: readonly number[],
  at: StageCluster | undefined,
): { readonly kind: AsyncOpKind; readonly staleOps: readonly Operation[] } {
  const loc = valueLocation(value);
  const store = (src: Value): void => void place(rw.create(LocalStoreOp, { src, dst: buffer }, { loc }), producers, at);
  const pair = loadAndAlloc(value);
  const load = pair?.load ?? value.definingOp;
  if (load && LoadOp.is(load))
    return refuse(load, "what is loaded through pointers cannot go to another partition: cp.async is not supported there");
  if (load && isTMALoad(load)) {
    loadThroughDescriptor(rw, load, buffer, producers);
    return { kind: "tma_load", staleOps: pair ? [pair.alloc.op, load] : [load] };
  }
  const alloc = LocalAllocOp.match(value.definingOp);
  if (alloc) {
    store(alloc.src ?? refuse(alloc.op, "a buffer without a value cannot go to another partition"));
    return { kind: "none", staleOps: [alloc.op] };
  }
  if (RankedTensorType.is(value.type)) store(value);
  else store(place(rw.create(SplatOp, { src: value }, { loc, types: [tensorTypeOfScalar(value)] }), producers, at).result);
  return { kind: "none", staleOps: [] };
}

/** The same load, into a buffer. */
function loadThroughDescriptor(rw: Rewriter, op: Operation, result: Value, producers: readonly number[]): void {
  const type = op.result(0).type as TensorType;
  const txCount = bytesPerCTA(type, getEncodingFromDescriptor(type, op.operand(0)));
  const options = { loc: op.locRef };
  const load = TensorLoadOp.match(op);
  const gather = TensorGatherOp.match(op);
  const made = load
    ? rw.create(DescriptorLoadOp, { desc: load.desc, indices: load.indices, result, txCount }, options)
    : rw.create(
        DescriptorGatherOp,
        { desc: gather!.desc, x_offsets: gather!.x_offsets, y_offset: gather!.y_offset, result, txCount },
        options,
      );
  for (const [name, attr] of dictEntries(op.attrs)) made.op.setAttr(name, attr);
  place(made, producers, undefined);
}
