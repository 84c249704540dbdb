/**
 * The hardware's barrier of a cluster takes all warps, so groups of warps that run at the same time have a barrier of their own: two mbarriers of
 * 16 bytes each after all other shared memory, whose offset (`ttg.mbar_offset`) is on each op that waits there.
 * Source: lib/Dialect/TritonNvidiaGPU/Transforms/ClusterBarrierMbarAllocator.cpp (3.8).
 */
import { isKernel } from "../dialects/tt/kernel.js";
import { AtomicCASOp, AtomicRMWOp } from "../dialects/tt/ops/memory.js";
import { toLinearLayout } from "../dialects/ttg/encodings/define-encoding.js";
import { getNumCTAs } from "../dialects/ttg/num-warps.js";
import { WarpSpecializeOp, WarpSpecializePartitionsOp } from "../dialects/ttg/ops/warp-specialize.js";
import { ClusterBarrierOp } from "../dialects/ttng/ops/barrier.js";
import { i32Attr, intOf } from "../ir/builtin-attrs.js";
import { RankedTensorType } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import { exchangesBetweenCTAs } from "./cluster-barriers.js";

/** Where the mbarriers begin that an op waits at. */
export const MBAR_OFFSET = "ttg.mbar_offset";
/** How many groups of warps have such a barrier; an attribute of the module. */
export const BARRIER_COUNT = "ttg.ws_cluster_barrier_count";
/** The bytes of one mbarrier with a counter or nothing after it, and of a barrier. */
export const MBAR_BYTES = 16;
export const BARRIER_BYTES = 2 * MBAR_BYTES;

export function allocateClusterBarriers(module: Operation, funcs: readonly Operation[]): void {
  const kernel = funcs.find(isKernel);
  if (!kernel) return;
  const { ctx } = module;
  const numCTAs = getNumCTAs(module);
  const shared = Math.ceil((intOf(module.attr("ttg.shared")) ?? 0) / 8) * 8;
  const groups = new Map<Region, number>();
  kernel.walk((op) => {
    const waits = ClusterBarrierOp.is(op) || exchangesBetweenCTAs(op) || (numCTAs > 1 && sharesAtomicResult(op));
    const group = waits && groupOf(op);
    if (!group) return;
    if (!groups.has(group)) groups.set(group, shared + groups.size * BARRIER_BYTES);
    op.setAttr(MBAR_OFFSET, i32Attr(ctx, groups.get(group)!));
  });
  if (groups.size === 0) return void module.removeAttr(BARRIER_COUNT);
  module.setAttr(BARRIER_COUNT, i32Attr(ctx, groups.size));
  module.setAttr("ttg.shared", i32Attr(ctx, shared + groups.size * BARRIER_BYTES));
}

/** The region of the group of warps that runs an op; undefined where all default warps do. */
function groupOf(op: Operation): Region | undefined {
  for (let region = op.region; region; region = region.parentOp?.region ?? null)
    if (WarpSpecializeOp.is(region.parentOp) || WarpSpecializePartitionsOp.is(region.parentOp)) return region;
  return undefined;
}

/** Do other CTAs use the values that one found in memory? */
function sharesAtomicResult(op: Operation): boolean {
  if (!(AtomicCASOp.is(op) || AtomicRMWOp.is(op)) || !op.result(0).hasUses()) return false;
  const { type } = op.result(0);
  if (!RankedTensorType.is(type)) return true;
  return (toLinearLayout(type.params.shape, type.params.encoding!).getFreeVariableMasks().get("block") ?? 0) !== 0;
}
