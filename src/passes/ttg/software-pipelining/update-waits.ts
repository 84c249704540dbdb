/** Lets each wait leave as many groups of copies in flight as were started after the one it is for. Source: Pipeliner/WGMMAPipeline.cpp, PipeliningUtility.cpp. */
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { AsyncCommitGroupOp, AsyncWaitOp } from "../../../dialects/ttg/ops/async-copy.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import { RegionBranch } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

/** Sets the number of every wait, then makes one of those between which nothing is started. */
export function updateWaits(rw: Rewriter, root: Operation): void {
  const waits: Operation[] = [];
  root.walkPostOrder((op) => {
    if (!AsyncWaitOp.is(op)) return;
    op.setAttr("num", i32Attr(op.ctx, minNumInterleavedCommitOps(op)));
    waits.push(op);
  });
  combineRedundantWaits(rw, waits);
}

/** Makes one wait of those between which nothing is started. */
export function combineRedundantWaits(rw: Rewriter, waits: readonly Operation[]): void {
  const replaced = new Map<Operation, Operation>();
  for (const wait of waits) {
    if (replaced.has(wait)) continue;
    const group = [AsyncWaitOp.match(wait)!];
    for (let op = wait.next; op && !AsyncCommitGroupOp.is(op) && !op.def.interface(RegionBranch); op = op.next) {
      const next = AsyncWaitOp.match(op);
      if (next) group.push(next);
    }
    if (group.length === 1) continue;
    const num = Math.min(...group.map((view) => view.num));
    const asyncToken = group.flatMap(({ op }) => op.operands);
    const made = rw.setBefore(wait).create(AsyncWaitOp, { asyncToken, num }, { loc: wait.locRef }).op;
    for (const { op } of group) replaced.set(op, made);
  }
  for (const [op, made] of replaced) rw.replace(op, made.results);
}

function countCommits(from: Operation | null, to: Operation): number {
  let count = 0;
  for (let op = from; op && op !== to; op = op.next) if (AsyncCommitGroupOp.is(op)) count++;
  return count;
}

/** The fewest groups committed between the copy that a wait is for and the wait, over all ways to it. */
function minNumInterleavedCommitOps(wait: Operation): number {
  if (wait.numOperands !== 1) return 0;
  let least = Infinity;
  const visit = (value: Value, sink: Operation, before: number): number => {
    const def = value.definingOp;
    if (def) {
      least = Math.min(least, before + countCommits(def.next, sink));
      return least;
    }
    const block = value.argOwner!;
    const loop = ForOp.match(block.parentOp ?? undefined);
    if (!loop) return 0;
    const sum = before + countCommits(block.firstOp, sink);
    if (sum >= least) return least;
    const fromOutside = visit(loop.initArgs[value.index - 1]!, loop.op, sum);
    const terminator = block.lastOp!;
    const fromRound = visit(terminator.operand(value.index - 1), terminator, sum);
    return Math.min(fromOutside, fromRound, least);
  };
  const token = wait.operand(0);
  let at = wait;
  while (at.region !== token.parentBlock!.region) at = at.parentOp!;
  return visit(token, at, 0);
}
