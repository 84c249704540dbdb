import { type ModuleAxisInfo, moduleAxisInfo } from "../../analysis/module-axis-info.js";
import { encodingAttr, encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { enclosingModule, getThreadsPerWarp } from "../../dialects/ttg/num-warps.js";
import { AsyncCopyGlobalToLocalOp } from "../../dialects/ttg/ops/async-copy.js";
import type { MemDesc } from "../../dialects/ttg/types.js";
import type { Attribute } from "../../ir/attribute.js";
import { i32Attr } from "../../ir/builtin-attrs.js";
import { bitWidth, numElements, type TensorType } from "../../ir/builtin-types.js";
import type { View } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { getContigPerThread } from "../../layout/encoding-queries.js";
import { makeBlocked } from "../../layout/encodings/blocked.js";
import { toLinearLayout } from "../../layout/to-linear-layout.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { pattern } from "../../rewrite/pattern.js";
import type { Rewriter } from "../../rewrite/rewriter.js";
import { CoalescedLayouts } from "./coalesce/coalesced-layouts.js";
import { convertLayout } from "./distributed-op-encoding.js";
import { lookupNumWarps } from "./memory-access.js";

export const coalesceAsyncCopy = definePass("tritongpu-coalesce-async-copy", {
  name: "TritonGPUCoalesceAsyncCopy",
  summary: "Improve coalescing for async global to local copies",
  source: "lib/Dialect/TritonGPU/Transforms/CoalesceAsyncCopy.cpp",
  run(root, { analysis, listener, report }) {
    const axes = analysis(moduleAxisInfo);
    if (axes.recursive) return report.error(axes.recursive, "Cycle detected in call graph");
    applyPatternsGreedily(root, [clipAsyncCopySizePerThread(axes), ...smallCopies(root, axes)], { listener });
  },
});

/** The pattern for small copies, with the layouts that suit memory; none before 3.7. */
function smallCopies(root: Operation, axes: ModuleAxisInfo) {
  if (!root.ctx.triton.coalescesSmallCopies) return [];
  const coalesced = new CoalescedLayouts(root, axes, getThreadsPerWarp(root));
  const layouts = new Map<Operation, Attribute>();
  root.walk((op) => {
    if (AsyncCopyGlobalToLocalOp.is(op)) layouts.set(op, encodingAttr(root.ctx, coalesced.layoutFor(op).layout));
  });
  return [coalesceSmallCopy(axes, layouts)];
}

const clipAsyncCopySizePerThread = (axes: ModuleAxisInfo) =>
  pattern("clip-async-copy-size-per-thread", AsyncCopyGlobalToLocalOp, (copy, rw) => {
    const { op } = copy;
    const { shape, encoding } = (copy.src.type as TensorType).params;
    const buffer = (copy.result.type as MemDesc).params;
    const blocked = encodingParams(encoding);
    if (blocked?.kind !== "blocked") return rw.noMatch("src must be of blocked encoding");
    const shared = encodingParams(buffer.encoding);
    if (shared?.kind !== "swizzled_shared") return rw.noMatch("the buffer is not swizzled");
    // A view of a larger buffer lies in memory as that one does.
    const bufferLayout = toLinearLayout(buffer.allocShape.slice(buffer.allocShape.length - buffer.shape.length), shared);
    const copyContigSize = toLinearLayout(shape, blocked).invertAndCompose(bufferLayout).getNumConsecutiveInOut();
    const sizePerThread = getContigPerThread(blocked, shape);
    const fastest = blocked.order[0]!;
    if (sizePerThread[fastest]! <= copyContigSize)
      return rw.noMatch("blocked sizePerThread along contiguous dim must be greater than the max contiguous copy size");
    sizePerThread[fastest] = copyContigSize;
    const request = {
      shape,
      sizePerThread,
      order: blocked.order,
      numWarps: lookupNumWarps(op),
      threadsPerWarp: getThreadsPerWarp(enclosingModule(op)),
    };
    return retarget(rw, copy, encodingAttr(rw.ctx, makeBlocked(request, blocked.cga)), axes);
  });

/** Few elements, whose layout was left to their users, are copied in the layout that suits memory (since 3.7). */
const coalesceSmallCopy = (axes: ModuleAxisInfo, layouts: ReadonlyMap<Operation, Attribute>) =>
  pattern("coalesce-small-copy", AsyncCopyGlobalToLocalOp, (copy, rw) => {
    const { op } = copy;
    const { shape, encoding } = (copy.src.type as TensorType).params;
    const threads = lookupNumWarps(op) * getThreadsPerWarp(enclosingModule(op));
    if (numElements(shape) >= threads) return rw.noMatch("there is an element for each thread");
    if ((bitWidth((copy.result.type as MemDesc).params.elementType) ?? 0) < 32) return rw.noMatch("elements of less than 4 bytes");
    const wanted = layouts.get(op);
    if (!wanted || wanted === encoding) return rw.noMatch("it has the layout that suits memory");
    return retarget(rw, copy, wanted, axes);
  });

/** Copies in another layout. */
function retarget(rw: Rewriter, copy: View<typeof AsyncCopyGlobalToLocalOp>, encoding: Attribute, axes: ModuleAxisInfo): boolean {
  const { op } = copy;
  const convert = (value: Value): Value => convertLayout(rw, value, encoding, op.locRef);
  const src = convert(copy.src);
  const mask = copy.mask && convert(copy.mask);
  const other = copy.other && convert(copy.other);
  const contiguity = Math.min(axes.getContiguity(src), mask ? axes.getMaskAlignment(mask) : Infinity);
  return rw.modify(op, () => {
    op.setOperands([src, copy.result, ...(mask ? [mask] : []), ...(other ? [other] : [])]);
    op.setAttr("contiguity", i32Attr(op.ctx, contiguity));
  });
}
