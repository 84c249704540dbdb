import { allocateSharedMemory } from "../../analysis/allocation.js";
import { accessesOf, followAccesses, PendingAccesses, scratchOf, type Visit } from "../../analysis/membar.js";
import { ArriveBarrierOp, FenceAsyncSharedOp, InitBarrierOp, InvalBarrierOp, WaitBarrierOp } from "../../dialects/ttng/ops/barrier.js";
import { TCGen5MMAOp, TCGen5MMAScaledOp } from "../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMCopyOp } from "../../dialects/ttng/ops/tensor-memory.js";
import { AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp, AsyncTMAReduceOp, AsyncTMAScatterOp } from "../../dialects/ttng/ops/tma.js";
import { WarpGroupDotOp } from "../../dialects/ttng/ops/warp-group-dot.js";
import { gpuOf } from "../../gpu/nvidia.js";
import type { OpDef } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { Rewriter } from "../../rewrite/rewriter.js";

/** Ops that write shared memory through the async proxy. */
const WRITERS: readonly OpDef[] = [AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp];
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
  options: { computeCapability: option.int({ default: 90, summary: "device compute capability" }) },
  statistics: { fences: "fences inserted" },
  run(root, { options, listener, count, report }) {
    if (!gpuOf(options.computeCapability).tma) return;
    const allocation = allocateSharedMemory(root);
    if (allocation.recursive) return report.error(allocation.recursive, "functions call each other in a circle");
    const rw = new Rewriter(root.ctx, listener);
    followAccesses(
      allocation,
      visitor((op) => {
        count("fences");
        rw.from(op, () => rw.setBefore(op).create(FenceAsyncSharedOp, { bCluster: false }, { loc: op.locRef }));
      }),
    );
  },
});

function visitor(fenceBefore: (op: Operation) => void): Visit {
  return (op, pending, context) => {
    if (FenceAsyncSharedOp.is(op)) return pending.clear();
    const own = accessesOf(op, context);
    const scratch = scratchOf(op, context);
    if (scratch) own.read(scratch, op);
    if (!WRITERS.includes(op.def)) return pending.join(own);
    // For a copy, only the destination counts, not its barrier.
    const written = new PendingAccesses();
    const destination = (AsyncTMACopyGlobalToLocalOp.match(op) ?? AsyncTMAGatherOp.match(op))!.result;
    for (const buffer of context.allocation.buffersOf(destination)) written.write(context.stretchOf(buffer), op);
    if (!written.conflictsWith(pending, (_, other) => IGNORED.has(other.def))) return undefined;
    fenceBefore(op);
    pending.clear();
    return undefined;
  };
}
