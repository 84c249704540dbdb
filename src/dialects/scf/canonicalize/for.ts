/** Patterns of scf.for. Source: mlir/lib/Dialect/SCF/IR/SCF.cpp. (ForOpTensorCastFolder needs tensor.cast, which no dialect here has.) */
import type { Value } from "../../../ir/value.js";
import { pattern } from "../../../rewrite/pattern.js";
import { buildFor } from "../build.js";
import { ForOp } from "../ops/for.js";
import { YieldOp } from "../ops/yield.js";
import { staticTripCount } from "../trip-count.js";
import { replaceOpWithRegion } from "./replace-with-region.js";

/**
 * Drops carried values that do not change (yielded as they came, or the init itself is yielded) or that nobody uses, and
 * those that always equal an earlier one.
 */
export const forOpIterArgsFolder = pattern("for-op-iter-args-folder", ForOp, (loop, rw) => {
  const { op, initArgs } = loop;
  const oldBlock = loop.region.firstBlock!;
  const yielded = oldBlock.lastOp!.operands;
  // For each carried value: what stands for its argument and result, or undefined when it is kept.
  const forwarded: (Value | undefined)[] = [];
  const kept: number[] = [];
  const seen = new Map<Value, Map<Value, number>>();
  initArgs.forEach((init, i) => {
    const arg = oldBlock.args[i + 1]!;
    const result = op.result(i);
    const back = yielded[i]!;
    if (arg === back || init === back || (!arg.hasUses() && !result.hasUses())) return void forwarded.push(init);
    const backs = seen.get(init) ?? new Map<Value, number>();
    const same = backs.get(back);
    if (same !== undefined) {
      rw.replaceAllUses(arg, oldBlock.args[same + 1]!);
      rw.replaceAllUses(result, op.result(same));
      return void forwarded.push(init);
    }
    seen.set(init, backs.set(back, i));
    kept.push(i);
    forwarded.push(undefined);
  });
  if (kept.length === initArgs.length) return rw.noMatch("every carried value changes");

  const { lowerBound, upperBound, step, unsignedCmp } = loop;
  const newLoop = buildFor(
    rw.builder,
    { lowerBound, upperBound, step, initArgs: kept.map((i) => initArgs[i]!), unsignedCmp },
    { loc: op.locRef },
  );
  newLoop.op.setAttrs(op.attrs);
  const newBlock = newLoop.region.firstBlock!;
  const args: Value[] = [newBlock.args[0]!];
  const results: Value[] = [];
  let next = 0;
  for (const value of forwarded) {
    args.push(value ?? newBlock.args[1 + next]!);
    results.push(value ?? newLoop.op.result(next++));
  }

  if (kept.length === 0) {
    const newYield = newBlock.lastOp!;
    rw.inlineBlockBefore(oldBlock, newYield, args);
    rw.erase(newYield.prev!);
    return rw.replace(op, results);
  }
  rw.mergeBlocks(oldBlock, newBlock, args);
  const merged = newBlock.lastOp!;
  rw.preserving(() => rw.setBefore(merged).create(YieldOp, { results: kept.map((i) => merged.operand(i)) }, { loc: merged.locRef }));
  rw.erase(merged);
  return rw.replace(op, results);
});

/** Loops that run never or once go; so do empty ones whose results are defined outside. */
export const simplifyTrivialLoops = pattern("simplify-trivial-loops", ForOp, (loop, rw) => {
  const { op, initArgs, region, lowerBound } = loop;
  const count = staticTripCount(loop);
  if (count === undefined) return rw.noMatch("trip count is not known");
  if (count === 0n) return rw.replace(op, initArgs);
  if (count === 1n) return replaceOpWithRegion(rw, op, region, [lowerBound, ...initArgs]);
  const block = region.firstBlock!;
  if (block.firstOp !== block.lastOp) return rw.noMatch("body is not empty");
  const yielded = block.lastOp!.operands;
  if (yielded.some((value) => value.parentBlock!.region!.isInside(region))) return rw.noMatch("a result is defined in the body");
  return rw.replace(op, yielded);
});
