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
import { electPredicate, uniformWarpId } from "./elect.js";
import { plainAsm } from "./mbarrier.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";

/** The layout of a buffer that TMA can fill. */
function nvmmaParams(type: MemDescParams): NvmmaSharedParams {
  const params = sharedParams(type.encoding);
  if (params?.kind !== "nvmma_shared") throw new LayoutError("TMA copies to and from buffers of nvmma_shared layouts");
  return params;
}

/** msg, block -> the coordinates in the tensor at which the box of each message begins. */
function messageOffsets(type: MemDescParams, params: NvmmaSharedParams): LinearLayout {
  const shape = getShapePerCTAOf(params, type.shape);
  const box = getTMABlockShape(shape, params, true);
  const dims = standardOutDimNames(shape.length);
  if (shape.some((extent, d) => extent < box[d]!))
    throw new LayoutError(`the buffer of ${shape.join("x")} is smaller than a box of TMA with its swizzle, ${box.join("x")}`);
  const split = getCTASplitNum(params.cga);
  const boxes = shape.map((extent, d) => LinearLayout.strided1D(extent / box[d]!, box[d]!, "msg", dims[d]!));
  const blocks = getCTAOrder(params.cga).map((d) => LinearLayout.identity1D(split[d]!, "block", dims[d]!));
  return [...boxes, ...blocks].reduce((layout, part) => layout.multiply(part), LinearLayout.empty());
}

/** One message: which threads send it, where in shared memory its box lies, and its coordinates, the last dimension first. */
interface Message {
  readonly predicate: Value;
  readonly shared: Value;
  readonly coordinates: readonly Value[];
}

/** Goes over the messages of a copy. */
function forMessages(
  lo: Lowering,
  buffer: Value,
  coord: readonly Value[],
  pred: Value | undefined,
  send: (message: Message) => void,
): void {
  const { b, ctx } = lo;
  const type = memDescOf(buffer);
  const params = nvmmaParams(type);
  const element = convertType(type.elementType);
  const base = shmemAffineBase(lo, sharedMemoryObject(lo, buffer), type);
  const thread = threadId(lo);
  // In the order of upstream's patterns, which differ.
  const unconditional = pred ? undefined : electPredicate(lo);
  let warp = uniformWarpId(lo);
  const elected = pred ? b.and(lo.value(pred), electPredicate(lo)) : unconditional!;
  const packed = messageOffsets(type, params);
  const toShared = packed.invertAndCompose(linearLayoutOf(type));
  // In global memory, fp4 that is padded in shared memory is not.
  const last = standardOutDimNames(type.shape.length).at(-1)!;
  const toOffset = params.fp4Padded ? LinearLayout.zeros1D(1, "msg", last, 2).multiply(packed) : packed;
  const messages = toOffset.getInDimSize("msg");
  const numWarps = numWarpsAt(lo);
  const cta = lo.code.clusterCTAId(lo);
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

/** `$2, $3, ...` for so many operands from `first` on. */
export const numbered = (first: number, count: number): string => Array.from({ length: count }, (_, i) => `$${first + i}`).join(", ");

function storeLike(lo: Lowering, instruction: string, desc: Value, coord: readonly Value[], src: Value): void {
  const rank = coord.length;
  const text = `@$0 ${instruction}.bulk_group [$1, {${numbered(2, rank)}}], [$${2 + rank}];`;
  const descriptor = lo.value(desc);
  forMessages(lo, src, lo.allValues(coord), undefined, ({ predicate, shared, coordinates }) =>
    plainAsm(lo, text, [["b", predicate], ["l", descriptor], ...coordinates.map((c) => ["r", c] as const), ["r", shared]]),
  );
  lo.b.create(nvvm.CpAsyncBulkCommitGroupOp, {});
}

export const TMA_COPIES: readonly LoweringRule[] = [
  rule(AsyncTMACopyGlobalToLocalOp, ({ op, desc, coord, barrier, result, pred, cache, evict, isVolatile }, lo) => {
    if (cache !== "none") return lo.fail(op, "cache modifiers not supported yet");
    if (evict !== "evict_normal") return lo.fail(op, "eviction policy not supported yet");
    if (isVolatile) return lo.fail(op, "volatile not supported yet");
    const { base } = sharedMemoryObject(lo, barrier);
    const descriptor = lo.value(desc);
    const rank = coord.length;
    const text = `@$0 cp.async.bulk.tensor.${rank}d.${lo.forms.tmaSpace}.global.mbarrier::complete_tx::bytes [$1], [$2, {${numbered(3, rank)}}], [$${3 + rank}];`;
    return forMessages(lo, result, lo.allValues(coord), pred, ({ predicate, shared, coordinates }) =>
      plainAsm(lo, text, [["b", predicate], ["r", shared], ["l", descriptor], ...coordinates.map((c) => ["r", c] as const), ["r", base]]),
    );
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
