import { asyncInstructions } from "../../analysis/amd-async-instructions.js";
import { type ModuleAxisInfo, moduleAxisInfo } from "../../analysis/module-axis-info.js";
import { AsyncWaitOp as AmdAsyncWaitOp } from "../../dialects/amdg/ops/scheduling.js";
import { ForOp } from "../../dialects/scf/ops/for.js";
import { IfOp } from "../../dialects/scf/ops/if.js";
import { WhileOp } from "../../dialects/scf/ops/while.js";
import { staticTripCount } from "../../dialects/scf/trip-count.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { ReduceOp } from "../../dialects/tt/ops/reduce.js";
import { GLOBAL_MEMORY } from "../../dialects/tt/tt-op.js";
import { AsyncCommitGroupOp, AsyncWaitOp } from "../../dialects/ttg/ops/async-copy.js";
import { amdFamilyOf, isCdna } from "../../gpu/amd.js";
import type { Block } from "../../ir/block.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { definePass, type PassReport } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { Rewriter } from "../../rewrite/rewriter.js";

export const updateAsyncWaitCount = definePass("tritonamdgpu-update-async-wait-count", {
  name: "TritonAMDGPUUpdateAsyncWaitCount",
  summary: "Adjust async wait count to allow prefetching over multiple loop iterations",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/UpdateAsyncWaitCount.cpp",
  options: { archGenerationName: option.string({ default: "", summary: "the GPU: gfx950" }) },
  run(root, { options, analysis, listener, report }) {
    const family = amdFamilyOf(options.archGenerationName);
    if (!isCdna(family) && family !== "GFX1250") return;
    const waits: Operation[] = [];
    root.walkPostOrder((op) => void (AsyncWaitOp.is(op) && waits.push(op)));
    const axes = analysis(moduleAxisInfo);
    if (axes.recursive) return report.error(axes.recursive, "Cycle detected in call graph");
    // On these GPUs the same hardware counter counts loads to registers too.
    const counter = new Counter(axes, family === "CDNA3" || family === "CDNA4" ? report : undefined);
    const rw = new Rewriter(root.ctx, listener);
    for (const wait of waits) {
      const { asyncToken, num } = AsyncWaitOp.match(wait)!;
      const counts = asyncToken.map((token) => leastBetween(token, wait, counter));
      const least = asyncToken.length > 0 ? Math.min(...counts) : leastBackward(wait, num, counter, report);
      rw.from(wait, () =>
        rw.setAfter(wait).replaceWith(wait, AmdAsyncWaitOp, { asyncToken, num_inst: Number.isFinite(least) ? least : 0 }),
      );
    }
  },
});

/** Counts the instructions that an op becomes and that copy to shared memory. */
class Counter {
  readonly #counts = new Map<Operation, number>();
  constructor(
    private readonly axes: ModuleAxisInfo,
    private readonly report: PassReport | undefined,
  ) {}

  of(op: Operation): number {
    let count = this.#counts.get(op);
    if (count === undefined) this.#counts.set(op, (count = this.#compute(op)));
    return count;
  }
  #compute(op: Operation): number {
    const count = asyncInstructions(op, this.axes);
    if (count !== undefined) return count;
    if (op.def.effects?.(op.def.viewOf(op) as never).some(({ resource }) => resource === GLOBAL_MEMORY))
      this.report?.remark(
        op,
        "Global memory operation between async wait and async_loads. This will hinder the interleaving of memory operations and might impact performance.",
      );
    return 0;
  }
}

/** The fewest instructions from `begin` up to `end`, which is in the same block. */
function countBetween(begin: Operation | null, end: Operation, counter: Counter): number {
  let count = 0;
  for (let op = begin; op && op !== end; op = op.next) {
    const loop = ForOp.match(op);
    if (IfOp.is(op)) count += Math.min(...op.regions.map((region) => countIn(region.firstBlock, counter)));
    else if (loop) {
      const rounds = staticTripCount(loop);
      if (rounds !== undefined && rounds > 0n) count += Number(rounds) * countIn(loop.region.firstBlock, counter);
    } else count += counter.of(op);
  }
  return count;
}
const countIn = (block: Block | null, counter: Counter): number => (block?.lastOp ? countBetween(block.firstOp, block.lastOp, counter) : 0);

/** The fewest instructions between the op of a token and the token's user, over all paths. Source: Utility.cpp, deduceMinCountOnDefChain. */
function leastBetween(token: Value, user: Operation, counter: Counter, before = 0, least = Infinity): number {
  let sum = before;
  let at = user;
  for (; at.region !== token.parentBlock!.region; at = at.parentOp!) sum += countBetween(at.block!.firstOp, at, counter);
  const def = token.definingOp;
  if (def) return Math.min(least, sum + countBetween(def.next, at, counter));
  const block = token.argOwner!;
  const loop = ForOp.match(block.parentOp);
  if (!loop) return 0;
  sum += countBetween(block.firstOp, at, counter);
  if (sum >= least) return least;
  const fromOutside = leastBetween(loop.initArgs[token.index - 1]!, loop.op, counter, sum, least);
  const terminator = block.lastOp!;
  const fromRound = leastBetween(terminator.operand(token.index - 1), terminator, counter, sum, least);
  return Math.min(fromOutside, fromRound, least);
}

/** The fewest instructions before a wait for all but `outstanding` groups, over all paths to it. */
function leastBackward(wait: Operation, outstanding: number, counter: Counter, report: PassReport): number {
  const seen = new Set<string>();
  const before = (op: Operation): Operation | undefined => {
    const prev = op.prev ?? op.parentOp;
    return prev?.parentOp ? prev : undefined;
  };
  const walk = (start: Operation | undefined, from: Operation, groups: number, sum: number, best: number): number => {
    let [cursor, cameFrom, left, total, least] = [start, from, groups, sum, best];
    while (cursor) {
      const op: Operation = cursor;
      if (left < 0 || total >= least) return Math.min(least, total);
      const go = (next: Operation | undefined): void => void (least = Math.min(least, walk(next, op, left, total, least)));
      const isNew = (): boolean => {
        const key = `${op.id} ${left} ${total}`;
        return !seen.has(key) && seen.add(key) !== undefined;
      };
      const endOf = (region: number): Operation => op.regions[region]!.firstBlock!.lastOp!;
      if (IfOp.is(op)) {
        if (cameFrom.parentOp === op) go(before(op));
        else {
          go(endOf(0));
          go(op.regions[1]!.empty ? before(op) : endOf(1));
        }
        return least;
      }
      if (ForOp.is(op)) {
        go(before(op));
        if (cameFrom.block !== op.regions[0]!.firstBlock || isNew()) go(endOf(0));
        return least;
      }
      if (WhileOp.is(op)) {
        if (cameFrom.block !== op.regions[0]!.firstBlock) go(endOf(0));
        else {
          go(before(op));
          if (isNew()) go(endOf(1));
        }
        return least;
      }
      if (FuncOp.is(op)) return Math.min(least, total);
      if (op.regions.length > 0 && !ReduceOp.is(op)) {
        report.remark(op, "has subregions but is not analyzed when determining async wait count; this yields conservative waits");
        return 0;
      }
      total += counter.of(op);
      if (AsyncCommitGroupOp.is(op)) left--;
      cameFrom = op;
      cursor = before(op);
    }
    return Math.min(total, least);
  };
  return walk(wait, wait, outstanding, 0, Infinity);
}
