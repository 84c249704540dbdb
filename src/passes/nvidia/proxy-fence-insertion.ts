import { allocateSharedMemory } from "../../analysis/allocation.js";
import { accessesOf, followAccesses, PendingAccesses, scratchOf, type Visit } from "../../analysis/membar.js";
import { ArriveBarrierOp, FenceAsyncSharedOp, InitBarrierOp, InvalBarrierOp, WaitBarrierOp } from "../../dialects/ttng/ops/barrier.js";
import { TCGen5MMAOp, TCGen5MMAScaledOp } from "../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMCopyOp } from "../../dialects/ttng/ops/tensor-memory.js";
import {
  AsyncTMACopyGlobalToLocalOp,
  AsyncTMACopyLocalToGlobalOp,
  AsyncTMAGatherOp,
  AsyncTMAReduceOp,
  AsyncTMAScatterOp,
} from "../../dialects/ttng/ops/tma.js";
import { WarpGroupDotOp } from "../../dialects/ttng/ops/warp-group-dot.js";
import { gpuOf } from "../../gpu/nvidia.js";
import type { OpDef } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { Rewriter } from "../../rewrite/rewriter.js";

/** Ops that write shared memory through the async proxy. */
const WRITERS: readonly OpDef[] = [AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp];
/** Ops that read shared memory through the async proxy, and what of it. */
type Readers = ReadonlyMap<OpDef, (op: Operation) => readonly Value[]>;
function readsOf<V>(
  def: OpDef & { match(op: Operation): V | undefined },
  operands: (view: V) => readonly Value[],
): readonly [OpDef, (op: Operation) => readonly Value[]] {
  return [def, (op) => operands(def.match(op)!)];
}
const READERS: Readers = new Map([
  readsOf(WarpGroupDotOp, ({ a, b }) => [a, b]),
  readsOf(TCGen5MMAOp, ({ a, b }) => [a, b]),
  readsOf(TCGen5MMAScaledOp, ({ a, b }) => [a, b]),
  readsOf(TMEMCopyOp, ({ src }) => [src]),
  readsOf(AsyncTMACopyLocalToGlobalOp, ({ src }) => [src]),
  readsOf(AsyncTMAScatterOp, ({ src }) => [src]),
  readsOf(AsyncTMAReduceOp, ({ src }) => [src]),
]);
const NO_READERS: Readers = new Map();

/** Ops whose accesses are none of the generic proxy's. */
const IGNORED: ReadonlySet<OpDef> = new Set<OpDef>([
  ...WRITERS,
  WarpGroupDotOp,
  TCGen5MMAOp,
  TCGen5MMAScaledOp,
  AsyncTMAScatterOp,
  AsyncTMAReduceOp,
  ArriveBarrierOp,
  TMEMCopyOp,
  WaitBarrierOp,
  InitBarrierOp,
  InvalBarrierOp,
]);

export const proxyFenceInsertion = definePass("triton-nvidia-gpu-proxy-fence-insertion", {
  name: "TritonGPUProxyFenceInsertion",
  summary: "Insert fences across generic and async proxy",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/ProxFenceInsertion.cpp",
  options: {
    computeCapability: option.int({ default: 90, summary: "device compute capability" }),
  },
  statistics: { fences: "fences inserted" },
  run(root, { options, listener, count, report }) {
    if (!gpuOf(options.computeCapability).tma) return;
    const allocation = allocateSharedMemory(root);
    if (allocation.recursive) return report.error(allocation.recursive, "functions call each other in a circle");
    const rw = new Rewriter(root.ctx, listener);
    followAccesses(
      allocation,
      visitor(root.ctx.triton.fencesForReads ? READERS : NO_READERS, (op) => {
        count("fences");
        rw.from(op, () => rw.setBefore(op).create(FenceAsyncSharedOp, { bCluster: false }, { loc: op.locRef }));
      }),
    );
  },
});

function visitor(readers: Readers, fenceBefore: (op: Operation) => void): Visit {
  return (op, pending, context) => {
    if (FenceAsyncSharedOp.is(op)) return pending.clear();
    const reads = readers.get(op.def)?.(op) ?? [];
    const own = accessesOf(op, context);
    const scratch = scratchOf(op, context);
    if (scratch) own.read(scratch, op);
    const writes = WRITERS.includes(op.def);
    if (!writes && reads.length === 0) return pending.join(own);
    // For a copy, only the destination counts, not its barrier.
    const byProxy = new PendingAccesses();
    const destinations = writes ? [(AsyncTMACopyGlobalToLocalOp.match(op) ?? AsyncTMAGatherOp.match(op))!.result] : [];
    for (const value of destinations)
      for (const buffer of context.allocation.buffersOf(value)) byProxy.write(context.stretchOf(buffer), op);
    for (const value of reads) for (const buffer of context.allocation.buffersOf(value)) byProxy.read(context.stretchOf(buffer), op);
    if (!byProxy.conflictsWith(pending, (_, other) => IGNORED.has(other.def) || readers.has(other.def))) return undefined;
    fenceBefore(op);
    pending.clear();
    return undefined;
  };
}
