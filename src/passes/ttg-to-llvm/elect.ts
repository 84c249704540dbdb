/** One thread that acts for all. Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/Utility.cpp. */
import { ElectSyncOp } from "../../dialects/nvvm/ops/synchronization.js";
import { i1 } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import type { Lowering } from "./lowering.js";
import { asValue, laneAndWarpId } from "./thread-indices.js";

/** True in one thread of the warp; ptxas knows that it is one. */
export function electPredicate(lo: Lowering): Value {
  return lo.b.value(ElectSyncOp, {}, i1(lo.ctx));
}
/** True in one thread of the first warp. */
export function electPredicateWarp0(lo: Lowering): Value {
  const { b } = lo;
  const warp = asValue(b, laneAndWarpId(lo).warp);
  return b.and(b.icmp("eq", warp, b.i32(0)), electPredicate(lo));
}
