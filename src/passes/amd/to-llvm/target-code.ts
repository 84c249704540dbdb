/** AMD's code for the rules that all vendors share. Source: third_party/amd/lib/TritonAMDGPUToLLVM/TargetInfo.cpp, Utility.cpp, SPMDOpToLLVM.cpp. */

import { IDS } from "../../../dialects/rocdl/ops/ids.js";
import { BallotOp } from "../../../dialects/rocdl/ops/lanes.js";
import { BarrierOp } from "../../../dialects/rocdl/ops/synchronization.js";
import type { AmdFamily } from "../../../gpu/amd.js";
import { i32, intType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { Bug } from "../../../support/assert.js";
import type { LLBuilder } from "../../ttg-to-llvm/ll-builder.js";
import type { Lowering as AnyLowering } from "../../ttg-to-llvm/lowering.js";
import type { TargetCode } from "../../ttg-to-llvm/target-code.js";
import type { Lowering } from "./amd-lowering.js";
import { aliasesOfLoad } from "./async-waits.js";
import { assertFail, printf } from "./device-calls.js";
import { permuteBytes, shuffleIdx, shuffleUp, shuffleXor } from "./lanes.js";
import { maskedLoad, maskedStore, zeroOf } from "./masked-memory.js";
import { convertBySwaps } from "./permlane-swaps.js";
import { descriptorType } from "./tdm.js";
import { warpReduce } from "./warp-reduce.js";

const AXES = ["x", "y", "z"] as const;
const id = (b: LLBuilder, what: string): Value => b.value(IDS[what]!, {}, i32(b.ctx));

export const amdCode = (family: AmdFamily): TargetCode<AnyLowering> => ({
  dialect: "rocdl",
  nanExtrema: family === "CDNA4",
  pairWidths: [],
  matrices: { ldMatrix: false, stMatrix: false },
  takesStruct: () => false,
  descriptorType,
  threadId: ({ b }) => id(b, "workitem.id.x"),
  clusterCTAId: ({ b, ctx }) => (family === "GFX1250" ? b.intrinsic("llvm.amdgcn.cluster.workgroup.id.x", i32(ctx), [])! : b.i32(0)),
  programId: ({ b, ctx, target }, axis) =>
    target.numCTAs === 1 ? id(b, `workgroup.id.${AXES[axis]}`) : b.intrinsic(`llvm.amdgcn.cluster.id.${AXES[axis]}`, i32(ctx), [])!,
  // The number is an index, and an index has 32 bits here.
  numPrograms: ({ b, ctx }, axis) => b.trunc(id(b, `grid.dim.${AXES[axis]}`), i32(ctx)),
  clusterBarrier() {
    throw new Bug("clusters of several CTAs are not lowered for AMD's GPUs");
  },
  barrier({ b }, warpOnly = false) {
    if (warpOnly) b.intrinsic("llvm.amdgcn.wave.barrier", undefined, []);
    else b.create(BarrierOp, {});
  },
  ballot: ({ b, ctx, target }, pred) => b.value(BallotOp, { pred }, intType(ctx, target.threadsPerWarp)),
  shuffleXor: (lo, value, mask) => shuffleXor(lo, family, value, mask),
  shuffleUp,
  shuffleIdx,
  permuteBytes,
  warpReduce: (lo, reduce, values, lanes) => warpReduce(lo, family, reduce, values, lanes),
  convertWithinWarp: (lo, from, to, values, element) => (family === "CDNA4" ? convertBySwaps(lo, from, to, values, element) : undefined),
  storeShared: (lo, pointer, value, access) => maskedStore(lo, pointer, value, access?.predicate),
  loadShared: (lo, pointer, type, access) =>
    maskedLoad(lo, pointer, type, access?.predicate, () => zeroOf(lo.b, type), { attrs: aliasesOfLoad(lo as Lowering) }),
  moveMatrices: () => undefined,
  printf,
  assertFail,
});
