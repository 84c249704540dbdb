/** Source: lib/Dialect/TritonGPU/IR/Ops.cpp, WarpSpecializeOp::canonicalize. */
import { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { pattern } from "../../../rewrite/pattern.js";
import { partitionRegionsOf, WarpSpecializeOp, WarpYieldOp } from "../ops/warp-specialize.js";

/** Captures that no partition uses, captures that come twice, and results without uses go. */
export const canonicalizeWarpSpecialize = pattern("canonicalize-warp-specialize", WarpSpecializeOp, ({ op }, rw) => {
  const partitions = partitionRegionsOf(op).map((region) => region.firstBlock!);
  const unusedResults = new Set(op.results.filter((result) => !result.firstUse).map((result) => result.index));
  const unusedArgs = new Set<number>();
  const firstOf = new Map<Value, number>();
  op.operands.forEach((capture, i) => {
    if (partitions.every((block) => !block.args[i]!.firstUse)) return void unusedArgs.add(i);
    const first = firstOf.get(capture);
    if (first === undefined) return void firstOf.set(capture, i);
    rw.modify(op, () => {
      for (const block of partitions) rw.replaceAllUses(block.args[i]!, block.args[first]!);
    });
    unusedArgs.add(i);
  });
  if (unusedArgs.size === 0 && unusedResults.size === 0) return rw.noMatch("all captures and results are used");

  if (unusedArgs.size > 0)
    rw.modify(op, () => {
      for (const block of partitions) for (const i of [...unusedArgs].reverse()) block.eraseArgument(i);
      op.eraseOperands(unusedArgs);
    });
  if (unusedResults.size === 0) return true;

  for (const block of op.regions[0]!.blocks()) {
    const yields = block.terminator;
    if (WarpYieldOp.is(yields)) rw.modify(yields!, () => yields!.eraseOperands(unusedResults));
  }
  const kept = op.results.filter((result) => !unusedResults.has(result.index));
  const replacement = new Operation(op.ctx, op.def, {
    loc: op.locRef,
    operands: op.operands,
    resultTypes: kept.map((result) => result.type),
    attrs: op.attrs,
    numRegions: 2,
  });
  replacement.regions.forEach((region, i) => region.takeBlocksOf(op.regions[i]!));
  rw.insert(replacement);
  kept.forEach((result, i) => result.replaceAllUsesWith(replacement.result(i)));
  return rw.erase(op);
});
