/**
 * Between the start of an mbarrier that other CTAs of the cluster use and its first use all CTAs wait for each other:
 *
 *     ttng.init_barrier
 *     ttng.fence_mbarrier_init_release_cluster   <- put here
 *     ttng.cluster_barrier {relaxed = true}      <- put here, unless there is one already
 *     ttng.wait_barrier
 *
 * Source: lib/Dialect/TritonNvidiaGPU/Transforms/ClusterBarrierInsertion.cpp, insertCrossCTAMBarrierInitSyncForFunction (3.8).
 */
import { enclosingModule } from "../dialects/ttg/num-warps.js";
import { LocalAllocOp } from "../dialects/ttg/ops/local-memory.js";
import type { MemDesc } from "../dialects/ttg/types.js";
import { ClusterBarrierOp, FenceMBarrierInitReleaseClusterOp, InitBarrierOp } from "../dialects/ttng/ops/barrier.js";
import { CLCTryCancelOp } from "../dialects/ttng/ops/clc.js";
import { TCGen5CommitOp, TCGen5MMAOp, TCGen5MMAScaledOp } from "../dialects/ttng/ops/tc-gen5-mma.js";
import { AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp } from "../dialects/ttng/ops/tma.js";
import { runsOnTwoCTAs } from "../dialects/ttng/ttng-op.js";
import type { Block } from "../ir/block.js";
import { ancestorInRegion, Dominance } from "../ir/dominance.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { PassError } from "../pass/pass-error.js";
import type { Rewriter } from "../rewrite/rewriter.js";
import type { Allocation, ModuleAllocation, SharedBuffer } from "./allocation.js";
import { blockPostDominates, postDominates } from "./post-dominance.js";

export function syncClusterBarrierStarts(allocation: ModuleAllocation, numCTAs: number, rw: Rewriter): void {
  for (const func of allocation.functions) syncIn(func, allocation.of(func)!, numCTAs, rw);
}

/** The mbarriers of an op that other CTAs signal or wait for by it. */
function remoteBarriers(op: Operation): readonly Value[] {
  const mma = TCGen5MMAOp.match(op) ?? TCGen5MMAScaledOp.match(op);
  if (mma) return mma.two_ctas ? mma.barriers : [];
  const commit = TCGen5CommitOp.match(op);
  if (commit) return runsOnTwoCTAs(enclosingModule(op)!) ? [commit.barrier] : [];
  const load = AsyncTMACopyGlobalToLocalOp.match(op) ?? AsyncTMAGatherOp.match(op);
  if (load) return load.multicast ? [load.barrier] : [];
  const cancel = CLCTryCancelOp.match(op);
  return cancel ? [cancel.mbarrier] : [];
}

function syncIn(func: Operation, allocation: Allocation, numCTAs: number, rw: Rewriter): void {
  const region = func.regions[0]!;
  const remote = new Set<SharedBuffer>();
  func.walk((op) => {
    for (const barrier of remoteBarriers(op)) for (const buffer of allocation.buffersOf(barrier)) remote.add(buffer);
  });
  const starts = new Set<Operation>();
  const buffers = new Set<SharedBuffer>();
  func.walk((op) => {
    const alloc = InitBarrierOp.match(op)?.alloc;
    if (!alloc) return;
    const own = allocation.buffersOf(alloc);
    const isShared = (alloc.type as MemDesc).params.shape[0] !== numCTAs;
    if (!isShared && !own.some((buffer) => remote.has(buffer))) return;
    starts.add(ancestorInRegion(op, region)!);
    for (const buffer of own) buffers.add(buffer);
  });
  if (starts.size === 0) return;

  const blocks = [...region.blocks()];
  const topLevel = blocks.flatMap((block) => [...block.ops()]);
  const uses = topLevel.filter((op) => usesAny(op, buffers, allocation));
  const refuse = (message: string): never => {
    throw new PassError(func, message, "ttg.barrier");
  };
  if (uses.length === 0) refuse("found at least one mbarrier.init op but could not find any mbarrier use");

  const afterStarts =
    nearestCommon(blocks, new Set([...starts].map((op) => op.block!)), blockPostDominates) ??
    refuse("could not find a common post-dominating insertion block for cross-CTA mbarrier.init");
  const lastStart = [...starts].filter(({ block }) => block === afterStarts).reduce<Operation | undefined>(later, undefined);
  const first = lastStart ? lastStart.next! : afterStarts.firstOp!;
  const dominance = new Dominance();
  const beforeUses =
    nearestCommon(blocks, new Set(uses.map((op) => op.block!)), (a, b) => dominance.blockDominates(a, b)) ??
    refuse("could not find a common insertion block that dominates all tracked mbarrier uses");
  const last = uses.find(({ block }) => block === beforeUses) ?? beforeUses.lastOp!;
  if (!dominance.dominates(first, last))
    refuse("could not find an insertion point between cross-CTA mbarrier.init ops and tracked mbarrier uses");

  let reused: Operation | undefined;
  for (const op of topLevel)
    if (ClusterBarrierOp.is(op) && postDominates(op, first) && dominance.dominates(op, last))
      if (!reused || dominance.properlyDominates(reused, op)) reused = op;
  const at = reused && ClusterBarrierOp.match(reused)!.relaxed ? reused : last;
  const loc = (lastStart ?? [...starts][0]!).locRef;
  rw.from(at, () => {
    rw.setBefore(at).create(FenceMBarrierInitReleaseClusterOp, {}, { loc });
    if (!reused) rw.create(ClusterBarrierOp, { relaxed: true }, { loc });
  });
}

const later = (a: Operation | undefined, b: Operation): Operation => (!a || a.isBeforeInBlock(b) ? b : a);

/** Whether the op, or one in it, uses such a buffer other than to start it. */
function usesAny(op: Operation, buffers: ReadonlySet<SharedBuffer>, allocation: Allocation): boolean {
  let found = false;
  op.walk((inner) => {
    if (InitBarrierOp.is(inner) || LocalAllocOp.is(inner)) return;
    for (const { value } of inner.def.effects?.(inner.def.viewOf(inner) as never) ?? [])
      if (value && allocation.buffersOf(value).some((buffer) => buffers.has(buffer))) found = true;
  });
  return found;
}

/** The block that is above (or, by post-dominance, below) all of these, and the nearest one. */
function nearestCommon(blocks: readonly Block[], targets: ReadonlySet<Block>, covers: (a: Block, b: Block) => boolean): Block | undefined {
  const common = blocks.filter((block) => [...targets].every((target) => covers(block, target)));
  return common.find((block) => common.every((other) => covers(other, block)));
}
