/** Copies by the tensor memory accelerator, and its descriptors. Source: TritonNvidiaGPUOps.td; Ops.cpp. */

import type { Type, TypeOf } from "../../../ir/attribute.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import {
  type AttrConstraint,
  BoolAttr,
  defaultAttr,
  I1,
  I16,
  I32,
  I32Attr,
  I64,
  rankedTensorOf,
  typeConstraint,
  Unit,
  variadic,
} from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { attrText, typeText } from "../../../ir/text-hook.js";
import { AttrSizedOperandSegments, Pure } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { getContigPerThread, getCTALayout } from "../../../layout/encoding-queries.js";
import { Ptr, TensorDesc } from "../../tt/constraints.js";
import { CacheModifierAttr, DescriptorReduceKindAttr, EvictionPolicyAttr } from "../../tt/enums.js";
import { verifyGatherColumns, verifyGatherResultType, verifySameElements } from "../../tt/ops/descriptor.js";
import { readsGlobal, writesGlobal } from "../../tt/tt-op.js";
import { signless } from "../../tt/types.js";
import { distributedParams, sharedParams, toLinearLayout } from "../../ttg/encodings/define-encoding.js";
import { NvmmaSharedEncoding } from "../../ttg/encodings/nvmma-shared.js";
import { enclosingModule } from "../../ttg/num-warps.js";
import { readsShared, verifyBarrierType, writesShared } from "../../ttg/ttg-op.js";
import { MemDescOperand, sameShape } from "../../ttg/types.js";
import { basesText, ctasOfBarrier, descOf, ownBarriers, TWO_CTAS, ttngTraits } from "../ttng-op.js";
import { isAnyTensorDesc, TensorDescIm2ColType } from "../types.js";

/** A descriptor of tiles, or of im2col. */
const AnyTensorDesc = typeConstraint("tensor descriptor", isAnyTensorDesc);
const I32Tensor = rankedTensorOf(I32);

const blockOf = (desc: Value): TensorType => (desc.type as TypeOf<typeof TensorDescIm2ColType>).params.blockType;
const fail = (report: OpReport, message: string): false => (report.error(message, "ttng.tma"), false);

// Source: TritonNvidiaGPU/IR/Ops.cpp of 3.8.
function verifyCoordinates(desc: Value, count: number, isIm2Col: boolean, report: OpReport): boolean {
  const rank = blockOf(desc).params.shape.length;
  if (isIm2Col && count < 3) return fail(report, `IM2COL mode requires at least 3D coordinates, but got ${count}D`);
  if (isIm2Col && count > 5) return fail(report, `IM2COL mode supports at most 5D coordinates, but got ${count}D`);
  if (!isIm2Col && count !== rank) return fail(report, `expected ${rank} coordinates, but got ${count}`);
  return (count >= 1 && count <= 5) || fail(report, "must have between 1 and 5 coordinates");
}
function verifyMode(isIm2Col: boolean, coordinates: number, offsets: number, report: OpReport): boolean {
  if (!isIm2Col) return offsets === 0 || fail(report, "TILED mode does not support offsets");
  if (offsets === 0) return fail(report, "IM2COL mode requires offsets to be provided");
  const expected = coordinates - 2;
  return (
    offsets === expected || fail(report, `IM2COL mode with ${coordinates}D coordinates requires ${expected} offsets, but got ${offsets}`)
  );
}
function verifyLoad(op: Operation, desc: Value, barrier: Value, result: Value, report: OpReport): boolean {
  if (!verifyBarrierType(op, barrier, report) || !verifyTMABarrier(op, barrier, report)) return false;
  if (!descOf(result).params.mutableMemory) return fail(report, "cannot store into immutable memory");
  return verifyEncodings(desc, result, report);
}
function verifyEncodings(desc: Value, buffer: Value, report: OpReport): boolean {
  const { encoding } = descOf(buffer).params;
  const [ofDesc, ofBuffer] = [blockOf(desc).params.encoding, encoding].map((attr) => attr && sharedParams(attr));
  if (ofBuffer?.kind !== "nvmma_shared") return fail(report, "TMA descriptor must have NVMMA shared layout");
  // They may have other ranks.
  const same = (["transposed", "swizzlingByteWidth", "elementBitWidth", "fp4Padded"] as const).every(
    (key) => ofDesc?.kind === "nvmma_shared" && ofDesc[key] === ofBuffer[key],
  );
  if (!same) {
    const layouts = [ofDesc?.kind === "nvmma_shared" ? attrText(blockOf(desc).params.encoding!) : "<<NULL ATTRIBUTE>>", attrText(encoding)];
    const got = `got descriptor layout ${layouts[0]} and shared memory layout ${layouts[1]}`;
    return fail(report, `TMA descriptor layout must match shared layout, but ${got}`);
  }
  return !ofBuffer.transposed || fail(report, "TMA descriptor layout must not be transposed");
}
/** Where passes have said whether pairs of CTAs do dots: an mbarrier is one for each CTA, or for each pair. */
function verifyTMABarrier(op: Operation, barrier: Value, report: OpReport): boolean {
  const pairs = enclosingModule(op)?.attr(TWO_CTAS);
  if (!pairs) return true;
  const own = ownBarriers(op);
  const allowed = [basesText(own), ...(intOf(pairs) === -1 ? [basesText([[0], ...own.slice(0, -1)])] : [])];
  const actual = basesText(ctasOfBarrier(barrier));
  return allowed.includes(actual) || fail(report, `TMA barrier cga_layout must be ${allowed.join(" or ")}, got ${actual}`);
}
function verifyShared(result: Value, report: OpReport): boolean {
  const { shape, encoding } = descOf(result).params;
  const shares = (toLinearLayout(shape, encoding).getFreeVariableMasks().get("block") ?? 0) !== 0;
  return shares || fail(report, "multicast requires the shared layout to broadcast across CTAs");
}

export const AsyncTMACopyGlobalToLocalOp = defineOp("ttng.async_tma_copy_global_to_local", () => ({
  summary: "copy data based on descriptor from global memory to local memory asynchronously",
  operands: {
    desc: AnyTensorDesc,
    coord: variadic(I32),
    // Only im2col has them, since 3.7.
    offsets: variadic(I16),
    barrier: MemDescOperand,
    result: MemDescOperand,
    pred: I1,
  },
  sizesWithout: (operands, { triton }) => (triton.barriersOfClusters ? undefined : [1, operands - 4, 0, 1, 1, 1]),
  attrs: {
    cache: defaultAttr(CacheModifierAttr, "none"),
    evict: defaultAttr(EvictionPolicyAttr, "evict_normal"),
    isVolatile: defaultAttr(BoolAttr, false),
    multicast: Unit,
  },
  traits: ttngTraits(AttrSizedOperandSegments),
  format:
    "$desc `[` $coord `]` (`offsets` `=` `[` $offsets^ `]`)? $result `,` $barrier `,` $pred oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` qualified(type($desc)) `,` qualified(type($barrier)) `->` qualified(type($result))",
  verify({ op, desc, barrier, coord, offsets, result, multicast }, report) {
    if (op.ctx.triton.checksMemory) {
      const isIm2Col = TensorDescIm2ColType.is(desc.type);
      const fits =
        verifyCoordinates(desc, coord.length, isIm2Col, report) &&
        verifySameElements(signless(blockOf(desc)), descOf(result), report) &&
        verifyLoad(op, desc, barrier, result, report) &&
        verifyMode(isIm2Col, coord.length, offsets.length, report);
      if (fits && multicast) verifyShared(result, report);
      return;
    }
    if (!verifyBarrierType(op, barrier, report)) return;
    if (coord.length < 1 || coord.length > 5) report.error("TMA copies must have between 1 and 5 coordinates", "ttng.tma");
    else if (!descOf(result).params.mutableMemory) report.error("Cannot store into immutable memory", "ttng.tma");
    else if (!NvmmaSharedEncoding.is(descOf(result).params.encoding)) report.error("TMA result must have NVMMA shared layout", "ttng.tma");
  },
  effects: ({ desc, barrier, result }) => [readsGlobal(desc), writesShared(barrier), writesShared(result)],
}));
export const AsyncTMACopyLocalToGlobalOp = defineOp("ttng.async_tma_copy_local_to_global", () => ({
  summary: "copy data based on descriptor from local memory to global memory asynchronously",
  operands: { desc: TensorDesc, coord: variadic(I32), src: MemDescOperand },
  traits: ttngTraits(),
  format: "$desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))",
  verify: ({ op, desc, coord, src }, report) => void (op.ctx.triton.checksMemory && verifyStore(desc, coord, src, report)),
  effects: ({ desc, src }) => [readsGlobal(desc), writesGlobal(desc), readsShared(src)],
}));
/** The kinds of reductions that TMA has for each type; it adds no signed 64-bit integers. */
const REDUCED: Readonly<Record<string, RegExp>> = {
  add: /^(?:[su]?i32|u?i64|f32|f16|bf16)$/,
  min: /^(?:[su]?i(?:32|64)|f16|bf16)$/,
  max: /^(?:[su]?i(?:32|64)|f16|bf16)$/,
  and: /^[su]?i(?:32|64)$/,
  or: /^[su]?i(?:32|64)$/,
  xor: /^[su]?i(?:32|64)$/,
};
const reduces = (kind: string, type: Type): boolean => REDUCED[kind]?.test(typeText(type)) ?? false;

export const AsyncTMAReduceOp = defineOp("ttng.async_tma_reduce", () => ({
  summary: "reduce result in gmem based on a TMA descriptor",
  operands: { desc: TensorDesc, coord: variadic(I32), src: MemDescOperand },
  attrs: { kind: DescriptorReduceKindAttr },
  traits: ttngTraits(),
  format: "$kind `,` $desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))",
  verify({ op, desc, coord, src, kind }, report) {
    const { elementType } = blockOf(desc).params;
    if (op.ctx.triton.checksMemory && verifyStore(desc, coord, src, report) && !reduces(kind, elementType))
      fail(report, `unsupported reduce kind ${kind} for element type '${typeText(elementType)}'`);
  },
  effects: ({ desc, src }) => [{ kind: "read", resource: "GlobalMemory" }, writesGlobal(), readsGlobal(desc), readsShared(src)],
}));
/** The rules of 3.8 for stores and reductions of tiles. */
const verifyStore = (desc: Value, coord: readonly Value[], src: Value, report: OpReport): boolean =>
  verifyCoordinates(desc, coord.length, false, report) &&
  verifySameElements(signless(blockOf(desc)), descOf(src), report) &&
  verifyStored(desc, src, report);
const verifyStored = (desc: Value, src: Value, report: OpReport): boolean =>
  isFp4Padded(src) ? fail(report, "does not support fp4_padded operands") : verifyEncodings(desc, src, report);
const isFp4Padded = (buffer: Value): boolean => {
  const params = sharedParams(descOf(buffer).params.encoding);
  return params?.kind === "nvmma_shared" && params.fp4Padded;
};
/** The rules of 3.8: each warp has the rows that it moves, four in a thread's registers, for the CTAs that the buffer gives them to. */
function verifyRows(desc: Value, offsets: Value, buffer: Value, report: OpReport): boolean {
  const block = signless(blockOf(desc));
  const { shape: rows, allocShape } = descOf(buffer).params;
  const name = `'${typeText(block)}'`;
  if (block.params.shape.length !== 2) return fail(report, `descriptor block must be a 2D tensor, but got ${name}`);
  if (block.params.shape[0] !== 1) return fail(report, `descriptor block must have exactly 1 row, but got ${name}`);
  if (!verifyGatherResultType(buffer.type as TensorType, offsets.type as TensorType, report)) return false;
  if (!verifyGatherColumns(block, buffer.type as TensorType, report)) return false;
  if (!sameShape(rows, allocShape.slice(-2))) return fail(report, "memdesc shape must match alloc shape");
  const { shape, encoding } = (offsets.type as TensorType).params;
  const layout = distributedParams(encoding);
  if (!layout) return true;
  if (getContigPerThread(layout, shape)[0]! < 4) return fail(report, "x offsets must have at least 4 contiguous elements per thread");
  if (
    !toLinearLayout(shape, encoding)
      .getInDimBases("lane")
      .every(([row]) => row === 0)
  )
    return fail(report, "x offsets must be broadcasted across each warp");
  const theirs = getCTALayout(sharedParams(descOf(buffer).params.encoding)!)?.getInDimBases("block") ?? [];
  const ours = getCTALayout(layout)?.getInDimBases("block") ?? [];
  const areSame = theirs.length === ours.length && theirs.every(([row], i) => row === ours[i]![0]);
  return areSame || fail(report, "x offsets must have the same row CGA layout as the memdesc");
}

export const AsyncTMAGatherOp = defineOp("ttng.async_tma_gather", () => ({
  summary: "gather data based on descriptor from global memory to local memory asynchronously",
  operands: { desc: TensorDesc, x_offsets: I32Tensor, y_offset: I32, barrier: MemDescOperand, result: MemDescOperand, pred: I1 },
  attrs: { multicast: Unit },
  traits: ttngTraits(),
  format: "$desc `[` $x_offsets `,` $y_offset `]` $result `,` $barrier `,` $pred attr-dict `:` type(operands)",
  verify({ op, desc, barrier, result, x_offsets, multicast }, report) {
    if (op.ctx.triton.checksMemory) {
      if (!verifyLoad(op, desc, barrier, result, report)) return;
      if (isFp4Padded(result)) return void fail(report, "does not support fp4_padded operands");
      if (!multicast || verifyShared(result, report)) verifyRows(desc, x_offsets, result, report);
      return;
    }
    if (!verifyBarrierType(op, barrier, report)) return;
    if (!descOf(result).params.mutableMemory) return void report.error("cannot store into immutable memory", "ttng.tma");
    verifyGatherResultType(result.type as TensorType, x_offsets.type as TensorType, report);
  },
  effects: ({ desc, barrier, result }) => [readsGlobal(desc), writesShared(barrier), writesShared(result)],
}));
export const AsyncTMAScatterOp = defineOp("ttng.async_tma_scatter", () => ({
  summary: "scatter data from local memory into global memory based on a descriptor asynchronously",
  operands: { desc: TensorDesc, x_offsets: I32Tensor, y_offset: I32, src: MemDescOperand },
  traits: ttngTraits(),
  format: "$desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)",
  verify({ op, desc, src, x_offsets }, report) {
    if (op.ctx.triton.checksMemory) {
      if (verifyStored(desc, src, report)) verifyRows(desc, x_offsets, src, report);
      return;
    }
    verifyGatherResultType(src.type as TensorType, x_offsets.type as TensorType, report);
  },
  effects: ({ desc, src }) => [readsGlobal(desc), writesGlobal(desc), readsShared(src)],
}));
export const TMAStoreWaitOp = defineOp("ttng.async_tma_store_wait", () => ({
  summary: "wait until all the inputs are read.",
  // Since 3.8 it waits for the writes too, unless it says otherwise.
  attrs: { pendings: I32Attr, read_only: Unit },
  traits: ttngTraits(),
  format: "attr-dict",
}));

export const ReinterpretTensorDescOp = defineOp("ttng.reinterpret_tensor_descriptor", () => ({
  summary: "Reinterpret a pointer as a tensor descriptor",
  operands: { rawDesc: Ptr },
  results: { result: TensorDesc },
  traits: ttngTraits(Pure),
  format: "$rawDesc attr-dict `:` qualified(type($rawDesc)) `to` qualified(type($result))",
}));

/** An I32Attr from 0 to `max`. */
function upTo(max: number): AttrConstraint<number> {
  return {
    ...I32Attr,
    description: `32-bit signless integer attribute whose value is non-negative whose maximum value is ${max}`,
    test: (a) => I32Attr.test(a) && 0 <= I32Attr.read(a) && I32Attr.read(a) <= max,
  };
}
export const TensormapCreateOp = defineOp("ttng.tensormap_create", () => ({
  summary: "Create a new TMA descriptor on device",
  operands: {
    desc_ptr: Ptr,
    global_address: Ptr,
    box_dim: variadic(I32),
    global_dim: variadic(I32),
    global_stride: variadic(I64),
    element_stride: variadic(I32),
  },
  attrs: { elem_type: upTo(15), interleave_layout: upTo(2), swizzle_mode: upTo(3), fill_mode: upTo(1) },
  traits: ttngTraits(AttrSizedOperandSegments),
  format:
    "$desc_ptr `,` $global_address `,` `[` $box_dim `]` `,` `[` $global_dim `]` `,` `[` $global_stride `]` `,` `[` $element_stride `]` attr-dict `:` functional-type(operands, results)",
  verify({ box_dim, global_dim, global_stride, element_stride }, report) {
    const rank = box_dim.length;
    const mismatch = (what: string, got: number, expected: number) =>
      report.plain(`Rank mismatch for ${what}. Got ${got} but expected ${expected}`, "ttng.tensormap");
    if (global_dim.length !== rank) mismatch("global dim", global_dim.length, rank);
    else if (global_stride.length + 1 !== rank) mismatch("global stride", global_stride.length, rank - 1);
    else if (element_stride.length !== rank) mismatch("element stride", element_stride.length, rank);
  },
  effects: () => [{ kind: "read", resource: "GlobalMemory" }, writesGlobal()],
}));
export const TensormapFenceproxyAcquireOp = defineOp("ttng.tensormap_fenceproxy_acquire", () => ({
  summary: "Acquire fence on a tensormap object",
  operands: { desc_ptr: Ptr },
  traits: ttngTraits(),
  format: "$desc_ptr attr-dict `:` qualified(type($desc_ptr))",
  effects: () => [writesGlobal()],
}));
