/**
 * Takes the last round out of a loop:
 *
 *     r = for i = lb to ub step s iter_args(a = x) { f(i, a) }
 *     ->
 *     p = for i = lb to ub - s step s iter_args(a = x) { f(i, a) }
 *     r = if lb < ub { f(last i, p) } else { p }
 *
 * Source: lib/Dialect/Triton/Transforms/LoopPeeling.cpp.
 */
import { CmpIOp, SubIOp } from "../../dialects/arith/ops/index.js";
import type { ForView } from "../../dialects/scf/ops/for.js";
import { IfOp } from "../../dialects/scf/ops/if.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import { getLastInductionValue } from "../../dialects/tt/last-induction-value.js";
import type { Block } from "../../ir/block.js";
import { cloneRegionInto, Mapping } from "../../ir/clone.js";
import type { Operation } from "../../ir/operation.js";
import { Region } from "../../ir/region.js";
import type { Rewriter } from "../../rewrite/rewriter.js";

/** Changes an op of the loop or of the peeled round (`isEpilogue`); returns its replacement, if it has one. */
export type ProcessPeeledOp = (rw: Rewriter, op: Operation, isEpilogue: boolean) => Operation | undefined;

/** Takes the last iteration out of a loop. Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/PipeliningUtility.cpp, peelLoopEpilogue. */
export function peelLoopEpilogue(loop: ForView, rw: Rewriter, processPeeledOp?: ProcessPeeledOp): void {
  const { op, lowerBound, upperBound, step, region } = loop;
  const body = region.firstBlock!;
  const loc = op.locRef;
  const newUpperBound = rw.setBefore(op).value(SubIOp, { lhs: upperBound, rhs: step }, { loc });
  rw.setAfter(op);
  const lastInduction = getLastInductionValue(rw, loop);
  const condition = rw.value(CmpIOp, { predicate: "slt", lhs: lowerBound, rhs: upperBound }, { loc });

  const thenRegion = new Region(rw.ctx, null, 0);
  cloneRegionInto(region, thenRegion, new Mapping().map(body.args[0]!, lastInduction).mapAll(body.args.slice(1), op.results));
  const elseRegion = new Region(rw.ctx, null, 1);
  elseRegion.addBlock();
  const peeled = rw.create(IfOp, { condition, thenRegion, elseRegion }, { loc, types: op.resultTypes });
  const thenBlock = peeled.thenRegion.firstBlock!;
  for (const cloned of thenBlock.ops()) cloned.walk((inner) => rw.listener.inserted?.(inner));
  rw.setStart(peeled.elseRegion.firstBlock!).create(YieldOp, { results: op.results }, { loc });
  op.results.forEach((result, i) => {
    rw.replaceUsesWhere(result, peeled.op.result(i), (use) => !peeled.op.isAncestorOf(use.owner));
  });
  rw.setOperand(op, 1, newUpperBound);
  if (!processPeeledOp) return;
  processBlock(rw, body, (inner) => processPeeledOp(rw, inner, false));
  processBlock(rw, thenBlock, (inner) => processPeeledOp(rw, inner, true));
}

function processBlock(rw: Rewriter, block: Block, process: (op: Operation) => Operation | undefined): void {
  for (const op of block.ops()) {
    if (op === block.lastOp) break;
    const stand = process(op);
    if (stand && stand !== op) rw.replaceOpUses(op, stand.results);
  }
}
