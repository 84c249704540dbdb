/**
 * Reductions: within threads first, then within warps by shuffles, then among warps through shared memory, which the first threads
 * of the CTA read, reduce and write back for all to load.
 * Source: lib/Conversion/TritonGPUToLLVM/ReduceOpToLLVM.cpp, nvidia TargetInfo.cpp (warpReduce).
 */
import { reduceScratchShape, sourceTensor } from "../../analysis/reduce-scan-geometry.js";
import { ReduxKindAttr } from "../../dialects/nvvm/attrs.js";
import { ReduxOp } from "../../dialects/nvvm/ops/warp.js";
import { ReduceOp, singleCombiner } from "../../dialects/tt/ops/reduce.js";
import { i32, intType, isFloat, isInteger, numElements, RankedTensorType, type TensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { getOrder, getThreadsPerWarp, getWarpsPerCTA, toLinearEncoding } from "../../layout/encoding-queries.js";
import { barrier } from "./barrier.js";
import { CombineFailed, combine, elementTypes, scratchBases, unpackInputs } from "./combine.js";
import { coordinateOf, linearizeInOrder } from "./index-math.js";
import { scalarBits } from "./ll-builder.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";
import { loadShared, storeShared } from "./shared-access.js";
import { shuffleXor } from "./shuffle.js";
import { asValue, emitIndices, emitOffsetForLayout, laneAndWarpId, numWarpsAt, threadId } from "./thread-indices.js";

export const REDUCTIONS: readonly LoweringRule[] = [
  rule(ReduceOp, ({ op, axis }, lo) => {
    try {
      return lowerReduce(lo, op, axis);
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
  barrier(lo);
  reducePartials(lo, op, bases, numElements(scratch), getWarpsPerCTA(encoding, shape)[axis]!);
  barrier(lo);
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
  const redux = lanes === 32 ? reduxKind(lo, op) : undefined;
  if (redux) return [reduxSync(lo, given[0]!, redux)];
  let acc = given;
  for (let n = Math.floor(lanes / 2); n > 0; n >>= 1) {
    const shuffled = acc.map((value) => shuffleXor(lo, value, n * interleave));
    acc = combine(lo, op, acc, shuffled, predicate);
  }
  return acc;
}

interface Redux {
  readonly kind: string;
  /** A NaN makes the result NaN. */
  readonly nan: boolean;
}
const REDUX: Readonly<Record<string, string>> = {
  "arith.addi": "add",
  "arith.andi": "and",
  "arith.ori": "or",
  "arith.xori": "xor",
  "arith.minsi": "min",
  "arith.minui": "umin",
  "arith.maxsi": "max",
  "arith.maxui": "umax",
};
const REDUX_F32: Readonly<Record<string, Redux>> = {
  "arith.maxnumf": { kind: "fmax", nan: false },
  "arith.maximumf": { kind: "fmax", nan: true },
  "arith.minnumf": { kind: "fmin", nan: false },
  "arith.minimumf": { kind: "fmin", nan: true },
};
/** The instruction that reduces 32 lanes at once, where there is one. */
function reduxKind(lo: Lowering, op: Operation): Redux | undefined {
  const { redux } = lo.target.gpu;
  const combiner = redux.length > 0 ? singleCombiner(op) : undefined;
  if (!combiner) return undefined;
  const { type } = combiner.result(0);
  if (redux.includes("f32") && isFloat(type, "f32")) return REDUX_F32[combiner.name];
  const kind = isInteger(type) && type.params.width <= 32 ? REDUX[combiner.name] : undefined;
  return kind === undefined ? undefined : { kind, nan: false };
}
function reduxSync(lo: Lowering, value: Value, { kind, nan }: Redux): Value {
  const { b, ctx } = lo;
  const mask = b.i32(-1);
  const { type } = value;
  const narrow = isInteger(type) && scalarBits(type) < 32;
  const word = narrow ? (kind === "min" || kind === "max" ? b.sext(value, i32(ctx)) : b.zext(value, i32(ctx))) : value;
  const args = { val: word, mask_and_clamp: mask, kind: ReduxKindAttr.get(ctx, { value: kind as "add" }), abs: false, nan };
  const reduced = b.value(ReduxOp, args, word.type);
  return narrow ? b.trunc(reduced, intType(ctx, scalarBits(type))) : reduced;
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
      storeShared(lo, pointer, value, { predicate });
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
    const loaded = bases.map((_, i) => loadShared(lo, pointerOf(i), types[i]!, { predicate: needed }));
    const acc = warpReduce(lo, op, loaded, numWarps, 1, needed);
    const pointers = bases.map((_, i) => pointerOf(i));
    const isFirst = b.icmp("eq", b.urem(lane, b.i32(numWarps)), zero);
    const predicate = b.and(needed, isFirst);
    acc.forEach((value, i) => {
      storeShared(lo, pointers[i]!, value, { predicate });
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
