/**
 * Copies of boxes of a tensor by the tensor memory accelerator. A box is at most 256 long, and along rows as wide as the swizzle, so a
 * block may take several messages; the first lane of each warp sends one, and where there are more messages than warps, again:
 *
 *     @$0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4}], [$5];
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/LoadStoreOpToLLVM.cpp, AsyncTMACopyGlobalToLocalOpConversion and others.
 */
import { ptrType } from "../../../dialects/llvm/types/types.js";
import * as nvvm from "../../../dialects/nvvm/ops/synchronization.js";
import { sharedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { MemDescParams } from "../../../dialects/ttg/types.js";
import {
  AsyncTMACopyGlobalToLocalOp,
  AsyncTMACopyLocalToGlobalOp,
  AsyncTMAReduceOp,
  TMAStoreWaitOp,
} from "../../../dialects/ttng/ops/tma.js";
import { runsOnTwoCTAs } from "../../../dialects/ttng/ttng-op.js";
import { TensorDescIm2ColType } from "../../../dialects/ttng/types.js";
import type { Value } from "../../../ir/value.js";
import type { NvmmaSharedParams } from "../../../layout/encoding-params.js";
import { getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { getCTAOrder, getCTASplitNum } from "../../../layout/encodings/cga.js";
import { getTMABlockShape } from "../../../layout/encodings/nvmma-shared.js";
import { LayoutError } from "../../../layout/layout-error.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { standardOutDimNames } from "../../../layout/standard-dims.js";
import { linearLayoutOf, memDescOf, sharedMemoryObject, shmemAffineBase } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { applyLinearLayout, numWarpsAt, threadId } from "../../ttg-to-llvm/thread-indices.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import { groupMask, leaderAddress, leads, sharingBitsOf } from "./cta-groups.js";
import { electPredicate, uniformWarpId } from "./elect.js";
import { plainAsm, remoteBits } from "./mbarrier.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";

/** The layout of a buffer that TMA can fill. */
function nvmmaParams(type: MemDescParams): NvmmaSharedParams {
  const params = sharedParams(type.encoding);
  if (params?.kind !== "nvmma_shared") throw new LayoutError("TMA copies to and from buffers of nvmma_shared layouts");
  return params;
}

/** msg, block -> the coordinates in the tensor at which the box of each message begins. */
export function messageOffsets(type: MemDescParams, params: NvmmaSharedParams, im2col: boolean, partsByCTA: boolean): LinearLayout {
  const shape = getShapePerCTAOf(params, type.shape);
  const box = getTMABlockShape(shape, params, true, im2col);
  const dims = standardOutDimNames(shape.length);
  if (shape.some((extent, d) => extent < box[d]!))
    throw new LayoutError(`the buffer of ${shape.join("x")} is smaller than a box of TMA with its swizzle, ${box.join("x")}`);
  const split = getCTASplitNum(params.cga);
  // Before 3.8 a buffer that CTAs share counted as one CTA's.
  const blocks = partsByCTA ? [params.cga] : getCTAOrder(params.cga).map((d) => LinearLayout.identity1D(split[d]!, "block", dims[d]!));
  const boxes = shape.map((extent, d) => LinearLayout.strided1D(extent / box[d]!, box[d]!, "msg", dims[d]!));
  return [...boxes, ...blocks].reduce((layout, part) => layout.multiply(part), LinearLayout.empty());
}

/** One message: which threads send it, where in shared memory its box lies, and its coordinates, the last dimension first. */
interface Message {
  readonly predicate: Value;
  readonly shared: Value;
  readonly coordinates: readonly Value[];
}

interface Copy {
  readonly buffer: Value;
  readonly coord: readonly Value[];
  readonly pred: Value | undefined;
  /** The bits of CTAs that share the buffer: only those that lead send. */
  readonly leaders: number;
  /** A message goes to all of them. */
  readonly multicast: boolean;
  readonly im2col: boolean;
}
/** Goes over the messages of a copy. */
function forMessages(lo: Lowering, copy: Copy, begin: (ctas: Value | undefined) => (message: Message) => void): void {
  const { buffer, coord, pred, leaders, im2col, multicast } = copy;
  const { b, ctx } = lo;
  const type = memDescOf(buffer);
  const params = nvmmaParams(type);
  const element = convertType(type.elementType);
  const base = shmemAffineBase(lo, sharedMemoryObject(lo, buffer), type);
  const thread = threadId(lo);
  // In the order of upstream's patterns, which differ.
  const unconditional = pred ? undefined : electPredicate(lo);
  let warp = uniformWarpId(lo);
  let elected = pred ? b.and(lo.value(pred), electPredicate(lo)) : unconditional!;
  const packed = messageOffsets(type, params, im2col, lo.forms.partsByCTA);
  const toShared = packed.invertAndCompose(linearLayoutOf(type));
  // In global memory, fp4 that is padded in shared memory is not.
  const last = standardOutDimNames(type.shape.length).at(-1)!;
  const toOffset = params.fp4Padded ? LinearLayout.zeros1D(1, "msg", last, 2).multiply(packed) : packed;
  const messages = toOffset.getInDimSize("msg");
  const numWarps = numWarpsAt(lo);
  const cta = lo.code.clusterCTAId(lo);
  const ctas = multicast ? groupMask(lo, leaders) : undefined;
  if (leaders !== 0) elected = b.and(elected, leads(lo, leaders, cta));
  const send = begin(ctas);
  for (let first = 0; first < messages; first += numWarps) {
    const warps = Math.min(messages - first, numWarps);
    if (warps === 1) warp = b.i32(0);
    const predicate = b.and(elected, b.icmp("ult", thread, b.i32(warps * lo.target.threadsPerWarp)));
    const message = b.add(warp, b.i32(first));
    const [offset] = applyLinearLayout(lo, toShared, [
      ["msg", message],
      ["block", lo.forms.partsByCTA ? cta : 0],
    ]);
    const shared = b.gep(ptrType(ctx, 3), element, base, [offset!]);
    const offsets = applyLinearLayout(lo, toOffset, [
      ["msg", message],
      ["block", cta],
    ]);
    const doubles = lo.ctx.triton.doublesFp4Late && params.fp4Padded;
    const coordinates = coord.toReversed().map((element, i) => {
      const at = doubles && i === 0 ? b.mul(element, b.i32(2)) : element;
      return i < offsets.length ? b.add(at, offsets[offsets.length - i - 1]!) : at;
    });
    send({ predicate, shared, coordinates });
  }
}

/** Since 3.8, where two CTAs work on one dot: whether the copy signals the mbarrier of one CTA or that of two. */
export function ctaGroupOfBarrier(lo: Lowering, barrier: Value): string {
  if (lo.forms.sharedBarriers !== "remote" || !runsOnTwoCTAs(lo.module)) return "";
  return `cta_group::${sharingBitsOf(barrier) === 0 && memDescOf(barrier).shape[0] === lo.target.numCTAs ? 1 : 2}.`;
}

/** `$2, $3, ...` for so many operands from `first` on. */
export const numbered = (first: number, count: number): string => Array.from({ length: count }, (_, i) => `$${first + i}`).join(", ");

function storeLike(lo: Lowering, instruction: string, desc: Value, coord: readonly Value[], src: Value): void {
  const rank = coord.length;
  const text = `@$0 ${instruction}.bulk_group [$1, {${numbered(2, rank)}}], [$${2 + rank}];`;
  const descriptor = lo.value(desc);
  const leaders = lo.forms.sharedBarriers === "remote" ? sharingBitsOf(src) : 0;
  const copy = { buffer: src, coord: lo.allValues(coord), pred: undefined, leaders, multicast: false, im2col: false };
  forMessages(
    lo,
    copy,
    () =>
      ({ predicate, shared, coordinates }) =>
        plainAsm(lo, text, [["b", predicate], ["l", descriptor], ...coordinates.map((c) => ["r", c] as const), ["r", shared]]),
  );
  lo.b.create(nvvm.CpAsyncBulkCommitGroupOp, {});
}

export const TMA_COPIES: readonly LoweringRule[] = [
  rule(AsyncTMACopyGlobalToLocalOp, (view, lo) => {
    const { op, desc, coord, offsets, barrier, result, pred, cache, evict, isVolatile, multicast } = view;
    if (cache !== "none") return lo.fail(op, "cache modifiers not supported yet");
    if (evict !== "evict_normal") return lo.fail(op, "eviction policy not supported yet");
    if (isVolatile) return lo.fail(op, "volatile not supported yet");
    const { base } = sharedMemoryObject(lo, barrier);
    const descriptor = lo.value(desc);
    const rank = coord.length;
    const im2col = TensorDescIm2ColType.is(desc.type);
    const group = multicast ? sharingBitsOf(result) : 0;
    const remote = remoteBits(lo, barrier);
    const im2colOffsets = lo.allValues(offsets).toReversed();
    const space = remote !== 0 || multicast ? "shared::cluster" : lo.forms.tmaSpace;
    const text =
      `@$0 cp.async.bulk.tensor.${rank}d.${ctaGroupOfBarrier(lo, barrier)}${space}.global${im2col ? ".im2col" : ""}.mbarrier::complete_tx::bytes` +
      `${multicast ? ".multicast::cluster" : ""} [$1], [$2, {${numbered(3, rank)}}], [$${3 + rank}]` +
      `${multicast ? `, $${4 + rank}` : ""}${offsets.length > 0 ? `, {${numbered(4 + rank + (multicast ? 1 : 0), offsets.length)}}` : ""};`;
    const copy = { buffer: result, coord: lo.allValues(coord), pred, leaders: group, multicast, im2col };
    return forMessages(lo, copy, (ctas) => {
      const signal = leaderAddress(lo, base, remote);
      return ({ predicate, shared, coordinates }) =>
        plainAsm(lo, text, [
          ["b", predicate],
          ["r", shared],
          ["l", descriptor],
          ...coordinates.map((c) => ["r", c] as const),
          ["r", signal],
          ...(ctas ? [["h", ctas] as const] : []),
          ...im2colOffsets.map((offset) => ["h", offset] as const),
        ]);
    });
  }),
  rule(AsyncTMACopyLocalToGlobalOp, ({ desc, coord, src }, lo) =>
    storeLike(lo, `cp.async.bulk.tensor.${coord.length}d.global.shared::cta`, desc, coord, src),
  ),
  rule(AsyncTMAReduceOp, ({ desc, coord, src, kind }, lo) =>
    storeLike(lo, `cp.reduce.async.bulk.tensor.${coord.length}d.global.shared::cta.${kind}`, desc, coord, src),
  ),
  rule(TMAStoreWaitOp, ({ pendings, read_only }, lo) => {
    lo.b.create(nvvm.CpAsyncBulkWaitGroupOp, { group: pendings, read: read_only || !lo.ctx.triton.waitsForWrites });
  }),
];
