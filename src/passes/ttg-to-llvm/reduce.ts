/**
 * Reductions: within threads first, then within warps by shuffles, then among warps through shared memory, which the first threads
 * of the CTA read, reduce and write back for all to load.
 * Source: lib/Conversion/TritonGPUToLLVM/ReduceOpToLLVM.cpp.
 */
import { reduceScratchShape, sourceTensor } from "../../analysis/reduce-scan-geometry.js";
import { ReduceOp } from "../../dialects/tt/ops/reduce.js";
import { numElements, RankedTensorType, type TensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { getOrder, getThreadsPerWarp, getWarpsPerCTA, toLinearEncoding } from "../../layout/encoding-queries.js";
import { CombineFailed, combine, elementTypes, scratchBases, unpackInputs } from "./combine.js";
import { coordinateOf, linearizeInOrder } from "./index-math.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";
import { reduceByConversions } from "./reduce-by-conversions.js";
import { asValue, emitIndices, emitOffsetForLayout, laneAndWarpId, numWarpsAt, threadId } from "./thread-indices.js";

export const REDUCTIONS: readonly LoweringRule[] = [
  rule(ReduceOp, ({ op, axis }, lo) => {
    try {
      return lo.ctx.triton.reducesByConversions ? reduceByConversions(lo, op, axis) : lowerReduce(lo, op, axis);
    } catch (error) {
      if (error instanceof CombineFailed) return false;
      throw error;
    }
  }),
];

/** A partial result: where along the other dimensions it is, and its values, one an operand. */
interface Partial {
  readonly key: readonly number[];
  values: readonly Value[];
  /** The coordinate of the first register that went into it. */
  readonly indices: readonly Value[];
}
const compareKeys = (a: readonly number[], b: readonly number[]): number => {
  const d = a.findIndex((x, i) => x !== b[i]);
  return d < 0 ? 0 : a[d]! - b[d]!;
};

function lowerReduce(lo: Lowering, op: Operation, axis: number): void {
  const source = sourceTensor(op);
  const { shape, encoding } = source;
  const partials = withinThreads(lo, op, axis);
  const lanes = getThreadsPerWarp(encoding, shape)[axis]!;
  const interleave = threadOffset(op, axis);
  for (const partial of partials) partial.values = warpReduce(lo, op, partial.values, lanes, interleave);

  const scratch = reduceScratchShape(source, axis);
  if (!scratch) return packResults(lo, op, axis, partials);
  const bases = scratchBases(lo, op, numElements(scratch));
  const order = [axis, ...getOrder(toLinearEncoding(shape, encoding), shape).filter((d) => d !== axis)];
  storePartials(lo, op, axis, partials, bases, scratch, order);
  lo.code.barrier(lo);
  reducePartials(lo, op, bases, numElements(scratch), getWarpsPerCTA(encoding, shape)[axis]!);
  lo.code.barrier(lo);
  loadResults(lo, op, axis, bases, scratch, order);
}

/** Each thread's own elements. A register that repeats another is left out. In the order of the keys. */
function withinThreads(lo: Lowering, op: Operation, axis: number): Partial[] {
  const values = unpackInputs(lo, op);
  const type = op.operand(0).type as TensorType;
  const offsets = emitOffsetForLayout(type);
  const indices = emitIndices(lo, type, true);
  const seen = new Set<string>();
  const byKey = new Map<string, Partial>();
  offsets.forEach((offset, i) => {
    if (seen.has(offset.join())) return;
    seen.add(offset.join());
    const key = offset.map((x, d) => (d === axis ? 0 : x));
    const partial = byKey.get(key.join());
    if (partial) partial.values = combine(lo, op, partial.values, values[i]!);
    else byKey.set(key.join(), { key, values: values[i]!, indices: indices[i]! });
  });
  return [...byKey.values()].sort((a, b) => compareKeys(a.key, b.key));
}

/** How far apart lanes are that are neighbours along the axis. */
function threadOffset(op: Operation, axis: number): number {
  const { shape, encoding } = sourceTensor(op);
  const lanes = toLinearEncoding(shape, encoding).layout.getInDimBases("lane");
  const first = lanes.findIndex((basis) => basis[axis] !== 0);
  return 2 ** (first < 0 ? lanes.length : first);
}

/** Reduces over `lanes` lanes, each `interleave` from the next. */
function warpReduce(
  lo: Lowering,
  op: Operation,
  given: readonly Value[],
  lanes: number,
  interleave: number,
  predicate?: Value,
): readonly Value[] {
  const atOnce = lo.code.warpReduce(lo, op, given, (lanes - 1) * interleave);
  if (atOnce) return atOnce;
  let acc = given;
  for (let n = Math.floor(lanes / 2); n > 0; n >>= 1) {
    const shuffled = acc.map((value) => lo.code.shuffleXor(lo, value, n * interleave));
    acc = combine(lo, op, acc, shuffled, predicate);
  }
  return acc;
}

/** The results when no other warp has a part of them. */
function packResults(lo: Lowering, op: Operation, axis: number, partials: readonly Partial[]): void {
  const byKey = new Map(partials.map((p) => [p.key.join(), p.values]));
  op.results.forEach((result, i) => {
    if (!RankedTensorType.is(result.type)) return lo.setValue(result, partials[0]!.values[i]!);
    const values = emitOffsetForLayout(result.type).map((offset) => {
      const key = [...offset.slice(0, axis), 0, ...offset.slice(axis)];
      return byKey.get(key.join())![i]!;
    });
    lo.setElements(result, values);
  });
}

/** The first lane along the axis writes its warp's partial results. */
function storePartials(
  lo: Lowering,
  op: Operation,
  axis: number,
  partials: readonly Partial[],
  bases: readonly Value[],
  scratch: readonly number[],
  order: readonly number[],
): void {
  const { b } = lo;
  const { shape, encoding } = sourceTensor(op);
  const { lane, warp } = laneAndWarpId(lo);
  const ofLane = coordinateOf(b, encoding, shape, "lane", lane);
  const ofWarp = coordinateOf(b, encoding, shape, "warp", asValue(b, warp));
  const isFirst = b.icmp("eq", ofLane.coordinate[axis]!, b.i32(0));
  const predicate = b.and(b.and(ofLane.isRepresentative, ofWarp.isRepresentative), isFirst);
  const types = elementTypes(op);
  for (const { indices, values } of partials) {
    const at = indices.map((index, d) => (d === axis ? ofWarp.coordinate[axis]! : index));
    const offset = linearizeInOrder(b, at, scratch, order);
    values.forEach((value, i) => {
      const pointer = b.gep(bases[i]!.type, types[i]!, bases[i]!, [offset]);
      lo.code.storeShared(lo, pointer, value, { predicate });
    });
  }
}

/** Threads with consecutive numbers take the warps' results of one reduction each. */
function reducePartials(lo: Lowering, op: Operation, bases: readonly Value[], elems: number, numWarps: number): void {
  const { b } = lo;
  const numThreads = lo.target.threadsPerWarp * numWarpsAt(lo);
  const thread = threadId(lo);
  const lane = b.urem(thread, b.i32(lo.target.threadsPerWarp));
  const zero = b.i32(0);
  const rounds = Math.max(Math.floor(elems / numThreads), 1);
  const needed = b.icmp("slt", thread, b.i32(elems));
  const types = elementTypes(op);
  let offset = thread;
  for (let round = 0; round < rounds; round++) {
    const pointerOf = (i: number): Value => b.gep(bases[i]!.type, types[i]!, bases[i]!, [offset]);
    const loaded = bases.map((_, i) => lo.code.loadShared(lo, pointerOf(i), types[i]!, { predicate: needed }));
    const acc = warpReduce(lo, op, loaded, numWarps, 1, needed);
    const pointers = bases.map((_, i) => pointerOf(i));
    const isFirst = b.icmp("eq", b.urem(lane, b.i32(numWarps)), zero);
    const predicate = b.and(needed, isFirst);
    acc.forEach((value, i) => {
      lo.code.storeShared(lo, pointers[i]!, value, { predicate });
    });
    if (round !== rounds - 1) offset = b.add(offset, b.i32(numThreads));
  }
}

function loadResults(
  lo: Lowering,
  op: Operation,
  axis: number,
  bases: readonly Value[],
  scratch: readonly number[],
  order: readonly number[],
): void {
  const { b } = lo;
  const types = elementTypes(op);
  op.results.forEach((result, i) => {
    const base = bases[i]!;
    const { type } = result;
    if (!RankedTensorType.is(type)) return lo.setValue(result, b.load(types[i]!, base));
    const values = emitIndices(lo, type, true).map((indices) => {
      const at = [...indices.slice(0, axis), b.i32(0), ...indices.slice(axis)];
      type.params.shape.forEach((extent, d) => {
        const dim = d < axis ? d : d + 1;
        if (extent > scratch[dim]!) at[dim] = b.urem(at[dim]!, b.i32(scratch[dim]!));
      });
      const pointer = b.gep(base.type, types[i]!, base, [linearizeInOrder(b, at, scratch, order)]);
      return b.load(types[i]!, pointer);
    });
    lo.setElements(result, values);
  });
}
