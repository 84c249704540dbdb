/**
 * Scans: the neighbours that a thread holds first, then the last of each such chunk over the lanes of a warp, then over warps through
 * shared memory; what each chunk's last element then is, is combined into those before it. A reverse scan turns all around before
 * and after.
 * Source: lib/Conversion/TritonGPUToLLVM/ScanOpToLLVM.cpp.
 */

import { type ScanGeometry, scanGeometry, scanSource, sourceTensor } from "../../analysis/reduce-scan-geometry.js";
import { ScanOp } from "../../dialects/tt/ops/reduce.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { basesPerDim } from "../../layout/bases-per-dim.js";
import { actionRemoveBroadcastedRegs, broadcastAs } from "../../layout/column-action.js";
import { getContigPerThread, getThreadsPerWarp, getWarpsPerCTA, toLinearEncoding } from "../../layout/encoding-queries.js";
import { LayoutError } from "../../layout/layout-error.js";
import { CombineFailed, combine, elementTypes, scratchBases, unpackInputs } from "./combine.js";
import { coordinateOf, linearizeInOrder } from "./index-math.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";
import { threadId } from "./thread-indices.js";

export const SCANS: readonly LoweringRule[] = [
  rule(ScanOp, ({ op, axis, reverse }, lo) => {
    const { kind } = sourceTensor(op).encoding;
    if (kind !== "blocked") return lo.fail(op, `a scan needs a blocked layout, and this tensor has ${kind}`, "lower.scan");
    try {
      return new ScanLowering(lo, op, axis).run(reverse);
    } catch (error) {
      if (error instanceof CombineFailed) return false;
      throw error;
    }
  }),
];

type Values = readonly Value[];
/** How far apart neighbours along the axis are in a numbering by the layout's order. */
interface Strides {
  readonly element: number;
  readonly thread: number;
  readonly block: number;
}

/** One scan; a class because its parts share the geometry and the values that they update: `values[register][operand]`. */
class ScanLowering {
  readonly #source: ReturnType<typeof scanSource>;
  readonly #geometry: ScanGeometry;
  readonly #strides: Strides;
  #values: Values[] = [];
  #laneAxis!: Value;
  #warpAxis!: Value;
  /** The number of the independent scan, and whether this thread is the first that holds its data. */
  #parallel!: Value;
  #isRepresentative!: Value;

  constructor(
    readonly lo: Lowering,
    readonly op: Operation,
    readonly axis: number,
  ) {
    this.#source = scanSource(op);
    const { shape, encoding, order } = this.#source;
    this.#geometry = scanGeometry(this.#source, axis);
    const contiguous = getContigPerThread(encoding, shape);
    const threads = getThreadsPerWarp(encoding, shape);
    const warps = getWarpsPerCTA(encoding, shape);
    const before = (sizes: readonly number[]): number => order.slice(0, order.indexOf(axis)).reduce((stride, d) => stride * sizes[d]!, 1);
    this.#strides = {
      element: before(contiguous),
      thread: before(basesPerDim(toLinearEncoding(shape, encoding).layout, "lane", false)),
      block: before(shape.map((extent, d) => Math.ceil(extent / (contiguous[d]! * threads[d]! * warps[d]!)))),
    };
  }

  run(reverse: boolean): void {
    const { lo, op } = this;
    const { b } = lo;
    const thread = threadId(lo);
    const warpSize = b.i32(lo.target.threadsPerWarp);
    const warp = b.udiv(thread, warpSize);
    const lane = b.urem(thread, warpSize);
    this.#findPlace(lane, warp);
    const registers = toLinearEncoding(sourceTensor(op).shape, sourceTensor(op).encoding).layout;
    const unique = op.ctx.triton.scansUniqueElements ? actionRemoveBroadcastedRegs(registers) : undefined;
    const inputs = unpackInputs(lo, op);
    this.#values = unique ? [...unique.applyToValues(inputs)] : inputs;
    if (reverse) {
      this.#warpAxis = b.sub(b.i32(this.#geometry.axisNumWarps - 1), this.#warpAxis);
      this.#flip();
    }
    this.#withinThread();
    this.#withinWarp();
    const { axisNumWarps, axisNumBlocks, nonAxisNumBlocks, axisNumElementsPerThread, nonAxisNumElementsPerThread } = this.#geometry;
    const numDistinct = axisNumBlocks * nonAxisNumBlocks * axisNumElementsPerThread * nonAxisNumElementsPerThread;
    if ((axisNumWarps > 1 || this.#values.length > 1) && numDistinct !== this.#values.length)
      throw new LayoutError(`a scan needs each element once in a thread, and these hold ${this.#values.length} for ${numDistinct}`);
    if (axisNumWarps > 1) {
      const bases = scratchBases(lo, op, this.#geometry.scratchElems);
      this.#storeWarps(bases);
      lo.code.barrier(lo);
      this.#addWarps(bases);
    } else if (this.#values.length > 1) this.#addOneWarp(this.#lastLane(lane));
    if (reverse) this.#flip();
    const results = unique ? broadcastAs(this.#values, registers) : this.#values;
    op.results.forEach((result, i) => {
      lo.setElements(
        result,
        results.map((values) => values[i]!),
      );
    });
  }

  #combine(acc: Values | undefined, cur: Values, predicate?: Value): Values {
    return combine(this.lo, this.op, acc, cur, predicate);
  }

  #findPlace(lane: Value, warp: Value): void {
    const { b } = this.lo;
    const { shape, encoding } = this.#source;
    const ofLane = coordinateOf(b, encoding, shape, "lane", lane);
    const ofWarp = coordinateOf(b, encoding, shape, "warp", warp);
    this.#laneAxis = ofLane.coordinate[this.axis]!;
    this.#warpAxis = ofWarp.coordinate[this.axis]!;
    const without = (coordinate: Value[], sizes: readonly number[]): Value => {
      coordinate[this.axis] = b.i32(0);
      return linearizeInOrder(
        b,
        coordinate,
        sizes.map((size, d) => (d === this.axis ? 1 : size)),
        this.#source.order,
      );
    };
    const laneParallel = without(ofLane.coordinate, getThreadsPerWarp(encoding, shape));
    const warpParallel = without(ofWarp.coordinate, getWarpsPerCTA(encoding, shape));
    this.#parallel = b.add(laneParallel, b.mul(warpParallel, b.i32(this.#geometry.nonAxisNumThreadsPerWarp)));
    this.#isRepresentative = b.and(ofLane.isRepresentative, ofWarp.isRepresentative);
  }

  /** Turns registers and lanes around; lanes by shuffles that flip one bit of the lane each. */
  #flip(): void {
    const { lo } = this;
    const flipped: Values[] = [];
    for (const values of [...this.#values].reverse()) {
      flipped.push(
        values.map((given) => {
          let value = given;
          for (let k = lo.target.threadsPerWarp / 2; k >= 1; k /= 2) value = lo.code.shuffleXor(lo, value, k);
          return value;
        }),
      );
    }
    this.#values = flipped;
  }

  #withinThread(): void {
    const { element: stride } = this.#strides;
    const perThread = this.#geometry.axisNumElementsPerThread;
    const accs: Values[] = [];
    for (let i = 0; i < this.#values.length; i++) {
      const chunk = (i % stride) + Math.floor(Math.floor(i / stride) / perThread) * stride;
      this.#values[i] = accs[chunk] = this.#combine(accs[chunk], this.#values[i]!);
    }
  }

  /** The registers that are the last of a chunk of neighbours, in order. */
  #lastOfChunks(): number[] {
    const perThread = this.#geometry.axisNumElementsPerThread;
    return [...this.#values.keys()].filter((i) => Math.floor(i / this.#strides.element) % perThread === perThread - 1);
  }

  #withinWarp(): void {
    const { lo } = this;
    const { b } = lo;
    for (const register of this.#lastOfChunks()) {
      let acc = this.#values[register]!;
      for (let i = 1; i <= this.#geometry.axisNumThreadsPerWarp / 2; i <<= 1) {
        const shuffled = acc.map((value) => lo.code.shuffleUp(lo, value, i * this.#strides.thread));
        const mask = b.icmp("sge", this.#laneAxis, b.i32(i));
        const combined = this.#combine(shuffled, acc, mask);
        acc = acc.map((value, j) => b.select(mask, combined[j]!, value));
      }
      this.#values[register] = acc;
    }
  }

  /** The last lane of each warp writes what the warp sums up to. */
  #storeWarps(bases: Values): void {
    const { lo } = this;
    const { b } = lo;
    const { nonAxisNumThreadsPerCTA: parallel, axisNumWarps, axisNumThreadsPerWarp } = this.#geometry;
    const types = elementTypes(this.op);
    for (const [chunk, register] of this.#lastOfChunks().entries()) {
      const isLast = b.icmp("eq", this.#laneAxis, b.i32(axisNumThreadsPerWarp - 1));
      const predicate = b.and(isLast, this.#isRepresentative);
      let index = b.add(this.#parallel, b.mul(this.#warpAxis, b.i32(parallel)));
      index = b.add(index, b.i32(chunk * parallel * axisNumWarps));
      this.#values[register]!.forEach((value, i) => {
        const pointer = b.gep(bases[i]!.type, types[i]!, bases[i]!, [index]);
        lo.code.storeShared(lo, pointer, value, { predicate });
      });
    }
  }

  /** Which of the independent scans a chunk belongs to, and how many blocks along the axis come before it. */
  #placeOf(chunk: number): { readonly scan: number; readonly axisBlock: number } {
    const { nonAxisNumElementsPerThread: perThread, axisNumBlocks } = this.#geometry;
    const { block: stride } = this.#strides;
    const block = Math.floor(chunk / perThread);
    const parallelBlock = (block % stride) + Math.floor(Math.floor(block / stride) / axisNumBlocks) * stride;
    return { scan: (chunk % perThread) + parallelBlock * perThread, axisBlock: Math.floor(block / stride) % axisNumBlocks };
  }

  #addWarps(bases: Values): void {
    const { lo } = this;
    const { b } = lo;
    const { nonAxisNumThreadsPerCTA: parallel, axisNumWarps, axisNumElementsPerThread: perThread } = this.#geometry;
    const types = elementTypes(this.op);
    const notFirstWarp = b.icmp("ne", this.#warpAxis, b.i32(0));
    const notFirstLane = b.icmp("ne", this.#laneAxis, b.i32(0));
    const notFirstThread = b.or(notFirstWarp, notFirstLane);
    /** All that came before, and the part of it that is before this thread's warp. */
    const sums: { all: Values; before: Values }[] = [];
    for (const [chunk, register] of this.#lastOfChunks().entries()) {
      const { scan, axisBlock } = this.#placeOf(chunk);
      for (let i = 0; i < axisNumWarps; i++) {
        const index = b.add(this.#parallel, b.i32(parallel * (i + chunk * axisNumWarps)));
        const partial = bases.map((base, j) => {
          const pointer = b.gep(base.type, types[j]!, base, [index]);
          return lo.forms.sharesByVendor ? lo.code.loadShared(lo, pointer, types[j]!) : b.load(types[j]!, pointer);
        });
        const sum = sums[scan];
        if (!sum) {
          sums[scan] = { all: partial, before: partial };
          continue;
        }
        const mask = b.icmp("sge", this.#warpAxis, b.i32(i + 1));
        sum.all = this.#combine(sum.all, partial);
        sum.before = sum.before.map((value, j) => b.select(mask, sum.all[j]!, value));
      }
      const sum = sums[scan]!;
      const isFirst = axisBlock === 0;
      const last = this.#values[register]!;
      let combined = this.#combine(sum.before, last, isFirst ? notFirstWarp : undefined);
      if (isFirst) combined = combined.map((value, i) => b.select(notFirstWarp, value, last[i]!));
      this.#values[register] = combined;
      const previous = combined.map((value, i) => {
        const shuffled = lo.code.shuffleUp(lo, value, this.#strides.thread);
        return b.select(notFirstLane, shuffled, sum.before[i]!);
      });
      for (let i = 1; i < perThread; i++) {
        const at = register - i * this.#strides.element;
        const own = this.#values[at]!;
        let value = this.#combine(previous, own, isFirst ? notFirstThread : undefined);
        if (isFirst) value = value.map((v, j) => b.select(notFirstThread, v, own[j]!));
        this.#values[at] = value;
      }
      sum.before = sum.all;
    }
  }

  /** The lane of this scan that holds its last elements. */
  #lastLane(lane: Value): Value {
    const { b } = this.lo;
    const { shape, encoding } = this.#source;
    const { coordinate } = coordinateOf(b, encoding, shape, "lane", lane);
    coordinate[this.axis] = b.i32(this.#geometry.axisNumThreadsPerWarp - 1);
    return linearizeInOrder(b, coordinate, getThreadsPerWarp(encoding, shape), this.#source.order);
  }

  #addOneWarp(lastLane: Value): void {
    const { lo } = this;
    const { b } = lo;
    const { axisNumThreadsPerWarp, axisNumBlocks, axisNumElementsPerThread: perThread } = this.#geometry;
    const isFirstWarp = b.icmp("eq", this.#warpAxis, b.i32(0));
    const isFirstLane = b.icmp("eq", this.#laneAxis, b.i32(0));
    const isFirstThread = b.and(isFirstWarp, isFirstLane);
    const sums: Values[] = [];
    for (const [chunk, register] of this.#lastOfChunks().entries()) {
      const { scan, axisBlock } = this.#placeOf(chunk);
      if (axisBlock === 0) sums[scan] = this.#values[register]!;
      else this.#values[register] = this.#combine(sums[scan], this.#values[register]!);
      const last = this.#values[register]!;
      let previous = last;
      if (axisNumThreadsPerWarp > 1) {
        const sum = [...sums[scan]!];
        previous = last.map((value, i) => {
          const shuffled = lo.code.shuffleUp(lo, value, this.#strides.thread);
          const chosen = b.select(isFirstLane, sum[i]!, shuffled);
          if (axisNumBlocks > 1) sum[i] = lo.code.shuffleIdx(lo, value, lastLane);
          return chosen;
        });
        sums[scan] = sum;
      } else if (axisNumBlocks > 1) sums[scan] = last;
      for (let i = 1; i < perThread; i++) {
        const at = register - i * this.#strides.element;
        const own = this.#values[at]!;
        let value = this.#combine(previous, own);
        if (axisBlock === 0) value = value.map((v, j) => b.select(isFirstThread, own[j]!, v));
        this.#values[at] = value;
      }
    }
  }
}
