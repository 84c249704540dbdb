/** One thread that acts for all, and the warp's number. Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/Utility.cpp. */
import { WarpIdOp } from "../../../dialects/nvgpu/ops/index.js";
import { ElectSyncOp } from "../../../dialects/nvvm/ops/synchronization.js";
import * as ttg from "../../../dialects/ttg/ops/since-3-7.js";
import { i1, i32 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { asValue, laneAndWarpId } from "../../ttg-to-llvm/thread-indices.js";
import type { Lowering } from "./nvidia-lowering.js";

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
/** The warp's number among those that run the code, which the compiler knows to be the same for all lanes. */
export function uniformWarpId({ b, ctx, forms }: Lowering): Value {
  return forms.warpIdOp ? b.value(ttg.WarpIdOp, {}, i32(ctx)) : b.value(WarpIdOp, {}, i32(ctx));
}
