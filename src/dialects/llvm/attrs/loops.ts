/** Loop annotations. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMAttrDefs.td, "Loop Attributes". */
import { attr, list, opt, structAttr } from "./params.js";

const alias = { alias: true } as const;
const any = opt(attr());
const loop = opt(attr("llvm.loop_annotation"));

export const LoopVectorizeAttr = structAttr(
  "llvm.loop_vectorize",
  {
    disable: any,
    predicateEnable: any,
    scalableEnable: any,
    width: any,
    followupVectorized: loop,
    followupEpilogue: loop,
    followupAll: loop,
  },
  alias,
);
export const LoopInterleaveAttr = structAttr("llvm.loop_interleave", { count: attr() }, alias);
export const LoopUnrollAttr = structAttr(
  "llvm.loop_unroll",
  { disable: any, count: any, runtimeDisable: any, full: any, followupUnrolled: loop, followupRemainder: loop, followupAll: loop },
  alias,
);
export const LoopUnrollAndJamAttr = structAttr(
  "llvm.loop_unroll_and_jam",
  {
    disable: any,
    count: any,
    followupOuter: loop,
    followupInner: loop,
    followupRemainderOuter: loop,
    followupRemainderInner: loop,
    followupAll: loop,
  },
  alias,
);
export const LoopLICMAttr = structAttr("llvm.loop_licm", { disable: any, versioningDisable: any }, alias);
export const LoopDistributeAttr = structAttr(
  "llvm.loop_distribute",
  { disable: any, followupCoincident: loop, followupSequential: loop, followupFallback: loop, followupAll: loop },
  alias,
);
export const LoopPipelineAttr = structAttr("llvm.loop_pipeline", { disable: any, initiationinterval: any }, alias);
export const LoopPeeledAttr = structAttr("llvm.loop_peeled", { count: any }, alias);
export const LoopUnswitchAttr = structAttr("llvm.loop_unswitch", { partialDisable: any }, alias);
export const LoopAnnotationAttr = structAttr(
  "llvm.loop_annotation",
  {
    disableNonforced: any,
    vectorize: opt(attr("llvm.loop_vectorize")),
    interleave: opt(attr("llvm.loop_interleave")),
    unroll: opt(attr("llvm.loop_unroll")),
    unrollAndJam: opt(attr("llvm.loop_unroll_and_jam")),
    licm: opt(attr("llvm.loop_licm")),
    distribute: opt(attr("llvm.loop_distribute")),
    pipeline: opt(attr("llvm.loop_pipeline")),
    peeled: opt(attr("llvm.loop_peeled")),
    unswitch: opt(attr("llvm.loop_unswitch")),
    mustProgress: any,
    isVectorized: any,
    startLoc: any,
    endLoc: any,
    parallelAccesses: opt(list(attr("llvm.access_group"))),
  },
  alias,
);
