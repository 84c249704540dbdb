/** The barrier of all CTAs of a cluster. Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ClusterOpsToLLVM.cpp. */
import * as nvvm from "../../../dialects/nvvm/ops/synchronization.js";
import { ClusterArriveOp, ClusterWaitOp } from "../../../dialects/ttng/ops/barrier.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import type { LoweringRule } from "./nvidia-lowering.js";

export const CLUSTERS: readonly LoweringRule[] = [
  rule(ClusterArriveOp, ({ relaxed }, lo) => {
    lo.b.create(relaxed ? nvvm.ClusterArriveRelaxedOp : nvvm.ClusterArriveOp, { aligned: true });
  }),
  rule(ClusterWaitOp, (_op, lo) => {
    lo.b.create(nvvm.ClusterWaitOp, { aligned: true });
  }),
];
