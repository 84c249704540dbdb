import { type ModuleAxisInfo, moduleAxisInfo } from "../../analysis/module-axis-info.js";
import { encodingAttr, encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { enclosingModule, getThreadsPerWarp } from "../../dialects/ttg/num-warps.js";
import { AsyncCopyGlobalToLocalOp } from "../../dialects/ttg/ops/async-copy.js";
import type { MemDesc } from "../../dialects/ttg/types.js";
import { i32Attr } from "../../ir/builtin-attrs.js";
import type { TensorType } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import { getContigPerThread } from "../../layout/encoding-queries.js";
import { makeBlocked } from "../../layout/encodings/blocked.js";
import { toLinearLayout } from "../../layout/to-linear-layout.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { pattern } from "../../rewrite/pattern.js";
import { convertLayout } from "./distributed-op-encoding.js";
import { lookupNumWarps } from "./memory-access.js";

export const coalesceAsyncCopy = definePass("tritongpu-coalesce-async-copy", {
  name: "TritonGPUCoalesceAsyncCopy",
  summary: "Improve coalescing for async global to local copies",
  source: "lib/Dialect/TritonGPU/Transforms/CoalesceAsyncCopy.cpp",
  run(root, { analysis, listener, report }) {
    const axes = analysis(moduleAxisInfo);
    if (axes.recursive) return report.error(axes.recursive, "Cycle detected in call graph");
    applyPatternsGreedily(root, [clipAsyncCopySizePerThread(axes)], { listener });
  },
});

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
    const clipped = encodingAttr(rw.ctx, makeBlocked(request, blocked.cga));
    const convert = (value: Value): Value => convertLayout(rw, value, clipped, op.locRef);
    const src = convert(copy.src);
    const mask = copy.mask && convert(copy.mask);
    const other = copy.other && convert(copy.other);
    const contiguity = Math.min(axes.getContiguity(src), mask ? axes.getMaskAlignment(mask) : Infinity);
    return rw.modify(op, () => {
      op.setOperands([src, copy.result, ...(mask ? [mask] : []), ...(other ? [other] : [])]);
      op.setAttr("contiguity", i32Attr(op.ctx, contiguity));
    });
  });
