/** Barriers of all threads of a cluster's CTAs. Source: gluon_ir.cc, create_cluster_sync (3.7), create_cluster_barrier (3.8). */
import { ClusterArriveOp, ClusterBarrierOp, ClusterWaitOp } from "../../../dialects/ttng/ops/barrier.js";
import { emitOp } from "../../language/semantic/emit.js";
import type { Semantic } from "../../language/semantic.js";

export function arriveAndWait(s: Semantic): void {
  emitOp(s, ClusterArriveOp, { relaxed: false });
  emitOp(s, ClusterWaitOp, {});
}
export function clusterBarrier(s: Semantic): void {
  emitOp(s, ClusterBarrierOp, { relaxed: false });
}
