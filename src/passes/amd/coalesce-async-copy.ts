import { moduleAxisInfo } from "../../analysis/module-axis-info.js";
import { encodingAttr, encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { enclosingModule, getThreadsPerWarp } from "../../dialects/ttg/num-warps.js";
import { AsyncCopyGlobalToLocalOp } from "../../dialects/ttg/ops/async-copy.js";
import type { MemDesc } from "../../dialects/ttg/types.js";
import { type AmdFamily, amdFamilyOf } from "../../gpu/amd.js";
import type { Attribute } from "../../ir/attribute.js";
import { i32Attr } from "../../ir/builtin-attrs.js";
import { bitWidth, type TensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import type { BlockedParams } from "../../layout/encoding-params.js";
import { getContigPerThread } from "../../layout/encoding-queries.js";
import { makeBlocked } from "../../layout/encodings/blocked.js";
import { combineCtaCgaWithShape } from "../../layout/encodings/combine-cta-cga.js";
import { LinearLayout } from "../../layout/linear-layout.js";
import { standardOutDimNames } from "../../layout/standard-dims.js";
import { toLinearLayout } from "../../layout/to-linear-layout.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { pattern } from "../../rewrite/pattern.js";
import { convertLayout } from "../ttg/distributed-op-encoding.js";
import { lookupNumWarps } from "../ttg/memory-access.js";
import { widthToLds } from "./pipeline/shared-encoding.js";

export const coalesceAsyncCopyAmd = definePass("tritonamdgpu-coalesce-async-copy", {
  name: "TritonAMDGPUCoalesceAsyncCopy",
  summary: "Improve coalescing for async global to local copies",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/CoalesceAsyncCopy.cpp",
  options: { archGenerationName: option.string({ default: "", summary: "the GPU: gfx950" }) },
  run(root, { options, analysis, listener, report }) {
    const family = amdFamilyOf(options.archGenerationName);
    if (family !== "CDNA3" && family !== "CDNA4") return;
    const axes = analysis(moduleAxisInfo);
    if (axes.recursive) return report.error(axes.recursive, "Cycle detected in call graph");
    const contiguity = new Map<Operation, number>();
    root.walk((op) => {
      const copy = AsyncCopyGlobalToLocalOp.match(op);
      if (copy) contiguity.set(op, Math.min(axes.getContiguity(copy.src), copy.mask ? axes.getMaskAlignment(copy.mask) : Infinity));
    });
    applyPatternsGreedily(root, [coalesceWrites(contiguity, family)], { listener });
  },
});

/** Lanes of a wave write neighbouring addresses of LDS, each with one instruction: the source gets a layout for that. */
const coalesceWrites = (known: ReadonlyMap<Operation, number>, family: AmdFamily) =>
  pattern("coalesce-async-copy-writes", AsyncCopyGlobalToLocalOp, ({ op, src, result, mask, other }, rw) => {
    const { shape, encoding } = (src.type as TensorType).params;
    const buffer = (result.type as MemDesc).params;
    const blocked = encodingParams(encoding);
    if (blocked?.kind !== "blocked") return rw.noMatch("src encoding must be #blocked", op);
    const shared = encodingParams(buffer.encoding);
    if (shared?.kind !== "swizzled_shared" && shared?.kind !== "padded_shared")
      return rw.noMatch("dst encoding must be #swizzled or #padded", op);
    const memory =
      shared.kind === "padded_shared"
        ? shared.linearComponent
        : toLinearLayout(buffer.allocShape.slice(buffer.allocShape.length - buffer.shape.length), shared);
    const toMemory = toLinearLayout(shape, blocked).invertAndCompose(memory);
    const most = Math.min(known.get(op) ?? 1, toMemory.getNumConsecutiveInOut());
    const width = widthToLds(most, bitWidth(buffer.elementType)!, family);
    if (width === 0) return rw.noMatch("could not find layout config to create coalesced writes", op);
    const threadsPerWarp = getThreadsPerWarp(enclosingModule(op));
    const numWarps = lookupNumWarps(op);
    if (writesCoalesced(toMemory, width)) return rw.noMatch("already writes coalesced", op);
    let wanted: Attribute;
    if (shared.kind === "swizzled_shared") {
      const sizePerThread = getContigPerThread(blocked, shape);
      sizePerThread[blocked.order[0]!] = width;
      wanted = encodingAttr(rw.ctx, makeBlocked({ shape, sizePerThread, order: blocked.order, numWarps, threadsPerWarp }, blocked.cga));
    } else {
      const layout = likeMemory(memory, blocked, shape, { width, threadsPerWarp, numWarps });
      if (!layout || layout.invertAndCompose(memory).getNumConsecutiveInOut() < width)
        return rw.noMatch("the padded layout has no such runs of elements", op);
      wanted = encodingAttr(rw.ctx, { kind: "linear", layout });
    }
    if (wanted === encoding) return rw.noMatch("Unable to find a new src layout to coalesce writes to LDS", op);
    const convert = (value: Value): Value => convertLayout(rw, value, wanted, op.locRef);
    const operands = [convert(src), result, ...[mask, other].flatMap((value) => (value ? [convert(value)] : []))];
    return rw.modify(op, () => {
      op.setOperands(operands);
      op.setAttr("contiguity", i32Attr(op.ctx, width));
    });
  });

function writesCoalesced(toMemory: LinearLayout, width: number): boolean {
  if (toMemory.getNumConsecutiveInOut() !== width) return false;
  return toMemory.getInDimBases("lane").every(([offset], i) => offset === width << i);
}

/** Elements in the order in which they lie in memory: registers, lanes, warps, and registers again for the rest. */
function likeMemory(
  memory: LinearLayout,
  { cga }: BlockedParams,
  shape: readonly number[],
  { width, threadsPerWarp, numWarps }: { readonly width: number; readonly threadsPerWarp: number; readonly numWarps: number },
): LinearLayout | undefined {
  const bases = memory.getInDimBases("offset");
  if (bases.length < Math.log2(width) + Math.log2(threadsPerWarp)) return undefined;
  let next = 0;
  const take = (count: number): number[][] => bases.slice(next, (next += count));
  const [registers, lanes, warps] = [take(Math.log2(width)), take(Math.log2(threadsPerWarp)), take(Math.log2(numWarps))];
  while (warps.length < Math.log2(numWarps)) warps.push(shape.map(() => 0));
  const layout = LinearLayout.fromBases(
    [
      ["register", [...registers, ...bases.slice(next)]],
      ["lane", lanes],
      ["warp", warps],
    ],
    standardOutDimNames(shape.length),
  );
  return combineCtaCgaWithShape(layout, cga, shape);
}
