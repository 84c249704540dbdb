/**
 * Ops of Gluon that the target has no unit for. Triton's passes choose ops for the target, but a Gluon author writes them; real Triton
 * then ends in LLVM's instruction selection or in ptxas.
 */
import * as ttng from "../../../dialects/ttng/ops/index.js";
import type { GpuTarget } from "../../../gpu/nvidia.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";

interface Unit {
  readonly name: string;
  readonly gpus: string;
  readonly isIn: (gpu: GpuTarget) => boolean;
  readonly ops: readonly OpDef[];
}
const UNITS: readonly Unit[] = [
  {
    name: "asynchronous copies by TMA",
    gpus: "sm_90 or later",
    isIn: ({ tma }) => tma,
    ops: [
      ttng.FenceAsyncSharedOp,
      ttng.AsyncTMACopyGlobalToLocalOp,
      ttng.AsyncTMACopyLocalToGlobalOp,
      ttng.AsyncTMAReduceOp,
      ttng.TMAStoreWaitOp,
      ttng.TensormapCreateOp,
    ],
  },
  {
    name: "clusters of CTAs",
    gpus: "sm_90 or later",
    isIn: ({ hasClusters }) => hasClusters,
    ops: [ttng.ClusterArriveOp, ttng.ClusterWaitOp, ttng.ClusterBarrierOp, ttng.FenceMBarrierInitReleaseClusterOp, ttng.AsyncSharedStoreOp],
  },
  {
    name: "cluster launch control",
    gpus: "sm_100 or later",
    isIn: ({ architecture }) => architecture === "Blackwell",
    ops: [ttng.CLCTryCancelOp, ttng.CLCLoadResultOp, ttng.CLCIsCanceledOp, ttng.CLCGetProgramIdOp],
  },
  { name: "wgmma", gpus: "sm_90", isIn: ({ mmaVersions }) => mmaVersions.includes(3), ops: [ttng.WarpGroupDotOp, ttng.WarpGroupDotWaitOp] },
  {
    name: "tensor memory",
    gpus: "sm_100",
    isIn: ({ mmaVersions }) => mmaVersions.includes(5),
    ops: [
      ttng.TMEMAllocOp,
      ttng.TMEMLoadOp,
      ttng.TMEMStoreOp,
      ttng.TMEMCopyOp,
      ttng.TCGen5MMAOp,
      ttng.TCGen5MMAScaledOp,
      ttng.TCGen5CommitOp,
      ttng.AsyncTMAGatherOp,
      ttng.AsyncTMAScatterOp,
    ],
  },
];

/** The first op that the target has no unit for, and that in words. */
export function missingUnit(module: Operation, gpu: GpuTarget): { readonly op: Operation; readonly message: string } | undefined {
  let found: { readonly op: Operation; readonly message: string } | undefined;
  module.walk((op) => {
    const unit = UNITS.find(({ ops }) => ops.includes(op.def));
    if (!unit || unit.isIn(gpu)) return undefined;
    found = { op, message: `'${op.name}' op needs ${unit.name}, which only ${unit.gpus} has; the target is sm_${gpu.capability}` };
    return "interrupt";
  });
  return found;
}
