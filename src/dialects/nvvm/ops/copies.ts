/** Asynchronous copies and the tensor memory accelerator. Source: mlir/include/mlir/Dialect/LLVMIR/NVVMOps.td, NVVMDialect.cpp. */

import {
  anyOf,
  BoolAttr,
  defaultAttr,
  I1,
  I16,
  I32,
  I32Attr,
  I64,
  I64Attr,
  optional,
  optionalAttr,
  type TypeConstraint,
  Unit,
  variadic,
} from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import { AttrSizedOperandSegments } from "../../../ir/traits.js";
import { LLVMType, Pointer, pointerIn } from "../../llvm/type-constraints.js";
import { LLVMPointerType } from "../../llvm/types/types.js";
import * as A from "../attrs.js";

const Generic = pointerIn(0);
const Global = pointerIn(1);
const Shared = pointerIn(3);
const Cluster = pointerIn(7);
const oneOf = (...types: readonly TypeConstraint[]): TypeConstraint => anyOf(types.map((t) => t.description).join(" or "), ...types);

export const CpAsyncOp = defineOp("nvvm.cp.async.shared.global", () => ({
  operands: { dst: Shared, src: Global, cpSize: optional(LLVMType) },
  attrs: { size: I32Attr, modifier: A.enumC(A.LoadCacheModifierAttr) },
  format: "$dst `,` $src `,` $size `,` `cache` `=` $modifier (`,` $cpSize^)? attr-dict `:` type(operands)",
  verify({ modifier, size }, report) {
    if (modifier !== "cg" && modifier !== "ca") report.plain("Only CG and CA cache modifiers are supported.");
    else if (size !== 4 && size !== 8 && size !== 16) report.plain("expected byte size to be either 4, 8 or 16.");
    else if (modifier === "cg" && size !== 16) report.plain("CG cache modifier is only support for 16 bytes copy.");
  },
}));
const arrive = (name: string, addr: TypeConstraint) =>
  defineOp(`nvvm.cp.async.mbarrier.${name}`, () => ({
    operands: { addr },
    attrs: { noinc: defaultAttr(BoolAttr, false) },
    format: "$addr attr-dict `:` type(operands)",
  }));
export const CpAsyncMBarrierArriveOp = arrive("arrive", Pointer);
export const CpAsyncMBarrierArriveSharedOp = arrive("arrive.shared", Shared);

const cacheHint = { l2CacheHint: optional(I64) };
const CACHE_HINT = "(`l2_cache_hint` `=` $l2CacheHint^ )?";
export const CpAsyncBulkPrefetchOp = defineOp("nvvm.cp.async.bulk.prefetch", () => ({
  operands: { srcMem: Global, size: I32, ...cacheHint },
  format: `$srcMem \`,\` $size ${CACHE_HINT} attr-dict \`:\` type($srcMem)`,
}));
export const CpAsyncBulkGlobalToSharedClusterOp = defineOp("nvvm.cp.async.bulk.shared.cluster.global", () => ({
  operands: { dstMem: Cluster, srcMem: Global, mbar: Shared, size: I32, multicastMask: optional(I16), ...cacheHint },
  traits: [AttrSizedOperandSegments],
  format: `$dstMem \`,\` $srcMem \`,\` $mbar \`,\` $size (\`multicast_mask\` \`=\` $multicastMask^ )? ${CACHE_HINT} attr-dict \`:\` type($dstMem) \`,\` type($srcMem)`,
}));
export const CpAsyncBulkSharedCTAToSharedClusterOp = defineOp("nvvm.cp.async.bulk.shared.cluster.shared.cta", () => ({
  operands: { dstMem: Cluster, srcMem: Shared, mbar: Shared, size: I32 },
  format: "$dstMem `,` $srcMem `,` $mbar `,` $size attr-dict `:` type($dstMem) `,` type($srcMem)",
}));
export const CpAsyncBulkSharedCTAToGlobalOp = defineOp("nvvm.cp.async.bulk.global.shared.cta", () => ({
  operands: { dstMem: Global, srcMem: Shared, size: I32, ...cacheHint, byteMask: optional(I16) },
  traits: [AttrSizedOperandSegments],
  format: `$dstMem \`,\` $srcMem \`,\` $size ${CACHE_HINT} (\`byte_mask\` \`=\` $byteMask^ )? attr-dict \`:\` type($dstMem) \`,\` type($srcMem)`,
}));

// --- tensors ---------------------------------------------------------------------------------

const LOAD_MODE = defaultAttr(A.enumC(A.TMALoadModeAttr), "tile");
const STORE_MODE = defaultAttr(A.enumC(A.TMAStoreModeAttr), "tile");
const IM2COL = "(`im2col` `[` $im2colOffsets^ `]` )?";

export const CpAsyncBulkTensorGlobalToSharedClusterOp = defineOp("nvvm.cp.async.bulk.tensor.shared.cluster.global", () => ({
  operands: {
    dstMem: oneOf(Shared, Cluster),
    tmaDescriptor: Generic,
    coordinates: variadic(I32),
    mbar: Shared,
    im2colOffsets: variadic(I16),
    multicastMask: optional(I16),
    l2CacheHint: optional(I64),
    predicate: optional(I1),
  },
  attrs: { mode: LOAD_MODE, isCTAOnly: defaultAttr(BoolAttr, false), group: optionalAttr(A.enumC(A.CTAGroupKindAttr)) },
  traits: [AttrSizedOperandSegments],
  format: `$dstMem \`,\` $tmaDescriptor \`,\` $mbar \`,\` \`box\` \`[\`$coordinates \`]\` ${IM2COL} (\`multicast_mask\` \`=\` $multicastMask^ )? ${CACHE_HINT} (\`predicate\` \`=\` $predicate^)? attr-dict \`:\` type($dstMem) \`,\` type($tmaDescriptor)`,
  verify({ dstMem, mode, isCTAOnly, predicate, multicastMask, group, coordinates, im2colOffsets }, report) {
    const wrong = (message: string) => void report.plain(message);
    if (predicate) {
      if (isCTAOnly) return wrong("Predicate is supported only for shared::cluster mode.");
      if (mode !== "tile" && mode !== "im2col") return wrong("Predicate is supported only for Tile and Im2col modes.");
    } else {
      const space = LLVMPointerType.params(dstMem.type).addressSpace;
      if (isCTAOnly && space !== 3) return wrong("Shared::cta destination requires address-space 3.");
      if (!isCTAOnly && space !== 7) return wrong("Shared::cluster destination requires address-space 7.");
      if (isCTAOnly && multicastMask) return wrong("Multicast is not supported with shared::cta mode.");
      if (isCTAOnly && group) return wrong("CTAGroup is not supported with shared::cta mode.");
    }
    verifyLoad(coordinates.length, im2colOffsets.length, mode, report);
  },
}));
export const CpAsyncBulkTensorPrefetchOp = defineOp("nvvm.cp.async.bulk.tensor.prefetch", () => ({
  operands: { tmaDescriptor: Generic, coordinates: variadic(I32), im2colOffsets: variadic(I16), ...cacheHint },
  attrs: { mode: LOAD_MODE },
  traits: [AttrSizedOperandSegments],
  format: `$tmaDescriptor \`,\` \`box\` \`[\`$coordinates \`]\` ${IM2COL} ${CACHE_HINT} attr-dict \`:\` type($tmaDescriptor)`,
  verify: ({ coordinates, im2colOffsets, mode }, report) => verifyLoad(coordinates.length, im2colOffsets.length, mode, report),
}));
export const CpAsyncBulkTensorSharedCTAToGlobalOp = defineOp("nvvm.cp.async.bulk.tensor.global.shared.cta", () => ({
  operands: { tmaDescriptor: Generic, srcMem: Shared, coordinates: variadic(I32), l2CacheHint: optional(I64), predicate: optional(I1) },
  attrs: { mode: STORE_MODE },
  traits: [AttrSizedOperandSegments],
  format: `$tmaDescriptor \`,\` $srcMem \`,\` \`box\` \`[\`$coordinates \`]\` ${CACHE_HINT} (\`,\` \`predicate\` \`=\` $predicate^)? attr-dict \`:\` type($tmaDescriptor) \`,\` type($srcMem)`,
  verify({ predicate, mode, l2CacheHint, coordinates }, report) {
    if (predicate && mode !== "tile") report.plain("Inline-ptx lowering supported only for Tile mode.");
    else if (predicate && l2CacheHint) report.plain("Inline-ptx lowering unsupported with L2 cache-hint.");
    else if (mode !== "tile_scatter4") verifyStore(coordinates.length, mode, report);
    else if (coordinates.length !== 5) report.plain("Scatter4 mode expects 5 coordinates");
  },
}));
export const CpAsyncBulkTensorReduceOp = defineOp("nvvm.cp.async.bulk.tensor.reduce", () => ({
  operands: { tmaDescriptor: Generic, srcMem: Shared, coordinates: variadic(I32), ...cacheHint },
  attrs: { redKind: A.enumC(A.TMAReduxKindAttr), mode: STORE_MODE },
  traits: [AttrSizedOperandSegments],
  format: `$tmaDescriptor \`,\` $srcMem \`,\` \`box\` \`[\`$coordinates \`]\` ${CACHE_HINT} attr-dict \`:\` type($tmaDescriptor) \`,\` type($srcMem)`,
  verify({ coordinates, mode }, report) {
    if (mode === "tile_scatter4") report.plain("Scatter mode unsupported for CpAsyncBulkTensorReduceOp");
    else verifyStore(coordinates.length, mode, report);
  },
}));

function verifyLoad(dims: number, offsets: number, mode: string, report: OpReport): void {
  if (dims < 1 || dims > 5) return void report.plain("expects coordinates between 1 to 5 dimension");
  if (mode === "tile_gather4" && dims !== 5) return void report.plain("Gather4 mode expects 5 coordinates");
  const im2col = mode.startsWith("im2col");
  if (im2col && dims < 3) return void report.plain(`to use ${mode} mode, the tensor has to be at least 3-dimensional`);
  const expected = mode === "im2col" ? dims - 2 : im2col ? 2 : 0;
  if (offsets !== expected) report.plain(` im2col offsets expected ${expected} (provided ${offsets})`);
}
function verifyStore(dims: number, mode: string, report: OpReport): void {
  if (dims < 1 || dims > 5) report.plain("expects coordinates between 1 to 5 dimension");
  else if (mode === "im2col" && dims < 3) report.plain("to use im2col mode, the tensor has to be at least 3-dimensional");
}

// --- prefetch and bulk store -----------------------------------------------------------------

export const PrefetchOp = defineOp("nvvm.prefetch", () => ({
  operands: { addr: oneOf(Global, pointerIn(5), Generic, pointerIn(4)), predicate: optional(I1) },
  attrs: {
    cacheLevel: optionalAttr(A.enumC(A.PrefetchCacheLevelAttr)),
    evictPriority: optionalAttr(A.enumC(A.CacheEvictionPriorityAttr)),
    tensormap: Unit,
    uniform: Unit,
    in_param_space: Unit,
  },
  format:
    "(`level` `=` $cacheLevel^ (`uniform` $uniform^)? `,`)? (`tensormap` $tensormap^ (`in_param_space` $in_param_space^)? `,`)? (`evict_priority` `=` $evictPriority^ `,`)? $addr (`,` `predicate` `=` $predicate^)? attr-dict `:` type(operands)",
  verify({ addr, cacheLevel, evictPriority, tensormap, uniform, in_param_space, predicate }, report) {
    const wrong = (message: string) => void report.error(message);
    const space = LLVMPointerType.params(addr.type).addressSpace;
    if (tensormap && cacheLevel) return wrong("cannot specify both tensormap and cache level");
    if (tensormap) {
      if (space !== 0 && space !== 4) return wrong("prefetch tensormap requires a generic or constant pointer");
      if (evictPriority) return wrong("prefetch tensormap does not support eviction priority");
      if (in_param_space && space !== 0) return wrong("in_param_space can only be specified for a generic pointer");
      return;
    }
    if (!cacheLevel) return wrong("requires specification of either cache level or tensormap");
    if (space !== 0 && space !== 1 && space !== 5) return wrong("prefetch to cache level requires a generic, global, or local pointer");
    if (predicate) return wrong("predicate supported only on prefetch tensormap");
    if (uniform && cacheLevel !== "L1") return wrong("unsupported cache level, the only supported uniform cache level is L1");
    if (uniform && space !== 0) return wrong("prefetch to uniform cache requires a generic pointer");
    if (!evictPriority) return;
    if (cacheLevel !== "L2") return wrong("cache eviction priority supported only for cache level L2");
    if (space !== 1) return wrong("cache eviction priority requires a global pointer");
    if (evictPriority !== "evict_normal" && evictPriority !== "evict_last")
      wrong("unsupported cache eviction priority, only evict_last and evict_normal are supported");
  },
}));
export const BulkStoreOp = defineOp("nvvm.st.bulk", () => ({
  operands: { addr: oneOf(Generic, Shared), size: I64 },
  attrs: { initVal: defaultAttr(I64Attr, 0) },
  format: "$addr `,` `size` `=` $size (`,` `init` `=` $initVal^)? attr-dict `:` type($addr)",
  verify({ initVal }, report) {
    if (initVal !== 0) report.error(`only 0 is supported for initVal, got ${initVal}`);
  },
}));
