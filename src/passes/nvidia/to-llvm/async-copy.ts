/**
 * Copies from global to shared memory by cp.async. A mask gives the number of bytes to read: the rest is filled with zeros.
 *
 *     cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/LoadStoreOpToLLVM.cpp, AsyncCopyGlobalToLocalOpConversion and others.
 */

import { LLVMPointerType, voidType } from "../../../dialects/llvm/types/types.js";
import { CpAsyncCommitGroupOp, CpAsyncWaitGroupOp } from "../../../dialects/nvvm/ops/index.js";
import { toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import { AsyncCommitGroupOp, AsyncCopyGlobalToLocalOp, AsyncWaitOp } from "../../../dialects/ttg/ops/async-copy.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import { shapedParams } from "../../../ir/builtin-types.js";
import { actionRemoveBroadcastedRegs } from "../../../layout/column-action.js";
import { LayoutError } from "../../../layout/layout-error.js";
import { freeVariableMasks } from "../../ttg-to-llvm/global-access.js";
import { scalarBits } from "../../ttg-to-llvm/ll-builder.js";
import {
  isAddressable,
  linearLayoutOf,
  maskSpanOffsets,
  memDescOf,
  sharedMemoryObject,
  shmemOffset,
} from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { lowerLdSt } from "../../ttg-to-llvm/shared-access.js";
import { laneAndWarpId } from "../../ttg-to-llvm/thread-indices.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import { redundantThreadPredicate } from "./load-store.js";
import type { LoweringRule } from "./nvidia-lowering.js";
import { PtxBuilder } from "./ptx-builder.js";

export const ASYNC_COPIES: readonly LoweringRule[] = [
  rule(AsyncCopyGlobalToLocalOp, ({ op, src, result: buffer, mask, contiguity, token }, lo) => {
    const { b, ctx } = lo;
    const type = memDescOf(buffer);
    if (!isAddressable(lo, op, type)) return false;
    const element = convertType(type.elementType);
    if (LLVMPointerType.is(element)) return lo.fail(op, "cp.async copies numbers, and these elements are pointers", "lower.cp-async");
    const pointers = lo.elements(src);
    const masks = mask ? lo.elements(mask) : undefined;
    const { shape, encoding } = (src.type as TensorType).params;
    const registers = toLinearLayout(shape, encoding!);
    const unique = actionRemoveBroadcastedRegs(registers);
    const items = unique.applyToValues(pointers.map((pointer, i) => ({ pointer, mask: masks?.[i] })));

    let maxVec = lo.axisInfo.getContiguity(src);
    if (mask) maxVec = Math.min(maxVec, lo.axisInfo.getMaskAlignment(mask));
    maxVec = Math.min(Math.max(maxVec, contiguity), 128 / scalarBits(element));
    const vecBytes = (maxVec * scalarBits(element)) / 8;
    if (vecBytes < 4)
      return lo.fail(
        op,
        `cp.async does not support transfers smaller than 4 bytes; calculated this as ${Math.trunc(vecBytes)} bytes`,
        "lower.cp-async",
      );
    if (vecBytes !== 4 && vecBytes !== 8 && vecBytes !== 16)
      return lo.fail(op, `cp.async copies 4, 8 or 16 bytes; ${maxVec} elements that lie together are ${vecBytes}`, "lower.cp-async");
    // Every CTA has its copy in its own shared memory.
    const predicate = redundantThreadPredicate(lo, { ...freeVariableMasks(src.type), block: 0 });

    const object = sharedMemoryObject(lo, buffer);
    const cvt = unique.apply(registers).invertAndCompose(linearLayoutOf(type));
    if (!cvt.isTrivialOver(["block"])) return lo.fail(op, "cp.async does not support non-trivial block dimension", "lower.cp-async");
    const place = {
      layout: cvt.sublayout(["register", "lane", "warp"], ["offset"]),
      element,
      base: object.base,
      affineOffset: shmemOffset(lo, object, type),
      maskSpan: maskSpanOffsets(lo, type),
      maxVecElems: maxVec,
    };
    lowerLdSt(lo, place, items, laneAndWarpId(lo), (values, address, index, vector) => {
      const bytes = (shapedParams(vector).shape[0]! * scalarBits(element)) / 8;
      if (bytes !== 4 && bytes !== 8 && bytes !== 16) throw new LayoutError(`cp.async copies 4, 8 or 16 bytes, and ${bytes} lie together`);
      const item = values[index]!;
      const ptx = new PtxBuilder();
      const to = ptx.address(address, "r");
      const from = ptx.address(item.pointer, "l");
      const size = ptx.hex(bytes);
      const sourceSize = item.mask ? ptx.input(b.select(item.mask, b.i32(bytes), b.i32(0)), "r") : size;
      const guard = predicate && ptx.input(predicate, "b");
      ptx.instruction(["cp.async", bytes === 16 ? "cg" : "ca", "shared", "global"], [to, from, size, sourceSize], guard);
      ptx.launch(b, voidType(ctx));
      return [];
    });
    return lo.setValue(token, b.i32(0));
  }),
  rule(AsyncCommitGroupOp, ({ asyncToken }, lo) => {
    lo.b.create(CpAsyncCommitGroupOp, {});
    lo.setValue(asyncToken, lo.b.i32(0));
  }),
  rule(AsyncWaitOp, ({ num, retToken }, lo) => {
    lo.b.create(CpAsyncWaitGroupOp, { n: num });
    lo.setValue(retToken, lo.b.i32(0));
  }),
];
