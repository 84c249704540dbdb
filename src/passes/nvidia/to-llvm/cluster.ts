/** The barrier of all CTAs of a cluster. Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ClusterOpsToLLVM.cpp. */
import * as nvvm from "../../../dialects/nvvm/ops/synchronization.js";
import { ClusterArriveOp, ClusterBarrierOp, ClusterWaitOp } from "../../../dialects/ttng/ops/barrier.js";
import type { LLBuilder } from "../../ttg-to-llvm/ll-builder.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import type { LoweringRule } from "./nvidia-lowering.js";

/** All threads of the cluster wait for each other; a relaxed barrier orders no memory. */
export function clusterBarrier(b: LLBuilder, relaxed: boolean): void {
  b.create(relaxed ? nvvm.ClusterArriveRelaxedOp : nvvm.ClusterArriveOp, { aligned: true });
  b.create(nvvm.ClusterWaitOp, { aligned: true });
}

export const CLUSTERS: readonly LoweringRule[] = [
  rule(ClusterArriveOp, ({ relaxed }, lo) => {
    lo.b.create(relaxed ? nvvm.ClusterArriveRelaxedOp : nvvm.ClusterArriveOp, { aligned: true });
  }),
  rule(ClusterWaitOp, (_op, lo) => {
    lo.b.create(nvvm.ClusterWaitOp, { aligned: true });
  }),
  rule(ClusterBarrierOp, ({ relaxed }, lo) => clusterBarrier(lo.b, relaxed)),
];
