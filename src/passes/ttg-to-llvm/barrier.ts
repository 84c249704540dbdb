/** Barriers within a CTA. Source: TargetInfo.cpp, barrier; mlir's GPUToNVVM; MemoryOpToLLVM.cpp, LocalBarrierOpConversion. */
import { BarrierOp } from "../../dialects/gpu/ops/barrier.js";
import { Barrier0Op, SyncWarpOp } from "../../dialects/nvvm/ops/synchronization.js";
import { LocalBarrierOp } from "../../dialects/ttg/ops/misc.js";
import * as ttg from "../../dialects/ttg/ops/since-3-7.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";

/** All threads of the CTA (of the warp) wait for each other, and see each other's writes. */
export function barrier(lo: Lowering, warpSync = false): void {
  if (warpSync) lo.b.create(SyncWarpOp, { mask: lo.b.i32(-1) });
  else lo.b.create(Barrier0Op, {});
}

export const BARRIERS: readonly LoweringRule[] = [
  rule(BarrierOp, (_op, lo) => barrier(lo)),
  rule(ttg.BarrierOp, (_op, lo) => barrier(lo)),
  rule(LocalBarrierOp, (_op, lo) => barrier(lo)),
];
