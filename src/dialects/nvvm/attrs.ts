/** Attributes of the NVVM dialect. Source: mlir/include/mlir/Dialect/LLVMIR/NVVMOps.td. */
import type { AttrDef, Attribute } from "../../ir/attribute.js";
import { AnyAttr, type AttrConstraint } from "../../ir/constraints.js";
import { attr, bool, dflt, enumAttr, opt, str, structAttr, uint } from "../llvm/attrs/params.js";

// Enums written ` keyword`, and those written `<keyword>`.

export const CacheEvictionPriorityAttr = enumAttr(
  "nvvm.cache_eviction_priority",
  { evict_normal: 0, evict_first: 1, evict_last: 2, evict_unchanged: 3, no_allocate: 4 },
  { bare: true, cpp: "NVVM::CacheEvictionPriority" },
);
export const ClusterLaunchControlQueryTypeAttr = enumAttr(
  "nvvm.cluster_launch_control_query_type",
  { is_canceled: 0, get_first_cta_id_x: 1, get_first_cta_id_y: 2, get_first_cta_id_z: 3 },
  { bare: true, cpp: "NVVM::ClusterLaunchControlQueryType" },
);
export const GridDepActionAttr = enumAttr(
  "nvvm.grid_dep_action",
  { wait: 0, launch_dependents: 1 },
  { bare: true, cpp: "NVVM::GridDepActionKind" },
);
export const LoadCacheModifierAttr = enumAttr(
  "nvvm.load_cache_modifier",
  { ca: 0, cg: 1, cs: 2, lu: 3, cv: 4 },
  { bare: true, cpp: "NVVM::LoadCacheModifierKind" },
);
export const MatchSyncKindAttr = enumAttr("nvvm.match_sync_kind", { any: 0, all: 1 }, { bare: true, cpp: "NVVM::MatchSyncKind" });
export const PrefetchCacheLevelAttr = enumAttr(
  "nvvm.prefetch_cache_level",
  { L1: 0, L2: 1 },
  { bare: true, cpp: "NVVM::PrefetchCacheLevel" },
);
export const ReduxKindAttr = enumAttr(
  "nvvm.redux_kind",
  { add: 1, and: 2, max: 3, min: 4, or: 5, umax: 6, umin: 7, xor: 8, fmin: 9, fmax: 10 },
  { bare: true, cpp: "NVVM::ReduxKind" },
);
export const SetMaxRegisterActionAttr = enumAttr(
  "nvvm.action",
  { decrease: 1, increase: 0 },
  { bare: true, cpp: "NVVM::SetMaxRegisterAction" },
);
export const ShflKindAttr = enumAttr("nvvm.shfl_kind", { bfly: 0, up: 1, down: 2, idx: 3 }, { bare: true, cpp: "NVVM::ShflKind" });
export const VoteSyncKindAttr = enumAttr(
  "nvvm.vote_sync_kind",
  { any: 0, all: 1, ballot: 2, uni: 3 },
  { bare: true, cpp: "NVVM::VoteSyncKind" },
);

export const CTAGroupKindAttr = enumAttr("nvvm.cta_group", { cta_1: 0, cta_2: 1 }, { cpp: "NVVM::CTAGroupKind" });
export const ConvertFP6TypeAttr = enumAttr("nvvm.convert_fp6_type", { e2m3: 0, e3m2: 1 }, { cpp: "NVVM::ConvertFP6Type" });
export const ConvertFP8TypeAttr = enumAttr("nvvm.convert_fp8_type", { e4m3: 0, e5m2: 1, ue8m0: 2 }, { cpp: "NVVM::ConvertFP8Type" });
export const DotAccumulateTypeAttr = enumAttr("nvvm.dot_accumulate_type", { signed: 1, unsigned: 0 }, { cpp: "NVVM::DotAccumulateType" });
export const FPRoundingModeAttr = enumAttr(
  "nvvm.fp_rnd_mode",
  { none: 0, rn: 1, rm: 2, rp: 3, rz: 4, rna: 5 },
  { cpp: "NVVM::FPRoundingMode" },
);
export const LdStMatrixEltTypeAttr = enumAttr(
  "nvvm.ld_st_matrix_elt_type",
  {
    b16: 0,
    b8: 1,
    "b8x16.b6x16_p32": 2,
    "b8x16.b4x16_p64": 3,
  },
  { cpp: "NVVM::LdStMatrixEltType" },
);
export const MMAB1OpAttr = enumAttr("nvvm.mma_b1op", { none: 0, xor_popc: 1, and_popc: 2 }, { cpp: "NVVM::MMAB1Op" });
export const MMAFragAttr = enumAttr("nvvm.mma_frag", { a: 0, b: 1, c: 2 }, { cpp: "NVVM::MMAFrag" });
export const MMAIntOverflowAttr = enumAttr("nvvm.mma_int_overflow", { satfinite: 1, wrapped: 0 }, { cpp: "NVVM::MMAIntOverflow" });
export const MMALayoutAttr = enumAttr("nvvm.mma_layout", { row: 0, col: 1 }, { cpp: "NVVM::MMALayout" });
export const MMATypesAttr = enumAttr(
  "nvvm.mma_type",
  {
    f16: 0,
    f32: 1,
    tf32: 2,
    bf16: 9,
    s8: 4,
    u8: 3,
    s32: 5,
    s4: 8,
    u4: 7,
    b1: 6,
    f64: 10,
  },
  { cpp: "NVVM::MMATypes" },
);
export const MemScopeKindAttr = enumAttr("nvvm.mem_scope", { cta: 0, cluster: 1, gpu: 2, sys: 3 }, { cpp: "NVVM::MemScopeKind" });
export const NVVMMemorySpaceAttr = enumAttr(
  "nvvm.memory_space",
  {
    generic: 0,
    global: 1,
    shared: 3,
    constant: 4,
    local: 5,
    tensor: 6,
    shared_cluster: 7,
  },
  { cpp: "NVVM::NVVMMemorySpace" },
);
export const ProxyKindAttr = enumAttr(
  "nvvm.proxy_kind",
  {
    alias: 0,
    async: 1,
    "async.global": 2,
    "async.shared": 3,
    tensormap: 4,
    generic: 5,
  },
  { cpp: "NVVM::ProxyKind" },
);
export const SaturationModeAttr = enumAttr("nvvm.sat_mode", { none: 0, satfinite: 1 }, { cpp: "NVVM::SaturationMode" });
export const SharedSpaceAttr = enumAttr("nvvm.shared_space", { cta: 0, cluster: 1 }, { cpp: "NVVM::SharedSpace" });
export const TMALoadModeAttr = enumAttr(
  "nvvm.tma_load_mode",
  { tile: 0, im2col: 1, im2col_w: 2, im2col_w_128: 3, tile_gather4: 4 },
  { cpp: "NVVM::TMALoadMode" },
);
export const TMAReduxKindAttr = enumAttr(
  "nvvm.tma_redux_kind",
  { add: 0, max: 2, min: 1, inc: 3, dec: 4, and: 5, or: 6, xor: 7 },
  { cpp: "NVVM::TMAReduxKind" },
);
export const TMAStoreModeAttr = enumAttr("nvvm.tma_store_mode", { tile: 0, im2col: 1, tile_scatter4: 2 }, { cpp: "NVVM::TMAStoreMode" });
export const Tcgen05CpMulticastAttr = enumAttr(
  "nvvm.tcgen05_cp_multicast",
  { none: 0, warpx2_02_13: 1, warpx2_01_23: 2, warpx4: 3 },
  { cpp: "NVVM::Tcgen05CpMulticast" },
);
export const Tcgen05CpShapeAttr = enumAttr(
  "nvvm.tcgen05_cp_shape",
  {
    shape_128x256b: 0,
    shape_4x256b: 1,
    shape_128x128b: 2,
    shape_64x128b: 3,
    shape_32x128b: 4,
  },
  { cpp: "NVVM::Tcgen05CpShape" },
);
export const Tcgen05CpSrcFormatAttr = enumAttr(
  "nvvm.tcgen05_cp_src_fmt",
  { b6x16_p32: 0, b4x16_p64: 1 },
  { cpp: "NVVM::Tcgen05CpSrcFormat" },
);
export const Tcgen05FenceKindAttr = enumAttr("nvvm.tcgen05_fence", { before: 0, after: 1 }, { cpp: "NVVM::Tcgen05FenceKind" });
export const Tcgen05LdStShapeAttr = enumAttr(
  "nvvm.tcgen05_ldst_shape",
  {
    shape_16x64b: 0,
    shape_16x128b: 1,
    shape_16x256b: 2,
    shape_32x32b: 3,
    shape_16x32bx2: 4,
  },
  { cpp: "NVVM::Tcgen05LdStShape" },
);
export const Tcgen05WaitKindAttr = enumAttr("nvvm.tcgen05_wait", { load: 0, store: 1 }, { cpp: "NVVM::Tcgen05WaitKind" });
export const WGMMAScaleInAttr = enumAttr("nvvm.wgmma_scale_in", { one: 1, neg: -1 }, { cpp: "NVVM::WGMMAScaleIn" });
export const WGMMAScaleOutAttr = enumAttr("nvvm.wgmma_scale_out", { zero: 0, one: 1 }, { cpp: "NVVM::WGMMAScaleOut" });
export const WGMMATypesAttr = enumAttr(
  "nvvm.wgmma_type",
  {
    f16: 0,
    tf32: 1,
    u8: 2,
    s8: 3,
    b1: 4,
    bf16: 5,
    e4m3: 6,
    e5m2: 7,
    f32: 8,
    s32: 9,
  },
  { cpp: "NVVM::WGMMATypes" },
);

export const MMAShapeAttr = structAttr("nvvm.shape", { m: uint, n: uint, k: uint });
export const LdStMatrixShapeAttr = structAttr("nvvm.ld_st_matrix_shape", { m: uint, n: uint });
/** `#nvvm.target<chip = "sm_90">`: the GPU that a gpu.module is compiled for. */
export const NVVMTargetAttr = structAttr(
  "nvvm.target",
  {
    O: dflt(uint, 2n),
    triple: dflt(str, "nvptx64-nvidia-cuda"),
    chip: dflt(str, "sm_50"),
    features: dflt(str, "+ptx60"),
    flags: opt(attr()),
    link: opt(attr()),
    verifyTarget: dflt(bool, true),
  },
  { optionalBody: true },
);

/** An enum attribute as ops hold it: views read its keyword. */
export function enumC<K extends string>(def: AttrDef<{ readonly value: K }>, description = ""): AttrConstraint<K> {
  return {
    description,
    test: (a) => def.is(a),
    read: (a) => (a as Attribute<{ readonly value: K }>).params.value,
    write: (ctx, value) => def.get(ctx, { value }),
    stripped: def.name,
  };
}
/** Any attribute of that kind. */
export const kindC = (def: { readonly name: string }, description = ""): AttrConstraint<Attribute> => ({
  ...AnyAttr,
  description,
  test: (a) => (a.def as { readonly name: string }) === def,
  stripped: def.name,
});
