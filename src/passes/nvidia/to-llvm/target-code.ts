/** NVIDIA's code for the rules that all vendors share. Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/TargetInfo.cpp, Utility.cpp. */
import { ClusterCTAIdOp } from "../../../dialects/nvgpu/ops/index.js";
import { VoteSyncKindAttr } from "../../../dialects/nvvm/attrs.js";
import * as nvvm from "../../../dialects/nvvm/ops/registers.js";
import { SyncWarpOp } from "../../../dialects/nvvm/ops/synchronization.js";
import { VoteSyncOp } from "../../../dialects/nvvm/ops/warp.js";
import { WarpGroupDotWaitOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { GpuTarget } from "../../../gpu/nvidia.js";
import { i32 } from "../../../ir/builtin-types.js";
import type { Lowering } from "../../ttg-to-llvm/lowering.js";
import type { TargetCode } from "../../ttg-to-llvm/target-code.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import { clusterBarrier } from "./cluster.js";
import type { NvidiaForms } from "./code-forms.js";
import { ctaBarrier } from "./cta-barrier.js";
import { assertFail, printf } from "./device-calls.js";
import { lowerLdStMatrix } from "./ldmatrix.js";
import type { Lowering as NvidiaLowering } from "./nvidia-lowering.js";
import { warpReduce } from "./redux.js";
import { loadShared, storeShared } from "./shared-memory.js";
import { permuteBytes, shuffleIdx, shuffleUp, shuffleXor } from "./shuffle.js";

// With clusters a program is a cluster of CTAs.
const IDS = [nvvm.BlockIdXOp, nvvm.BlockIdYOp, nvvm.BlockIdZOp] as const;
const CLUSTER_IDS = [nvvm.ClusterIdXOp, nvvm.ClusterIdYOp, nvvm.ClusterIdZOp] as const;
const DIMS = [nvvm.GridDimXOp, nvvm.GridDimYOp, nvvm.GridDimZOp] as const;
const CLUSTER_DIMS = [nvvm.ClusterDimXOp, nvvm.ClusterDimYOp, nvvm.ClusterDimZOp] as const;

export const nvidiaCode = (gpu: GpuTarget, forms: NvidiaForms): TargetCode<Lowering> => ({
  dialect: "nvvm",
  nanExtrema: gpu.nanExtrema,
  pairWidths: gpu.pairWidths,
  matrices: gpu,
  // A wait for one tensor alone takes all of it.
  descriptorType: convertType,
  takesStruct: (user) => WarpGroupDotWaitOp.is(user) && user.numOperands === 1,
  threadId: ({ b }) => b.value(nvvm.ThreadIdXOp, {}, i32(b.ctx)),
  // An op that becomes 0 at the end of the lowering when clusters have one CTA.
  clusterCTAId: ({ b }) => b.value(ClusterCTAIdOp, {}, i32(b.ctx)),
  programId: ({ b, target }, axis) => b.value((target.numCTAs === 1 ? IDS : CLUSTER_IDS)[axis]!, {}, i32(b.ctx)),
  numPrograms: ({ b, target }, axis) => b.value((target.numCTAs === 1 ? DIMS : CLUSTER_DIMS)[axis]!, {}, i32(b.ctx)),
  barrier({ b }, warpOnly = false) {
    if (warpOnly) b.create(SyncWarpOp, { mask: b.i32(-1) });
    else b.create(ctaBarrier(b.ctx), {});
  },
  clusterBarrier: (lo) => clusterBarrier(lo as NvidiaLowering, false),
  ballot({ b }, pred) {
    const mask = b.i32(-1);
    return b.value(VoteSyncOp, { mask, pred, kind: VoteSyncKindAttr.get(b.ctx, { value: "ballot" }) }, i32(b.ctx));
  },
  shuffleXor: ({ b }, value, mask) => shuffleXor(b, value, mask),
  shuffleUp: ({ b }, value, distance) => shuffleUp(b, value, distance),
  shuffleIdx: ({ b }, value, lane) => shuffleIdx(b, value, lane),
  permuteBytes: ({ b }, low, high, selector) => permuteBytes(b, low, high, selector),
  warpReduce: ({ b, target }, reduce, values, lanes) =>
    lanes === target.threadsPerWarp - 1 ? warpReduce(gpu, b, reduce, values) : undefined,
  convertWithinWarp: () => undefined,
  storeShared: ({ b }, pointer, value, access) => storeShared(forms, b, pointer, value, access),
  loadShared: ({ b }, pointer, type, access) => loadShared(forms, b, pointer, type, access),
  moveMatrices: (lo, place, values, transposes) => lowerLdStMatrix(gpu, lo, place, values, transposes),
  printf,
  assertFail,
});
