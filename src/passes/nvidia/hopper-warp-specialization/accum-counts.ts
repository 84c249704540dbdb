/**
 * Counts the rounds in which a channel is used: the buffer and the phase of round n are n % numBuffers and n / numBuffers % 2. Each
 * loop or if with channels right in it has a count, which the loops around carry:
 *
 *     scf.for %t iter_args(%n = 0) {               // the count of the inner loop
 *       %r = scf.for %k iter_args(%m = %n) {
 *         descriptor_load ...                      // uses %m
 *         scf.yield %m + 1
 *       }
 *       scf.yield %r
 *     }
 *
 * Source: WarpSpecialization/WSBuffer.cpp, CodePartitionUtility.cpp.
 */
import { AndIOp } from "../../../dialects/arith/ops/bitwise.js";
import { ExtSIOp, TruncIOp } from "../../../dialects/arith/ops/cast.js";
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { DivUIOp } from "../../../dialects/arith/ops/division.js";
import { AddIOp, MulIOp, SubIOp } from "../../../dialects/arith/ops/integer.js";
import { buildFor, buildIf } from "../../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp, type IfView } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import type { Block } from "../../../ir/block.js";
import { i32Attr, i64Attr } from "../../../ir/builtin-attrs.js";
import { i1, i32, i64 } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { refuse } from "../not-specializable.js";
import { getNestedAsyncTaskIds, TaskBuilder } from "./async-task-ids.js";
import type { Channel } from "./channels.js";
import { takeBody } from "./take-body.js";

/** A buffer of a ring, and how often the ring was used before, modulo 2. */
export interface BufferIndex {
  readonly index: Value;
  readonly phase: Value;
}

export class AccumCounts {
  /** Loops and ifs with consumers of channels right in them. */
  readonly #regions: Set<Operation>;
  constructor(
    readonly rw: Rewriter,
    channels: readonly Channel[],
  ) {
    this.#regions = new Set(channels.flatMap(({ dst }) => (ForOp.is(dst.parentOp) || IfOp.is(dst.parentOp) ? dst.parentOp! : [])));
  }

  /** The loops and ifs of an op that have counts, the op among them, in order. */
  #counted(op: Operation): Operation[] {
    const found: Operation[] = [];
    op.walk((nested) => {
      if (this.#regions.has(nested)) found.push(nested);
    });
    return found;
  }
  /** The argument of a loop that is the count of a loop or if in it; what has none gets that of the next one. */
  #countIn(loop: Operation, region: Operation): Value {
    const counted = this.#counted(loop);
    let before = 0;
    loop.walk((nested) => {
      if (nested === region) return "interrupt";
      if (this.#regions.has(nested)) before++;
      return undefined;
    });
    const { args } = loop.regions[0]!.firstBlock!;
    const arg = args[args.length - counted.length + before];
    if (!arg || counted.length === 0) refuse(region, "warp groups hand over values here in no loop that could count how often");
    return arg;
  }

  /** Computes which buffer `op` uses, at the insertion point. */
  bufferIdxAndPhase(b: TaskBuilder, op: Operation, numBuffers: number): BufferIndex {
    const count = this.#countIn(op.parentOfType(ForOp)!, op.parentOp!);
    const { ctx } = this.rw;
    const loc = op.locRef;
    const narrow = b.value(ConstantOp, { value: i32Attr(ctx, numBuffers) }, { loc });
    const size = b.value(ExtSIOp, { in: narrow }, { loc, types: [i64(ctx)] });
    const rounds = b.value(DivUIOp, { lhs: count, rhs: size }, { loc });
    const start = b.value(MulIOp, { lhs: rounds, rhs: size }, { loc });
    const rest = b.value(SubIOp, { lhs: count, rhs: start }, { loc });
    const index = b.value(TruncIOp, { in: rest }, { loc, types: [i32(ctx)] });
    const one = b.value(ConstantOp, { value: i64Attr(ctx, 1) }, { loc });
    const parity = b.value(AndIOp, { lhs: rounds, rhs: one }, { loc });
    return { index, phase: b.value(TruncIOp, { in: parity }, { loc, types: [i1(ctx)] }) };
  }

  /** Gives counts to loops and ifs; returns the ops that replace them. */
  append(ops: readonly Operation[]): Operation[] {
    return ops.map((op) => {
      const loop = ForOp.match(op);
      if (loop) return this.#rewriteFor(loop);
      if (this.#counted(op).length > 0) return this.#rewriteIf(IfOp.match(op)!);
      // Loops in here are made anew all the same.
      const inner: Operation[] = [];
      op.walk((nested) => {
        if (!ForOp.is(nested)) return undefined;
        inner.push(nested);
        return "skip";
      });
      this.append(inner);
      return op;
    });
  }
  #replaceRegion(from: Operation, to: Operation): void {
    if (this.#regions.delete(from)) this.#regions.add(to);
  }

  #rewriteFor({ op, lowerBound, upperBound, step, initArgs, region }: ForView): Operation {
    const { rw } = this;
    const loc = op.locRef;
    const b = new TaskBuilder(rw).inTasks(getNestedAsyncTaskIds(op));
    const outer = op.parentOfType(ForOp);
    const counted = this.#counted(op);
    rw.setBefore(op);
    const inits = counted.map((nested) =>
      outer ? this.#countIn(outer, nested) : b.value(ConstantOp, { value: i64Attr(rw.ctx, 0) }, { loc }),
    );
    const body = region.firstBlock!;
    const counts = inits.map((init) => body.addArgument(init.type, loc));
    body.lastOp!.appendOperands(counts);
    const made = rw.from(op, () =>
      buildFor(rw.builder, { lowerBound, upperBound, step, initArgs: [...initArgs, ...inits] }, { loc, ...b.options }),
    ).op;
    takeBody(rw, made, op);
    rw.replaceOpUses(op, made.results.slice(0, op.numResults));
    rw.erase(op);
    this.#replaceRegion(op, made);

    const inner = this.append(loopsAndIfs(body));
    const yieldOp = body.lastOp!;
    let next = 0;
    if (this.#regions.has(made)) {
      const count = counts[next++]!;
      rw.setBefore(yieldOp);
      const one = b.value(ConstantOp, { value: i64Attr(rw.ctx, 1) }, { loc });
      yieldOp.replaceUsesOfWith(count, b.value(AddIOp, { lhs: count, rhs: one }, { loc }));
    }
    for (const ends of inner.map((nested) => this.#countsAfter(nested)))
      for (const end of ends) yieldOp.replaceUsesOfWith(counts[next++]!, end);
    return made;
  }

  #rewriteIf({ op, condition, thenRegion, elseRegion }: IfView): Operation {
    const { rw } = this;
    const loc = op.locRef;
    const b = new TaskBuilder(rw).inTasks(getNestedAsyncTaskIds(op));
    const counted = this.#counted(op);
    const types = [...op.resultTypes, ...counted.map(() => i64(rw.ctx))];
    rw.setBefore(op);
    const made = rw.from(op, () => buildIf(rw.builder, types, condition, true, { loc, ...b.options })).op;
    const thenBlock = thenRegion.firstBlock!;
    const hasElse = !elseRegion.empty;
    takeBody(rw, made, op);
    this.#replaceRegion(op, made);
    const inner = this.append(loopsAndIfs(thenBlock));
    const otherwise = made.regions[1]!.firstBlock!;
    if (!hasElse) rw.setEnd(otherwise).create(YieldOp, { results: [] }, { loc });
    else if (loopsAndIfs(otherwise).some((nested) => this.#counted(nested).length > 0))
      refuse(op, "warp groups cannot hand over values in an 'else' branch");

    const outer = made.parentOfType(ForOp);
    const thenYields = thenBlock.lastOp!.operands;
    const elseYields = otherwise.lastOp!.operands;
    const constant = (block: Block, value: number): Value => {
      rw.setBefore(block.lastOp!);
      return b.value(ConstantOp, { value: i64Attr(rw.ctx, value) }, { loc });
    };
    if (this.#regions.has(made)) {
      const count = outer && this.#countIn(outer, made);
      const one = constant(thenBlock, 1);
      thenYields.push(count ? b.value(AddIOp, { lhs: count, rhs: one }, { loc }) : one);
      elseYields.push(count ?? constant(otherwise, 0));
    }
    for (const nested of inner) {
      const [first] = this.#counted(nested);
      const start = outer && first && this.#countIn(outer, first);
      this.#countsAfter(nested).forEach((end, i) => {
        thenYields.push(end);
        elseYields.push(start ? outer.regions[0]!.firstBlock!.args[start.index + i]! : constant(otherwise, 0));
      });
    }
    for (const [block, yields] of [
      [thenBlock, thenYields],
      [otherwise, elseYields],
    ] as const) {
      const old = block.lastOp!;
      rw.setBefore(old);
      b.create(YieldOp, { results: yields }, { loc });
      rw.erase(old);
    }
    rw.replaceOpUses(op, made.results.slice(0, op.numResults));
    rw.erase(op);
    return made;
  }

  /** The counts after a loop or if: its last results. */
  #countsAfter(op: Operation): readonly Value[] {
    const { length } = this.#counted(op);
    return op.results.slice(op.numResults - length);
  }
}

const loopsAndIfs = (block: Block): Operation[] => [...block.ops()].filter((op) => ForOp.is(op) || IfOp.is(op));
