/** Hopper's ops as 3.0 to 3.2 wrote them; today's are in ttng. Source: TritonNvidiaGPUOps.td of Triton 3.2. */
import { BoolAttr, defaultAttr, I1, I32, I32Attr, optional, variadic } from "../../ir/constraints.js";
import { defineOp } from "../../ir/define-op.js";
import { TypesMatchWith } from "../../ir/traits.js";
import { OldMemDesc, TensorOrOldMemDesc } from "../triton_gpu/types.js";
import { FpIntTensor, Ptr } from "../tt/constraints.js";
import { CacheModifierAttr, EvictionPolicyAttr, InputPrecisionAttr } from "../tt/enums.js";
import { readsGlobal, writesGlobal } from "../tt/tt-op.js";
import { readsShared, writesShared } from "../ttg/ttg-op.js";

export const OldFenceAsyncSharedOp = defineOp("triton_nvidia_gpu.fence_async_shared", () => ({
  attrs: { bCluster: BoolAttr },
  format: "attr-dict",
}));
export const OldClusterArriveOp = defineOp("triton_nvidia_gpu.cluster_arrive", () => ({
  attrs: { relaxed: BoolAttr },
  format: "attr-dict",
}));
export const OldClusterWaitOp = defineOp("triton_nvidia_gpu.cluster_wait", () => ({ format: "attr-dict" }));

export const OldWarpGroupDotOp = defineOp("triton_nvidia_gpu.warp_group_dot", () => ({
  operands: { a: TensorOrOldMemDesc, b: TensorOrOldMemDesc, c: FpIntTensor, useC: optional(I1) },
  attrs: {
    inputPrecision: defaultAttr(InputPrecisionAttr, "ieee"),
    maxNumImpreciseAcc: defaultAttr(I32Attr, 0),
    isAsync: defaultAttr(BoolAttr, false),
  },
  results: { d: FpIntTensor },
  traits: [TypesMatchWith("result's type matches accumulator's type", "d", "c", (type) => type)],
  format: "$a`,` $b`,` $c (`,` $useC^)? attr-dict `:` type($a) `*` type($b) `->` type($d)",
}));
export const OldWarpGroupDotWaitOp = defineOp("triton_nvidia_gpu.warp_group_dot_wait", () => ({
  operands: { inputs: variadic(TensorOrOldMemDesc) },
  attrs: { pendings: I32Attr },
  results: { outputs: variadic(TensorOrOldMemDesc) },
  format: "$inputs attr-dict `:` type($inputs)",
  inferTypes: ({ operands }) => operands.map((operand) => operand.type),
}));

export const OldInitBarrierOp = defineOp("triton_nvidia_gpu.init_barrier", () => ({
  operands: { alloc: OldMemDesc },
  attrs: { count: I32Attr },
  format: "$alloc `,` $count attr-dict `:` qualified(type($alloc))",
  effects: ({ alloc }) => [writesShared(alloc)],
}));
export const OldInvalBarrierOp = defineOp("triton_nvidia_gpu.inval_barrier", () => ({
  operands: { alloc: OldMemDesc },
  format: "$alloc attr-dict `:` qualified(type($alloc))",
  effects: ({ alloc }) => [writesShared(alloc)],
}));
export const OldBarrierExpectOp = defineOp("triton_nvidia_gpu.barrier_expect", () => ({
  operands: { alloc: OldMemDesc, pred: I1 },
  attrs: { size: I32Attr },
  format: "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))",
  effects: ({ alloc }) => [writesShared(alloc)],
}));
export const OldWaitBarrierOp = defineOp("triton_nvidia_gpu.wait_barrier", () => ({
  operands: { alloc: OldMemDesc, phase: I32 },
  format: "$alloc `,` $phase attr-dict `:` qualified(type($alloc))",
  effects: ({ alloc }) => [readsShared(alloc), writesShared(alloc)],
}));

export const OldAsyncTMACopyGlobalToLocalOp = defineOp("triton_nvidia_gpu.async_tma_copy_global_to_local", () => ({
  operands: { desc_ptr: Ptr, coord: variadic(I32), barrier: OldMemDesc, result: OldMemDesc, pred: I1 },
  attrs: {
    cache: defaultAttr(CacheModifierAttr, "none"),
    evict: defaultAttr(EvictionPolicyAttr, "evict_normal"),
    isVolatile: defaultAttr(BoolAttr, false),
  },
  format:
    "$desc_ptr `[` $coord `]` $result `,` $barrier `,` $pred oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` type($desc_ptr) `,` type($barrier) `->` type($result)",
  effects: ({ desc_ptr, barrier, result }) => [readsGlobal(desc_ptr), writesShared(barrier), writesShared(result)],
}));
export const OldAsyncTMACopyLocalToGlobalOp = defineOp("triton_nvidia_gpu.async_tma_copy_local_to_global", () => ({
  operands: { desc_ptr: Ptr, coord: variadic(I32), src: OldMemDesc },
  format: "$desc_ptr `[` $coord `]` $src attr-dict `:` type($desc_ptr) `,` type($src)",
  effects: ({ desc_ptr, src }) => [writesGlobal(desc_ptr), readsShared(src)],
}));
export const OldTMAStoreWaitOp = defineOp("triton_nvidia_gpu.async_tma_store_wait", () => ({
  attrs: { pendings: I32Attr },
  format: "attr-dict",
}));
