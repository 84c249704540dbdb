/**
 * Puts checks into a kernel that find accesses of shared memory and tensor memory that nothing orders, and waits that never end:
 * before each access, whether its thread has seen the buffer's last writes and reads; after it, who sees it now.
 * Source: lib/Dialect/TritonInstrument/Transforms/ConcurrencySanitizer.cpp.
 */
import { AndIOp } from "../../../dialects/arith/ops/bitwise.js";
import { isKernel } from "../../../dialects/tt/kernel.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { AsyncCommitGroupOp, AsyncWaitOp } from "../../../dialects/ttg/ops/async-copy.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { partitionRegionsOf, WarpSpecializeOp, WarpSpecializePartitionsOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import { ExperimentalLockAcquireOp, ExperimentalLockReleaseOp } from "../../../dialects/tti/ops/instrument.js";
import { InitBarrierOp, WaitBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { TCGen5CommitOp, TCGen5MMAOp, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import {
  AsyncTMACopyGlobalToLocalOp,
  AsyncTMACopyLocalToGlobalOp,
  AsyncTMAGatherOp,
  AsyncTMAScatterOp,
  TMAStoreWaitOp,
} from "../../../dialects/ttng/ops/tma.js";
import { WarpGroupDotWaitOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { definePass, type PassReport } from "../../../pass/define-pass.js";
import { type RewriteListener, Rewriter } from "../../../rewrite/rewriter.js";
import { accessesOf, type MemoryAccesses, memoryOf } from "./memory-accesses.js";
import { StateCalls } from "./state-functions.js";
import { MEM_TYPES, NUM_THREADS, type RegionState, TENSOR_CORE_THREADS, TMA_THREADS, TrackedState } from "./tracked-state.js";

export const concurrencySanitizer = definePass("tritoninstrument-concurrency-sanitizer", {
  name: "TritonInstrumentConcurrencySanitizer",
  summary: "Add runtime verification of asynchronous operations",
  source: "lib/Dialect/TritonInstrument/Transforms/ConcurrencySanitizer.cpp",
  statistics: { instrumented: "ops with checks" },
  run(module, { listener, report, count, fail }) {
    const kernels = [...module.regions[0]!.firstBlock!.ops()].filter((op) => FuncOp.is(op) && isKernel(op));
    if (kernels.length !== 1) {
      report.error(module, `the sanitizer takes a module with one kernel, and this one has ${kernels.length}`, "lower.unsupported");
      return fail();
    }
    const ops: Operation[] = [];
    module.walkPostOrder((op) => void ops.push(op));
    const tracked = new TrackedState(module, kernels[0]!, new Rewriter(module.ctx, listener), report);
    for (const op of ops) if (instrument(op, tracked, listener, report)) count("instrumented");
  },
});

const TMA_OPS: readonly OpDef[] = [AsyncTMACopyGlobalToLocalOp, AsyncTMACopyLocalToGlobalOp, AsyncTMAGatherOp, AsyncTMAScatterOp];
const TENSOR_CORE_OPS: readonly OpDef[] = [TCGen5MMAOp, TCGen5MMAScaledOp, TCGen5CommitOp];
/** The memory that these ops name exists after them alone, or what they wait for is over. */
const AFTER: readonly OpDef[] = [LocalAllocOp, TMEMAllocOp, WaitBarrierOp];

/** The thread that does it: 0 is the default group of warps, the others follow. As upstream, the number of the region right around the op counts. */
function threadOf(op: Operation): number {
  const group = op.parentOfType(WarpSpecializePartitionsOp) ? op.block!.region!.index + 1 : 0;
  if (TMA_OPS.includes(op.def)) return group + TMA_THREADS;
  return TENSOR_CORE_OPS.includes(op.def) ? group + TENSOR_CORE_THREADS : group;
}
/** A group of warps with its TMA and tensor cores; one of these alone. */
function withPeers(thread: number): bigint {
  const bit = (n: number): bigint => 1n << BigInt(n);
  return thread < NUM_THREADS ? bit(thread) | bit(thread + TMA_THREADS) | bit(thread + TENSOR_CORE_THREADS) : bit(thread);
}
/** How many groups of warps run where an op is. */
function activeThreads(op: Operation): number {
  const specialize = op.parentOfType(WarpSpecializeOp);
  return specialize ? partitionRegionsOf(specialize).length + 1 : 1;
}

/** Puts the checks of an op around it; true if there are any. */
function instrument(op: Operation, tracked: TrackedState, listener: RewriteListener, report: PassReport): boolean {
  if (!op.block?.region?.parentOp?.block) return false;
  const state = tracked.at(op);
  const thread = threadOf(op);
  const baseThread = thread % NUM_THREADS;
  /** Makes calls, with the lock around them if there are any. */
  const critical = (before: boolean, pred: Value | undefined, body: (calls: StateCalls) => void): boolean => {
    const made: Operation[] = [];
    const inserted = (added: Operation): void => {
      listener.inserted?.(added);
      if (added.block === op.block) made.push(added);
    };
    const rw = new Rewriter(op.ctx, { ...listener, inserted }, op.locRef);
    if (before) rw.setBefore(op);
    else rw.setAfter(op);
    rw.from(op, () => body(new StateCalls(rw, tracked.module, op, state)));
    const [first, last] = [made[0], made.at(-1)];
    if (!first || !last) return false;
    rw.from(op, () => {
      rw.setBefore(first).create(ExperimentalLockAcquireOp, { lock: state.lock!, pred });
      rw.setAfter(last).create(ExperimentalLockReleaseOp, { lock: state.lock!, pred });
    });
    return true;
  };
  const wait = WaitBarrierOp.match(op);
  const isWaiting = wait && state.barriers;
  if (isWaiting)
    critical(true, wait.pred, (calls) => {
      calls.setWaiting(wait.alloc, baseThread, wait.phase, wait.pred);
      calls.checkAllActiveWaiting(activeThreads(op), wait.pred);
    });
  const accesses = accessesOf(op);
  if (accesses?.accesses.some(({ buffer }) => !state.buffers[memoryOf(buffer)])) {
    report.crash(op, "none of the buffers of this memory can be instrumented");
    return false;
  }
  return critical(!AFTER.includes(op.def), undefined, (calls) => {
    if (accesses) checkAccesses(calls, accesses, state, thread);
    if (WarpSpecializeOp.is(op)) startGroups(calls, op, state, thread);
    const init = InitBarrierOp.match(op);
    if (init && state.barriers) calls.initBarrierState(init.alloc, init.count);
    if (isWaiting) {
      for (const memory of MEM_TYPES) {
        if (!state.writeVisibility[memory]) continue;
        calls.transferVisibleWrites(wait.alloc, withPeers(thread), wait.pred, memory);
        calls.transferVisibleReads(wait.alloc, withPeers(thread), wait.pred, memory);
      }
      calls.clearWaiting(wait.alloc, baseThread, wait.pred);
    }
    endGroups(calls, op, state, thread);
  });
}

function checkAccesses(calls: StateCalls, { accesses, pred, barriers = [], tracking }: MemoryAccesses, state: RegionState, thread: number) {
  const baseThread = thread % NUM_THREADS;
  const commit = typeof tracking === "object" ? tracking : undefined;
  const byBarriers = tracking === "barriers" && state.barriers !== undefined;
  for (const { kind, buffer, operand } of accesses) {
    const memory = memoryOf(buffer);
    const unfinished = (kinds: readonly (keyof RegionState["commits"])[]): void => {
      if (memory !== "shared_mem") return;
      for (const of of kinds) if (state.commits[of]) calls.checkOutstandingCommits(buffer, baseThread, pred, of);
    };
    calls.verifyWriteVisibility(buffer, thread, operand, pred, memory);
    unfinished(["async_copy_global_to_shared"]);
    if (kind === "write") {
      calls.verifyReadVisibility(buffer, thread, operand, pred, memory);
      unfinished(["warpgroup_mma operand read", "async_copy_shared_to_global"]);
    }
    if (byBarriers && kind === "read") calls.setReadVisibility(buffer, withPeers(thread), pred, memory);
    else if (byBarriers) {
      calls.setWriteVisibility(buffer, withPeers(thread), pred, memory);
      calls.clearWriteTracking(buffer, pred, memory);
      calls.clearReadVisibility(buffer, pred, memory);
      calls.clearReadTracking(buffer, pred, memory);
    }
    if (commit) calls.stageAccessForCommit(buffer, baseThread, pred, commit.kind);
  }
  for (const { barrier, pred: barrierPred, count } of barriers) {
    if (!state.barriers) continue;
    const both = barrierPred && pred ? calls.rw.value(AndIOp, { lhs: barrierPred, rhs: pred }) : (barrierPred ?? pred);
    for (const memory of MEM_TYPES) {
      if (!state.writeVisibility[memory]) continue;
      calls.trackVisibleWrites(barrier, thread, both, memory);
      calls.trackVisibleReads(barrier, thread, both, memory);
    }
    if (count <= 0) continue;
    calls.verifyBarrierArrive(barrier, count, both);
    calls.updateBarrierState(barrier, count, both);
  }
  if (commit?.isGroup) calls.commitAccesses(baseThread, pred, commit.kind);
}

/** The groups of warps that start see what the thread sees that starts them. */
function startGroups(calls: StateCalls, op: Operation, state: RegionState, thread: number): void {
  const groups = partitionRegionsOf(op).reduce((mask, _, i) => mask | withPeers(i + 1), 0n);
  if (groups === 0n) return;
  for (const memory of MEM_TYPES) {
    if (state.writeVisibility[memory]) calls.copyWriteVisibility(thread, groups, memory);
    if (state.readVisibility[memory]) calls.copyReadVisibility(thread, groups, memory);
  }
}

/** Commits and waits of groups that are counted. */
function endGroups(calls: StateCalls, op: Operation, state: RegionState, thread: number): void {
  const baseThread = thread % NUM_THREADS;
  const has = state.commits;
  if (AsyncCommitGroupOp.is(op) && has.async_copy_global_to_shared) calls.commitAccesses(thread, undefined, "async_copy_global_to_shared");
  const waits = [
    ["writes", AsyncWaitOp.match(op)?.num, "async_copy_global_to_shared"],
    ["reads", WarpGroupDotWaitOp.match(op)?.pendings, "warpgroup_mma operand read"],
    ["reads", TMAStoreWaitOp.match(op)?.pendings, "async_copy_shared_to_global"],
  ] as const;
  for (const [what, pending, kind] of waits)
    if (pending !== undefined && has[kind]) calls.clearOutstandingCommits(what, baseThread, withPeers(thread), pending, kind);
}
