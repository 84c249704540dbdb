/**
 * Histograms: a ballot for each bit of the bins' numbers shows every lane which of the warp's elements fall into the bins it owns;
 * warps add up what they count by atomics in shared memory. (The bits by @apgoucher, as upstream says.)
 * Source: lib/Conversion/TritonGPUToLLVM/HistogramOpToLLVM.cpp.
 */
import * as ll from "../../dialects/llvm/ops/index.js";
import { HistogramOp } from "../../dialects/tt/ops/gather.js";
import { distributedParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { i32, type TensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { getThreadsPerWarp, getWarpsPerCTA } from "../../layout/encoding-queries.js";
import { sharedMemoryBase } from "./control-flow.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";
import { emitIndices, numWarpsAt, threadId } from "./thread-indices.js";

/** The warp's count of each bin that this lane owns. */
function warpHistogram(
  lo: Lowering,
  values: readonly Value[],
  masks: readonly Value[] | undefined,
  numBins: number,
  thread: Value,
): Value[] {
  const { b } = lo;
  const { threadsPerWarp } = lo.target;
  const zero = b.i32(0);
  // Ballots have a bit for each lane.
  const isWide = threadsPerWarp === 64;
  const all = isWide ? b.i64(-1) : b.i32(-1);
  const none = isWide ? b.i64(0) : zero;
  const bits = Math.log2(numBins);
  const laneBits = Math.log2(threadsPerWarp);
  const counts = new Array<Value>(numBins / threadsPerWarp).fill(zero);
  values.forEach((value, i) => {
    const ballots = Array.from({ length: bits }, (_, j) => lo.code.ballot(lo, b.icmp("ne", b.and(value, b.i32(1 << j)), zero)));
    let mask = all;
    for (let j = 0; j < laneBits; j++) {
      const isSet = b.icmp("ne", b.and(thread, b.i32(1 << j)), zero);
      const flip = b.select(isSet, none, all);
      mask = b.and(mask, b.xor(ballots[j + bits - laneBits]!, flip));
    }
    const valid = masks ? lo.code.ballot(lo, masks[i]!) : all;
    mask = b.and(mask, valid);
    for (let k = 0; k < counts.length; k++) {
      let inBin = mask;
      for (let j = 0; j < bits - laneBits; j++) inBin = b.and(inBin, b.xor(ballots[j]!, (k & (1 << j)) !== 0 ? none : all));
      const count = b.op(ll.CtPopOp, [inBin], inBin.type);
      counts[k] = b.add(counts[k]!, isWide ? b.trunc(count, i32(lo.ctx)) : count);
    }
  });
  return counts;
}

/** All warps' counts, added up in shared memory; those of the bins that `indices` name. */
function addUp(lo: Lowering, base: Value, counts: readonly Value[], numBins: number, indices: readonly Value[], thread: Value): Value[] {
  const { b, ctx } = lo;
  const { threadsPerWarp } = lo.target;
  const numThreads = numWarpsAt(lo) * threadsPerWarp;
  const lane = b.and(thread, b.i32(threadsPerWarp - 1));
  const at = (offset: Value): Value => b.gep(base.type, i32(ctx), base, [offset]);
  for (let i = 0; i < Math.ceil(numBins / numThreads); i++) {
    const offset = b.urem(b.add(thread, b.i32(i * numThreads)), b.i32(numBins));
    const pointer = at(offset);
    b.store(b.i32(0), pointer);
  }
  lo.code.barrier(lo);
  counts.forEach((count, i) => {
    const offset = b.add(b.mul(lane, b.i32(counts.length)), b.i32(i));
    b.value(ll.AtomicRMWOp, { bin_op: "add", ordering: "monotonic", ptr: at(offset), val: count }, i32(ctx));
  });
  lo.code.barrier(lo);
  return indices.map((index) => b.load(i32(ctx), at(index)));
}

function countByBallots(lo: Lowering, op: Operation, values: readonly Value[], masks: readonly Value[] | undefined, bins: number): Value[] {
  const numBins = Math.max(bins, lo.target.threadsPerWarp);
  const thread = threadId(lo);
  const counts = warpHistogram(lo, values, masks, numBins, thread);
  const base = sharedMemoryBase(lo, op);
  return addUp(lo, base, counts, numBins, indicesOf(lo, op), thread);
}
const indicesOf = (lo: Lowering, op: Operation): Value[] => emitIndices(lo, op.result(0).type as TensorType, true).map(([index]) => index!);

/** Since 3.8: an atomic addition for each element that has a bin. */
function countEach(lo: Lowering, op: Operation, values: readonly Value[], masks: readonly Value[] | undefined, numBins: number): Value[] {
  const { b, ctx } = lo;
  const thread = threadId(lo);
  const base = sharedMemoryBase(lo, op);
  const indices = indicesOf(lo, op);
  const numThreads = numWarpsAt(lo) * lo.target.threadsPerWarp;
  const at = (offset: Value): Value => b.gep(base.type, i32(ctx), base, [offset]);
  for (let i = 0; i < Math.ceil(numBins / numThreads); i++) {
    const offset = b.urem(b.add(thread, b.i32(i * numThreads)), b.i32(numBins));
    lo.code.storeShared(lo, at(offset), b.i32(0));
  }
  lo.code.barrier(lo);
  values.forEach((value, i) => {
    const hasBin = b.icmp("ult", value, b.i32(numBins));
    const counted = masks ? b.and(hasBin, masks[i]!) : hasBin;
    const add = lo.addBlockAfter(b.block);
    const after = lo.addBlockAfter(add);
    lo.condBranch(counted, add, after);
    b.setEnd(add);
    b.value(ll.AtomicRMWOp, { bin_op: "add", ordering: "monotonic", ptr: at(value), val: b.i32(1) }, i32(ctx));
    lo.branch(after, []);
    b.setEnd(after);
  });
  lo.code.barrier(lo);
  return indices.map((index) => lo.code.loadShared(lo, at(index), i32(ctx)));
}

export const HISTOGRAMS: readonly LoweringRule[] = [
  rule(HistogramOp, ({ op, src, mask, result }, lo) => {
    const { b } = lo;
    const values = lo.elements(src);
    const masks = mask ? lo.elements(mask) : undefined;
    const type = result.type as TensorType;
    const [numBins] = type.params.shape as [number];
    const sums = lo.ctx.triton.countsOneByOne ? countEach(lo, op, values, masks, numBins) : countByBallots(lo, op, values, masks, numBins);
    // Threads that hold the same elements counted them again.
    const { shape, encoding } = (src.type as TensorType).params;
    const params = distributedParams(encoding)!;
    const distinct = [...getThreadsPerWarp(params, shape), ...getWarpsPerCTA(params, shape)].reduce((n, size) => n * size, 1);
    const copies = b.i32(Math.floor((numWarpsAt(lo) * lo.target.threadsPerWarp) / distinct));
    lo.setElements(
      result,
      sums.map((sum) => b.sdiv(sum, copies)),
    );
  }),
];
