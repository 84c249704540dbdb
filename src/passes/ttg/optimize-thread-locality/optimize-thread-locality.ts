import * as arith from "../../../dialects/arith/ops/index.js";
import { valueLocation } from "../../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { ReduceOp } from "../../../dialects/tt/ops/reduce.js";
import { ReshapeOp } from "../../../dialects/tt/ops/shape.js";
import { distributedParams, encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import type { Attribute } from "../../../ir/attribute.js";
import { inferResultTypes } from "../../../ir/builder.js";
import { floatAttr, i32Attr, splatOf } from "../../../ir/builtin-attrs.js";
import { type TensorType, tensorType } from "../../../ir/builtin-types.js";
import { Mapping } from "../../../ir/clone.js";
import type { View } from "../../../ir/define-op.js";
import { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { BlockedParams } from "../../../layout/encoding-params.js";
import { getElemsPerThread } from "../../../layout/encoding-queries.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { definePass } from "../../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { optimizeGatherLayout, optimizeReshapeLayout } from "./thread-local-layouts.js";

type ReduceView = View<typeof ReduceOp>;
const typeOf = (value: Value): TensorType => value.type as TensorType;

/**
 *     scf.for ... iter_args(%acc = %zero) {
 *       %r = tt.reduce(%x) along the last axis
 *       %next = arith.addf %acc, %r
 *
 * becomes a loop in which each thread adds up its own elements (`tt.reduce` of `tt.reshape %x` along a new last axis), and one
 * reduction across threads after the loop.
 */
export const optimizeThreadLocality = definePass("tritongpu-optimize-thread-locality", {
  name: "TritonGPUOptimizeThreadLocality",
  summary: "Reduce the cost of synchronization between threads in an SM",
  source: "lib/Dialect/TritonGPU/Transforms/OptimizeThreadLocality.cpp",
  statistics: { hoisted: "reductions across threads moved out of a loop" },
  run(root, { listener, count }) {
    applyPatternsGreedily(root, [optimizeReshapeLayout, optimizeGatherLayout], { listener });
    const found: Accumulation[] = [];
    root.walkPostOrder((op) => {
      const accumulation = accumulationOf(op);
      if (accumulation) found.push(accumulation);
    });
    const rw = new Rewriter(root.ctx, listener);
    for (const accumulation of found) {
      count("hoisted");
      rw.from(accumulation.reduce.op, () => hoist(rw, accumulation));
    }
  },
});

interface Accumulation {
  readonly reduce: ReduceView;
  /** The layout of what is reduced. */
  readonly layout: BlockedParams;
  readonly elemsPerThread: number;
  /** The neutral element of the reduction. */
  readonly neutral: Attribute;
}

/** A reduction of loaded elements, along the last axis, whose result is only added to what a loop carries. */
function accumulationOf(op: Operation): Accumulation | undefined {
  const reduce = ReduceOp.match(op);
  if (!reduce) return undefined;
  const { shape, encoding } = typeOf(reduce.srcs[0]!).params;
  const layout = distributedParams(encoding);
  const combine = combineOpOf(reduce);
  const neutral = combine && neutralElement(combine);
  if (!neutral || layout?.kind !== "blocked" || shape.length <= 1 || reduce.axis !== shape.length - 1) return undefined;
  if (!reduce.srcs.every((src) => LoadOp.is(src.definingOp))) return undefined;
  const elemsPerThread = getElemsPerThread(layout, shape)[reduce.axis]!;
  if (elemsPerThread === 1) return undefined;
  const result = op.numResults === 1 && op.result(0).hasOneUse() ? op.result(0) : undefined;
  const update = result?.firstUse?.owner;
  if (update?.numResults !== 1 || !update.result(0).hasOneUse()) return undefined;
  const yieldUse = update.result(0).firstUse!;
  const loop = ForOp.match(op.parentOp);
  if (!YieldOp.is(yieldUse.owner) || !loop) return undefined;
  const init = loop.initArgs[yieldUse.index];
  return init && arith.ConstantOp.is(init.definingOp) ? { reduce, layout, elemsPerThread, neutral } : undefined;
}

/** The op that combines two elements, when it is the only one. */
function combineOpOf({ combineOp }: ReduceView): Operation | undefined {
  const block = combineOp.firstBlock;
  return combineOp.hasOneBlock && block?.firstOp?.next && block.firstOp.next === block.lastOp ? block.firstOp : undefined;
}
/** The neutral element of an op; undefined for ops other than those on floats that are worth it. */
function neutralElement(op: Operation): Attribute | undefined {
  const values: readonly (readonly [{ is(op: Operation): boolean }, number])[] = [
    [arith.AddFOp, 0],
    [arith.MulFOp, 1],
    [arith.MaximumFOp, -Infinity],
    [arith.MaxNumFOp, -Infinity],
    [arith.MinimumFOp, Infinity],
    [arith.MinNumFOp, Infinity],
  ];
  const value = values.find(([def]) => def.is(op))?.[1];
  return value === undefined ? undefined : floatAttr(op.result(0).type, value);
}

function hoist(rw: Rewriter, { reduce, layout, elemsPerThread, neutral }: Accumulation): void {
  const { op, axis } = reduce;
  const { shape, elementType } = typeOf(reduce.srcs[0]!).params;
  const rank = shape.length;
  const local = encodingAttr(rw.ctx, threadLocalLayout(layout, axis));
  const viewShape = [...shape.map((size, d) => (d === axis ? Math.trunc(size / elemsPerThread) : size)), elemsPerThread];
  const viewType = tensorType(viewShape, elementType, local);
  const use = op.result(0).firstUse!;
  const update = use.owner;
  const accumulator = update.operand(use.index === 0 ? 1 : 0);
  const oldLoop = ForOp.match(accumulator.argOwner?.parentOp);
  // Nothing carries the sum, or nobody reads it.
  if (!oldLoop) return;
  const index = accumulator.index - 1;
  const oldAccum = oldLoop.initArgs[index]!;
  const oldResult = oldLoop.results[index]!;
  const resultUse = oldResult.firstUse;
  if (!resultUse) return;
  const oldYield = oldLoop.region.firstBlock!.lastOp!;

  const slice = encodingAttr(rw.ctx, { kind: "slice", dim: rank, parent: threadLocalLayout(layout, axis) });
  const accumType = tensorType(viewShape.slice(0, -1), typeOf(oldAccum).params.elementType, slice);
  rw.setAfter(oldAccum.definingOp!);
  const accumLoc = valueLocation(oldAccum);
  const newAccum = rw.value(arith.ConstantOp, { value: splatOf(accumType, neutral) }, { loc: accumLoc, types: [accumType] });
  const loop = appendIterArg(rw, oldLoop, newAccum);

  // In the loop: each thread reduces its own elements.
  rw.setAfter(op);
  const mapping = new Mapping();
  for (const src of reduce.srcs)
    mapping.map(src, rw.value(ReshapeOp, { src, allow_reorder: true, efficient_layout: true }, { loc: op.locRef, types: [viewType] }));
  const localReduce = rw.clone(op, mapping);
  localReduce.setAttr("axis", i32Attr(rw.ctx, rank));
  inferTypes(localReduce);
  rw.setAfter(localReduce);
  const newArg = loop.region.firstBlock!.args.at(-1)!;
  const newUpdate = cloneWith(rw, update, [newArg, localReduce.result(0)]);
  rw.setBefore(oldYield);
  const yielded = oldYield.operands;
  yielded[index] = accumulator;
  rw.create(YieldOp, { results: [...yielded, newUpdate.result(0)] }, { loc: oldYield.locRef });

  // After the loop: the reduction across threads, and the value that the loop began with.
  rw.setAfter(loop.op);
  const across = rw.clone(op, new Mapping().map(reduce.srcs[0]!, loop.results.at(-1)!));
  inferTypes(across);
  rw.setAfter(across);
  const converted = rw.value(ConvertLayoutOp, { src: across.result(0) }, { loc: across.locRef, types: [oldResult.type] });
  rw.setAfter(converted.definingOp!);
  const total = cloneWith(rw, update, [oldAccum, converted]);
  rw.modify(resultUse.owner, () => resultUse.set(total.result(0)));
  rw.erase(oldYield);
  rw.erase(oldLoop);
}

/** A copy of an op with two operands; its result has the type that follows. */
function cloneWith(rw: Rewriter, op: Operation, operands: readonly [Value, Value]): Operation {
  const copy = rw.clone(op, new Mapping().map(op.operand(0), operands[0]).map(op.operand(1), operands[1]));
  inferTypes(copy);
  return copy;
}
function inferTypes(op: Operation): void {
  const types = inferResultTypes(op.ctx, op.def, op.operands, op.attrs, op.regions, op.locRef);
  types?.forEach((type, i) => {
    op.setResultType(i, type);
  });
}

/** One more dimension after the others, with the elements that a thread has along `axis`. */
function threadLocalLayout({ sizePerThread, threadsPerWarp, warpsPerCTA, order, cga }: BlockedParams, axis: number): BlockedParams {
  const rank = order.length;
  return {
    kind: "blocked",
    sizePerThread: [...sizePerThread.map((size, d) => (d === axis ? 1 : size)), sizePerThread[axis]!],
    threadsPerWarp: [...threadsPerWarp, 1],
    warpsPerCTA: [...warpsPerCTA, 1],
    order: [rank, ...order],
    cga: cga.multiply(LinearLayout.identity1D(1, "block", `dim${rank}`)),
  };
}

/** A loop with the body of `loop` that carries one more value; the old one is left without a body, and unused. */
function appendIterArg(rw: Rewriter, loop: ForView, init: Value): ForView {
  const { op } = loop;
  const block = loop.region.firstBlock!;
  return rw.preserving(() => {
    rw.setBefore(op);
    const made = new Operation(op.ctx, op.def, {
      loc: op.locRef,
      operands: [...op.operands, init],
      resultTypes: [...op.resultTypes, init.type],
      attrs: op.attrs,
      numRegions: 1,
    });
    rw.insert(made);
    made.regions[0]!.takeBlocksOf(loop.region);
    block.addArgument(init.type, valueLocation(init));
    rw.replaceOpUses(op, made.results.slice(0, op.numResults));
    return ForOp.match(made)!;
  });
}
