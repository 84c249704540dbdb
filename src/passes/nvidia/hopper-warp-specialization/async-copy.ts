/**
 * A producer writes its result to a buffer, from which consumers load it.
 * Source: WarpSpecialization/WSLowerMem.cpp, insertAsyncCopy.
 */
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { AsyncCopyGlobalToLocalOp } from "../../../dialects/ttg/ops/async-copy.js";
import { LocalLoadOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import { Dominance } from "../../../ir/dominance.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { refuse } from "../not-specializable.js";
import type { AccumCounts } from "./accum-counts.js";
import { getAsyncTaskIds, TaskBuilder } from "./async-task-ids.js";
import { type BufferMap, bufferView, type CopyOps } from "./buffers.js";
import { type Channel, type ChannelGroups, srcOpOf, srcValueOf } from "./channels.js";

/** Lowers producers but TMA loads, which are lowered with their barriers. Returns the ops that fill and read the buffer of each channel. */
export function insertAsyncCopies(rw: Rewriter, groups: ChannelGroups, buffers: BufferMap, counts: AccumCounts): Map<Channel, CopyOps> {
  const copies = new Map<Channel, CopyOps>();
  const dominance = new Dominance();
  for (const group of groups.byProducer) {
    const src = srcOpOf(group[0]!);
    const first = group.find((c) => group.every(({ dst }) => dst === c.dst || dominance.properlyDominates(c.dst, dst)));
    if (!first) refuse(src, "what a warp group loads is used under different conditions by others");
    const made = rw.from(src, (): CopyOps => {
      const b = new TaskBuilder(rw.setBefore(src)).inTasks([...new Set([...getAsyncTaskIds(src), ...getAsyncTaskIds(first.dst)])]);
      const index = src.parentOfType(ForOp)
        ? counts.bufferIdxAndPhase(b, src, first.numBuffers).index
        : b.value(ConstantOp, { value: i32Attr(rw.ctx, 0) }, { loc: src.locRef });
      if (DescriptorLoadOp.is(src)) return { producer: src, consumer: first.dst };
      return (LoadOp.is(src) ? copyLoaded : copyComputed)(rw, first, buffers.get(first)!, index);
    });
    for (const channel of group) copies.set(channel, made);
  }
  return copies;
}

/** A load becomes an asynchronous copy. */
function copyLoaded(rw: Rewriter, channel: Channel, buffer: Value, index: Value): CopyOps {
  const { op, ptr, mask, other, cache, evict, isVolatile, result } = LoadOp.match(srcOpOf(channel))!;
  const loc = op.locRef;
  const b = new TaskBuilder(rw.setAfter(op)).inTasksOf(op);
  const target = bufferView(b, buffer, index, { loc });
  const copy = b.create(AsyncCopyGlobalToLocalOp, { src: ptr, result: target, mask, other, cache, evict, isVolatile }, { loc });
  b.inTasks([...new Set(result.users().flatMap(getAsyncTaskIds))]);
  rw.setBefore(channel.dst);
  const source = bufferView(b, buffer, index, { loc });
  const load = b.create(LocalLoadOp, { src: source }, { loc, types: [result.type] });
  rw.replace(op, load.result);
  return { producer: copy.op, consumer: load.op };
}

/** Stores a computed value to the buffer in the producer, and loads it in the consumers. */
function copyComputed(rw: Rewriter, channel: Channel, buffer: Value, index: Value): CopyOps {
  const { dst, producer } = channel;
  const src = srcOpOf(channel);
  const value = srcValueOf(channel);
  const b = new TaskBuilder(rw.setBefore(dst)).inTasksOf(dst);
  const source = bufferView(b, buffer, index, { loc: dst.locRef });
  const load = b.create(LocalLoadOp, { src: source }, { loc: dst.locRef, types: [value.type] });
  rw.replaceAllUses(value, load.result);
  b.inTasks([producer]);
  rw.setAfter(src);
  const target = bufferView(b, buffer, index, { loc: src.locRef });
  const store = b.create(LocalStoreOp, { src: value, dst: target }, { loc: src.locRef });
  return { producer: store.op, consumer: load.op };
}
