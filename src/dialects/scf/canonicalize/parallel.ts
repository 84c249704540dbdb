/** Patterns of scf.parallel. Source: mlir/lib/Dialect/SCF/IR/SCF.cpp. */

import type { Block } from "../../../ir/block.js";
import { indexType } from "../../../ir/builtin-types.js";
import { Mapping } from "../../../ir/clone.js";
import { Region } from "../../../ir/region.js";
import type { Value } from "../../../ir/value.js";
import { pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { ParallelOp, type ParallelView, ReduceOp } from "../ops/parallel.js";
import { constantTripCount } from "../trip-count.js";

type Bounds = Pick<ParallelView, "lowerBound" | "upperBound" | "step" | "initVals">;

/** A loop with an empty body, which `body` fills; without inits it ends with an empty reduction. */
function buildParallel(rw: Rewriter, { op }: ParallelView, bounds: Bounds, body?: (block: Block) => void): ParallelView {
  const region = new Region(rw.ctx, null, 0);
  const block = region.addBlock();
  for (const _ of bounds.step) block.addArgument(indexType(rw.ctx), op.locRef);
  rw.preserving(() => {
    rw.setEnd(block);
    body?.(block);
    if (bounds.initVals.length === 0) rw.setEnd(block).create(ReduceOp, { operands: [], reductions: [] }, { loc: op.locRef });
  });
  return rw.create(ParallelOp, { ...bounds, region }, { loc: op.locRef, types: bounds.initVals.map((v) => v.type) });
}

/** Dimensions that run once go, their index becomes the lower bound; a loop that never runs gives its inits. */
export const parallelOpSingleOrZeroIterationDimsFolder = pattern(
  "parallel-op-single-or-zero-iteration-dims-folder",
  ParallelOp,
  (parallel, rw) => {
    const { op, lowerBound, upperBound, step, initVals, region } = parallel;
    const body = region.firstBlock!;
    const mapping = new Mapping();
    const kept: number[] = [];
    for (let i = 0; i < step.length; i++) {
      const count = constantTripCount(lowerBound[i]!, upperBound[i]!, step[i]!, true);
      if (count === 0n) return rw.replace(op, initVals);
      if (count === 1n) mapping.map(body.args[i]!, lowerBound[i]!);
      else kept.push(i);
    }
    if (kept.length === step.length) return rw.noMatch("no dimension runs once");
    if (kept.length > 0) {
      const pick = (from: readonly Value[]): Value[] => kept.map((i) => from[i]!);
      const bounds = { lowerBound: pick(lowerBound), upperBound: pick(upperBound), step: pick(step), initVals };
      const smaller = buildParallel(rw, parallel, bounds);
      rw.eraseBlock(smaller.region.firstBlock!);
      rw.cloneRegionBefore(region, smaller.region, null, mapping);
      return rw.replace(op, smaller.op);
    }
    for (const nested of body.opsWithoutTerminator()) rw.clone(nested, mapping);
    const reduce = body.lastOp!;
    const results = reduce.regions.map((reduction, i) => {
      const block = reduction.firstBlock!;
      mapping.map(block.args[0]!, initVals[i]!);
      mapping.map(block.args[1]!, mapping.get(reduce.operand(i)));
      for (const nested of block.opsWithoutTerminator()) rw.clone(nested, mapping);
      return mapping.get(block.lastOp!.operand(0));
    });
    return rw.replace(op, results);
  },
);

/** A loop that holds but another one becomes a loop over the dimensions of both. */
export const mergeNestedParallelLoops = pattern("merge-nested-parallel-loops", ParallelOp, (outer, rw) => {
  const body = outer.region.firstBlock!;
  const inner = ParallelOp.match(body.firstOp);
  if (!inner || inner.op.next !== body.lastOp) return rw.noMatch("body is not just a loop");
  const bounds = [...inner.lowerBound, ...inner.upperBound, ...inner.step];
  if (body.args.some((arg) => bounds.includes(arg))) return rw.noMatch("inner bounds depend on the outer index");
  if (outer.initVals.length > 0 || inner.initVals.length > 0) return rw.noMatch("has reductions");
  const both = {
    lowerBound: [...outer.lowerBound, ...inner.lowerBound],
    upperBound: [...outer.upperBound, ...inner.upperBound],
    step: [...outer.step, ...inner.step],
    initVals: [],
  };
  const innerBody = inner.region.firstBlock!;
  const merged = buildParallel(rw, outer, both, (block) => {
    const mapping = new Mapping()
      .mapAll(body.args, block.args.slice(0, body.args.length))
      .mapAll(innerBody.args, block.args.slice(body.args.length));
    for (const nested of innerBody.opsWithoutTerminator()) rw.clone(nested, mapping);
  });
  return rw.replace(outer, merged.op);
});
