/**
 * Producers wait until a buffer is free before they fill it, consumers until it is full before they read it:
 *
 *     producer                                    consumer
 *     nvws.producer_acquire %token, %i, %phase    ttng.wait_barrier %full[%i], %phase
 *     ttng.barrier_expect %full[%i], bytes        ... reads %buffer[%i]
 *     ttng.async_tma_copy ... %buffer[%i]         nvws.consumer_release %token, %i
 *
 * Where no TMA copy signals a barrier, `nvws.producer_commit` and `nvws.consumer_wait` do that as well.
 * Source: WarpSpecialization/WSCodePartition.cpp, insertAsyncComm; WSLowerMem.cpp, optimizeTMALoads.
 */
import { postDominates } from "../../../analysis/post-dominance.js";
import { ExtSIOp } from "../../../dialects/arith/ops/cast.js";
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { ConsumerReleaseOp, ConsumerWaitOp, ProducerAcquireOp, ProducerCommitOp } from "../../../dialects/nvws/ops/token.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import { BarrierExpectOp, WaitBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { AsyncTMACopyGlobalToLocalOp } from "../../../dialects/ttng/ops/tma.js";
import type { Block } from "../../../ir/block.js";
import { boolAttr, i32Attr } from "../../../ir/builtin-attrs.js";
import { bitWidth, i32, numElements, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { refuse } from "../not-specializable.js";
import type { AccumCounts, BufferIndex } from "./accum-counts.js";
import { getAsyncTaskIds, TaskBuilder } from "./async-task-ids.js";
import { type BufferMap, bufferView, type CommChannel, type CopyOps } from "./buffers.js";
import { type Channel, getActualConsumers, getUniqueActualConsumer, srcOpOf } from "./channels.js";

/** Puts the ops for channels with one consumer, which share `comm`, and lowers their TMA loads. */
export function insertAsyncComm(
  rw: Rewriter,
  group: readonly Channel[],
  comm: CommChannel,
  buffers: BufferMap,
  copies: ReadonlyMap<Channel, CopyOps>,
  counts: AccumCounts,
): void {
  const master = group[0]!;
  const producers = new Set<Operation>();
  const consumers = new Set<Operation>();
  for (const channel of group) {
    const { producer, consumer } = copies.get(channel)!;
    producers.add(producer);
    for (const op of [consumer, channel.dst, getUniqueActualConsumer(channel.dst)]) consumers.add(op);
  }
  const producer = endsIn(srcOpOf(master).block!, producers);
  const consumer = endsIn(master.dst.block!, consumers);
  if (!producer || !consumer) refuse(master.dst, "what warp groups use here was loaded for other warp groups");

  const b = new TaskBuilder(rw).inTasks([master.producer, ...master.consumers]);
  const at = bufferIndex(rw, b, producer.head, master.numBuffers, counts);
  const loads = group.flatMap((channel) => {
    const load = DescriptorLoadOp.match(srcOpOf(channel));
    return load ? [{ load, buffer: buffers.get(channel)! }] : [];
  });
  const { index, phase } = at;
  b.inTasks([master.producer]);
  for (const token of comm.tokens.values()) {
    rw.setBefore(getSameLevelOp(consumer.head, producer.head));
    b.create(ProducerAcquireOp, { token, idx: index, phase }, { loc: producer.head.locRef });
    if (comm.producerBarrier) continue;
    rw.setAfter(getSameLevelOp(consumer.head, producer.tail));
    b.create(ProducerCommitOp, { token, idx: index }, { loc: producer.tail.locRef });
  }
  for (const [task, token] of comm.tokens) {
    b.inTasks([task]);
    if (!comm.producerBarrier) {
      rw.setBefore(getSameLevelOp(producer.head, consumer.head));
      b.create(ConsumerWaitOp, { token, idx: index, phase }, { loc: consumer.head.locRef });
    }
    const release = releasePoint(producer.tail, consumer.tail, task);
    rw.setAfter(release);
    b.create(ConsumerReleaseOp, { token, idx: index }, { loc: release.locRef });
  }
  if (loads.length > 0) lowerTMALoads(rw, b, loads, comm.producerBarrier!, at, producer.head, consumer.head);
}

interface Ends {
  readonly head: Operation;
  readonly tail: Operation;
}
/** The first and the last one of some ops in a block. */
function endsIn(block: Block, ops: ReadonlySet<Operation>): Ends | undefined {
  const inside = [...block.ops()].filter((op) => ops.has(op));
  return inside.length > 0 ? { head: inside[0]!, tail: inside.at(-1)! } : undefined;
}

function bufferIndex(rw: Rewriter, b: TaskBuilder, producer: Operation, numBuffers: number, counts: AccumCounts): BufferIndex {
  if (producer.parentOfType(ForOp)) {
    rw.setBefore(producer);
    return counts.bufferIdxAndPhase(b, producer, numBuffers);
  }
  const parent = producer.parentOp!;
  if (FuncOp.is(parent)) rw.setStart(parent.regions[0]!.firstBlock!);
  else rw.setBefore(parent);
  const loc = producer.locRef;
  return {
    index: b.value(ConstantOp, { value: i32Attr(rw.ctx, 0) }, { loc }),
    phase: b.value(ConstantOp, { value: boolAttr(rw.ctx, false) }, { loc }),
  };
}

/** The op among `c` and its ancestors in the same parent as `p`; or else `c`, if `p` or an ancestor of it is in the same parent as `c`. */
function getSameLevelOp(p: Operation, c: Operation): Operation {
  for (let op = c; !FuncOp.is(op); op = op.parentOp!) if (op.parentOp === p.parentOp) return op;
  for (let op = p; !FuncOp.is(op); op = op.parentOp!) if (op.parentOp === c.parentOp) return c;
  refuse(c, "a value is handed between warp groups from one region to another that is not inside the first");
}

/** The op after which the buffer is free again: the last one that reads it. */
function releasePoint(producer: Operation, consumer: Operation, task: number): Operation {
  if (consumer.block !== producer.block) return getSameLevelOp(producer, consumer);
  const readers = getActualConsumers(consumer);
  const last = readers.filter((op) => readers.every((other) => other === op || !postDominates(other, op)));
  if (last.length === 1) {
    let at: Operation | null = last[0]!;
    while (at && at.parentOp !== consumer.parentOp) at = at.parentOp;
    if (at) return at;
  }
  for (const op of consumer.block!.opsReversed()) {
    const ids = getAsyncTaskIds(op);
    if (ids.length === 1 && ids[0] === task) return op;
  }
  refuse(consumer, "no op is found after which a warp group no longer needs what it was handed");
}

type TMALoad = { readonly load: NonNullable<ReturnType<typeof DescriptorLoadOp.match>>; readonly buffer: Value };

/** One barrier hears of all the copies; consumers wait for it, and then load from the buffers. */
function lowerTMALoads(
  rw: Rewriter,
  b: TaskBuilder,
  loads: readonly TMALoad[],
  barriers: Value,
  { index, phase }: BufferIndex,
  headProducer: Operation,
  headConsumer: Operation,
): void {
  const { ctx } = rw;
  const options = { loc: barriers.definingOp!.locRef };
  const size = loads.reduce((bytes, { load }) => bytes + bytesOf(load.result.type as TensorType), 0);
  rw.setBefore(headProducer);
  b.inTasksOf(headProducer);
  const barrier = bufferView(b, barriers, index);
  const pred = b.value(ConstantOp, { value: boolAttr(ctx, true) }, options);
  b.create(BarrierExpectOp, { alloc: barrier, size, pred }, options);
  for (const { load, buffer } of loads) {
    rw.setBefore(load);
    const result = bufferView(b, buffer, index);
    b.create(AsyncTMACopyGlobalToLocalOp, { desc: load.desc, coord: load.indices, offsets: [], barrier, result, pred }, options);
  }

  rw.setBefore(headConsumer);
  b.inTasksOf(headConsumer);
  const full = bufferView(b, barriers, index);
  const wide = b.value(ExtSIOp, { in: phase }, { ...options, types: [i32(ctx)] });
  b.create(WaitBarrierOp, { alloc: full, phase: wide, deps: [] }, options);
  for (const { load, buffer } of loads) {
    const src = bufferView(b, buffer, index, { mutable: false });
    const loaded = b.value(LocalLoadOp, { src }, { ...options, types: [load.result.type] });
    rw.replace(load, loaded);
  }
}
const bytesOf = ({ params: { shape, elementType } }: TensorType): number => Math.trunc((numElements(shape) * bitWidth(elementType)!) / 8);
