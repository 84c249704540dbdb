/** The ops of a loop that ping-pong schedules, as they are before. Source: third_party/amd/lib/TritonAMDGPUTransforms/BlockPingpong.cpp. */
import { CmpIOp } from "../../../dialects/arith/ops/index.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { AsyncCommitGroupOp, AsyncCopyGlobalToLocalOp, AsyncWaitOp } from "../../../dialects/ttg/ops/async-copy.js";
import { LocalLoadOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescIndexOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";

export interface LoopOps {
  readonly loads: readonly Operation[];
  /** Those of buffers that the loop carries; others are not pipelined. */
  readonly localLoads: readonly Operation[];
  readonly localStores: readonly Operation[];
  readonly copies: readonly Operation[];
  readonly commits: readonly Operation[];
  readonly waits: readonly Operation[];
  readonly dots: readonly Operation[];
  readonly scaledDots: readonly Operation[];
}

export function opsOf({ op: loop, initArgs }: ForView): LoopOps {
  const all: Operation[] = [];
  loop.walkPostOrder((op) => void all.push(op));
  const of = (def: OpDef): Operation[] => all.filter((op) => op.def === def);
  const carried = new Set(loop.regions[0]!.firstBlock!.args.slice(1, initArgs.length + 1));
  return {
    loads: of(LoadOp),
    localLoads: of(LocalLoadOp).filter((op) => carried.has(op.operand(0))),
    localStores: of(LocalStoreOp),
    copies: of(AsyncCopyGlobalToLocalOp),
    commits: of(AsyncCommitGroupOp),
    waits: of(AsyncWaitOp),
    dots: of(DotOp),
    scaledDots: of(DotScaledOp),
  };
}

/** Whether the loop looks like a persistent matmul: an if on an equality, the only dot, and another such if. */
export function isPersistentMatmul({ op: loop }: ForView): boolean {
  let [afterIf, afterDot] = [false, false];
  for (const op of loop.regions[0]!.firstBlock!.ops()) {
    if (IfOp.is(op)) {
      if (afterIf || CmpIOp.match(op.operand(0).definingOp)?.predicate !== "eq") return false;
      afterIf = true;
    } else if (DotOp.is(op)) {
      if (afterDot || !afterIf) return false;
      [afterIf, afterDot] = [false, true];
    }
  }
  return afterIf && afterDot;
}

/** The ops of a kind that are met first on every way back from a value, also through the values that a loop carries. */
function closest(def: OpDef, from: Value, found: Set<Operation>): void {
  const seen = new Set<Operation | Value>();
  const visit = (value: Value): void => {
    const { definingOp, argOwner: block } = value;
    if (block) {
      // Real Triton would not end here.
      if (seen.has(value)) return;
      seen.add(value);
      const last = block.lastOp;
      const index = ForOp.is(block.parentOp) ? value.index - 1 : value.index;
      if (YieldOp.is(last) && index >= 0) visit(last!.operand(index));
      return;
    }
    if (!definingOp || seen.has(definingOp)) return;
    seen.add(definingOp);
    if (definingOp.def === def) found.add(definingOp);
    else definingOp.operands.forEach(visit);
  };
  visit(from);
}

/** The ops that bring the operands of a dot: from global memory, to shared memory, and from there. */
export function memoryOpsOf(dot: Operation): Pick<LoopOps, "loads" | "localLoads" | "localStores"> {
  const [loads, localLoads, localStores, views] = [new Set<Operation>(), new Set<Operation>(), new Set<Operation>(), new Set<Operation>()];
  for (const operand of dot.operands.slice(0, 2)) closest(LocalLoadOp, operand, localLoads);
  for (const load of localLoads) closest(MemDescIndexOp, load.operand(0), views);
  for (const view of views) for (const user of view.result(0).users()) if (LocalStoreOp.is(user)) localStores.add(user);
  for (const store of localStores) closest(LoadOp, store.operand(0), loads);
  return { loads: [...loads], localLoads: [...localLoads], localStores: [...localStores] };
}

/** How many of `ops` a round of the loop executes, at most; of an if its `then` counts as not taken where asked for. */
export function countPerRound(ops: readonly Operation[], loop: Operation, thenIsRare: boolean): number {
  const seen = new Set<Operation>();
  let count = 0;
  for (const op of ops) {
    const parent = op.parentOp!;
    if (parent === loop) count++;
    else if (!seen.has(parent)) {
      seen.add(parent);
      const within = parent.regions.map((region) => [...(region.firstBlock?.ops() ?? [])].filter((other) => other.def === op.def).length);
      if (IfOp.is(parent)) count += thenIsRare ? (within[1] ?? 0) : Math.max(...within);
      else count++;
    }
  }
  return count;
}
