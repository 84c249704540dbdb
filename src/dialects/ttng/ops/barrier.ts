/** mbarriers, fences and clusters. Source: TritonNvidiaGPUOps.td; Ops.cpp. */
import { boolAttr, intOf } from "../../../ir/builtin-attrs.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import { BoolAttr, defaultAttr, I1, I32, I32Attr, optional, Unit, variadic } from "../../../ir/constraints.js";
import type { OpReport } from "../../../ir/define-op.js";
import { defineOp } from "../../../ir/define-op.js";
import { FunctionOp } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { AttrSizedOperandSegments } from "../../../ir/traits.js";
import { largestVectorisation } from "../../../layout/bank-conflicts.js";
import { paddingsOf } from "../../../layout/encoding-queries.js";
import { Tensor } from "../../tt/constraints.js";
import { isKernel } from "../../tt/kernel.js";
import { FuncOp } from "../../tt/ops/function.js";
import { getIntOrFloatOrPtrBitWidth } from "../../tt/types.js";
import { encodingParams, toLinearLayout } from "../../ttg/encodings/define-encoding.js";
import { enclosingModule, getNumCTAs } from "../../ttg/num-warps.js";
import { verifyMemoryOpTypes } from "../../ttg/ops/local-memory.js";
import { WarpSpecializeOp } from "../../ttg/ops/warp-specialize.js";
import { readsShared, verifyBarrierType, writesShared } from "../../ttg/ttg-op.js";
import { type MemDesc, MemDescOperand } from "../../ttg/types.js";
import { descOf, ttngTraits } from "../ttng-op.js";

export const FenceAsyncSharedOp = defineOp("ttng.fence_async_shared", () => ({
  summary: "fence proxy async",
  attrs: { bCluster: BoolAttr },
  traits: ttngTraits(),
  format: "attr-dict",
}));
/** Since 3.8: there is a cluster of several CTAs. */
function verifyCluster(op: Operation, report: OpReport): boolean {
  if (!op.ctx.triton.checksClusters || getNumCTAs(enclosingModule(op)) > 1) return true;
  report.error("requires ttg.num-ctas > 1", "ttng.cluster");
  return false;
}
function verifyOutsideOfGroups(op: Operation, report: OpReport): void {
  if (!verifyCluster(op, report) || !op.ctx.triton.checksClusters) return;
  for (let at = op.parentOp; at; at = at.parentOp)
    if (WarpSpecializeOp.is(at)) return void report.error("cannot be used inside `ttg.warp_specialize`", "ttng.cluster");
}

/** mbarriers that this CTA has started are seen by all CTAs of the cluster (since 3.7). */
export const FenceMBarrierInitReleaseClusterOp = defineOp("ttng.fence_mbarrier_init_release_cluster", () => ({
  summary: "fence after mbarriers are initialized, for the cluster",
  traits: ttngTraits(),
  verify: ({ op }, report) => void verifyCluster(op, report),
  format: "attr-dict",
}));
export const ClusterArriveOp = defineOp("ttng.cluster_arrive", () => ({
  attrs: { relaxed: BoolAttr },
  traits: ttngTraits(),
  parse(p) {
    if (p.atPunct("{") || !p.ctx.triton.checksClusters) p.optAttrDict();
    else p.setAttr("relaxed", boolAttr(p.ctx, false));
  },
  print({ op, relaxed }, p) {
    p.optAttrDict(op, op.ctx.triton.checksClusters && !relaxed ? ["relaxed"] : []);
  },
  verify: ({ op }, report) => verifyOutsideOfGroups(op, report),
}));
export const ClusterWaitOp = defineOp("ttng.cluster_wait", () => ({
  traits: ttngTraits(),
  format: "attr-dict",
  verify: ({ op }, report) => verifyOutsideOfGroups(op, report),
}));

/** All threads of the cluster wait for each other (since 3.8). */
export const ClusterBarrierOp = defineOp("ttng.cluster_barrier", () => ({
  summary: "Synchronize all warps at cluster scope",
  attrs: { relaxed: defaultAttr(BoolAttr, false) },
  traits: ttngTraits(),
  verify({ op }, report) {
    if (!verifyCluster(op, report) || !op.ctx.triton.checksMemory) return;
    let func = op.parentOp;
    while (func && !func.def.interface(FunctionOp)) func = func.parentOp;
    if (!func || (!isKernel(func) && (func.def !== FuncOp || intOf(func.attr("noinline")) === -1)))
      report.error("must be inside a kernel function", "ttng.cluster");
  },
  format: "attr-dict",
}));

export const InitBarrierOp = defineOp("ttng.init_barrier", () => ({
  summary: "Initialize a barrier in the given shared memory allocation.",
  operands: { alloc: MemDescOperand },
  attrs: { count: I32Attr },
  traits: ttngTraits(),
  format: "$alloc `,` $count attr-dict `:` qualified(type($alloc))",
  verify({ op, alloc, count }, report) {
    if (!verifyBarrierType(op, alloc, report) || !op.ctx.triton.checksMemory) return;
    if (count < 1) return void report.error("count must be greater than or equal to 1", "ttg.barrier");
    if (descOf(alloc).params.shape[0] !== getNumCTAs(enclosingModule(op))) verifyOutsideOfGroups(op, report);
  },
  effects: ({ alloc }) => [writesShared(alloc)],
}));
export const InvalBarrierOp = defineOp("ttng.inval_barrier", () => ({
  summary: "Invalidate a barrier allocation.",
  operands: { alloc: MemDescOperand },
  traits: ttngTraits(),
  format: "$alloc attr-dict `:` qualified(type($alloc))",
  verifyDependsOn: "types and attributes",
  verify: ({ op, alloc }, report) => void verifyBarrierType(op, alloc, report),
  effects: ({ alloc }) => [writesShared(alloc)],
}));
export const BarrierExpectOp = defineOp("ttng.barrier_expect", () => ({
  summary: "Signal a barrier of an expected number of bytes to be copied.",
  operands: { alloc: MemDescOperand, pred: I1 },
  attrs: { size: I32Attr },
  traits: ttngTraits(),
  format: "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))",
  verifyDependsOn: "types and attributes",
  verify: ({ op, alloc }, report) => void verifyBarrierType(op, alloc, report),
  effects: ({ alloc }) => [writesShared(alloc)],
}));
export const WaitBarrierOp = defineOp("ttng.wait_barrier", () => ({
  summary: "wait until the mbarrier phase completes.",
  operands: { alloc: MemDescOperand, phase: I32, pred: optional(I1), deps: variadic(MemDescOperand) },
  traits: ttngTraits(AttrSizedOperandSegments),
  format: "$alloc `,` $phase (`,` $pred^)? (`deps` $deps^)? attr-dict `:` qualified(type($alloc)) (`,` type($deps)^)?",
  verifyDependsOn: "types and attributes",
  verify: ({ op, alloc }, report) => void verifyBarrierType(op, alloc, report),
  effects: ({ alloc }) => [readsShared(alloc), writesShared(alloc)],
}));
export const ArriveBarrierOp = defineOp("ttng.arrive_barrier", () => ({
  summary: "perform the arrive operation on an mbarrier",
  operands: { alloc: MemDescOperand, pred: optional(I1) },
  attrs: { count: I32Attr },
  traits: ttngTraits(),
  format: "$alloc `,` $count (`,` $pred^)? attr-dict `:` qualified(type($alloc))",
  verify({ op, alloc, count }, report) {
    if (verifyBarrierType(op, alloc, report) && count < 1) report.error("count must be greater than or equal to 1", "ttg.barrier");
  },
  effects: ({ alloc }) => [readsShared(alloc), writesShared(alloc)],
}));
export const AsyncCopyMbarrierArriveOp = defineOp("ttng.async_copy_mbarrier_arrive", () => ({
  summary: "arrive on mbarrier once all previously issued copies are completed",
  operands: { barrier: MemDescOperand },
  attrs: { noIncrement: Unit },
  traits: ttngTraits(),
  format: "$barrier attr-dict `:` qualified(type($barrier))",
  effects: ({ barrier }) => [writesShared(barrier)],
}));

/** The bits that a thread stores at once. */
function storedBits({ params }: TensorType, { params: { shape, encoding } }: MemDesc): number {
  const bits = getIntOrFloatOrPtrBitWidth(params.elementType);
  const most = Math.min(128 / bits, ...paddingsOf(encodingParams(encoding)!).map(([every]) => every));
  const places = toLinearLayout(params.shape, params.encoding).invertAndCompose(toLinearLayout(shape, encoding));
  return bits * largestVectorisation(places, bits, (most * bits) / 8).vec;
}

/** A store to the shared memory of CTAs of the cluster, whose mbarriers count its bytes (since 3.8). */
export const AsyncSharedStoreOp = defineOp("ttng.async_shared_store", () => ({
  summary: "store a distributed tensor to shared memory asynchronously",
  operands: { src: Tensor, dst: MemDescOperand, mbarrier: MemDescOperand },
  traits: ttngTraits(),
  format: "$src `,` $dst `,` $mbarrier attr-dict `:` type($src) `->` qualified(type($dst)) `,` qualified(type($mbarrier))",
  verify({ op, src, dst, mbarrier }, report) {
    if (getNumCTAs(enclosingModule(op)) < 2) return void report.error("requires at least two CTAs in the cluster", "ttng.cluster");
    if (!descOf(dst).params.mutableMemory) return void report.error("cannot store into immutable memory", "ttg.memory");
    if (!verifyMemoryOpTypes(src.type, dst.type, report) || !verifyBarrierType(op, mbarrier, report)) return;
    if (op.ctx.triton.checksMemory && storedBits(src.type as TensorType, descOf(dst)) < 32)
      report.error("requires a layout vectorizing stores to at least 32 bits", "ttg.memory");
  },
  effects: ({ dst, mbarrier }) => [writesShared(dst), writesShared(mbarrier)],
}));
