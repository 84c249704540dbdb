/**
 * Scales of a tcgen05 instruction that are loaded from shared memory and brought into the order of tensor memory by reshapes and a
 * transposition: the instruction gets the buffer itself, and copies it in that order.
 * Source: lib/Dialect/TritonGPU/Transforms/OptimizeDotOperands.cpp, UseShmemForScales.
 */
import { DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { ReshapeOp, TransOp } from "../../../dialects/tt/ops/shape.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { throughConversions } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp, LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import { inferMemDescReshape, MemDescReshapeOp, MemDescTransOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import { TensorMemoryScalesEncoding } from "../../../dialects/ttng/attrs.js";
import { TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { bitWidth, type TensorType } from "../../../ir/builtin-types.js";
import type { LocationRef } from "../../../ir/location.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { isInnermostContiguous } from "../../../layout/encoding-queries.js";
import { pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

const ORDER = [0, 3, 2, 1, 4];

export const useShmemForScales = pattern("use-shmem-for-scales", TCGen5MMAScaledOp, (mma, rw) => {
  const scales = [mma.a_scale, mma.b_scale].filter((scale) => TensorMemoryScalesEncoding.is((scale.type as MemDesc).params.encoding));
  let changed = false;
  for (const scale of scales) if (rewriteScale(rw, mma.op, scale)) changed = true;
  return changed || rw.noMatch("no scales from shared memory in that order");
});

const hasShape = (value: Value, shape: readonly number[]): boolean => (value.type as TensorType).params.shape.join() === shape.join();

function rewriteScale(rw: Rewriter, mma: Operation, scale: Value): boolean {
  const alloc = TMEMAllocOp.match(scale.definingOp);
  if (!alloc?.src) return false;
  const shape2D = (alloc.result.type as MemDesc).params.shape as readonly [number, number];
  const shape5D = [Math.trunc(shape2D[0] / 128), Math.trunc(shape2D[1] / 4), 32, 4, 4];
  const reshape2D = ReshapeOp.match(throughConversions(alloc.src).definingOp);
  if (!reshape2D || !hasShape(reshape2D.result, shape2D)) return false;
  const trans = TransOp.match(throughConversions(reshape2D.src).definingOp);
  if (trans?.order.join() !== ORDER.join()) return false;
  const reshape5D = ReshapeOp.match(throughConversions(trans.src).definingOp);
  if (!reshape5D || !hasShape(reshape5D.result, shape5D)) return false;
  const load = LocalLoadOp.match(throughConversions(reshape5D.src).definingOp);
  if (!load) return false;
  const filled = LocalAllocOp.match(load.src.definingOp)?.src;
  const byTMA = filled !== undefined && DescriptorLoadOp.is(throughConversions(filled).definingOp);
  if (!isTmemCopyCompatible(load.src.type as MemDesc, byTMA)) return false;
  return rw.preserving(() => {
    rw.setBefore(alloc);
    const wide = reshaped(rw, load.src, shape5D, reshape5D.op.locRef);
    if (!wide) return false;
    const turned = rw.value(MemDescTransOp, { src: wide, order: ORDER }, { loc: trans.op.locRef });
    const flat = reshaped(rw, turned, shape2D, reshape2D.op.locRef);
    if (!flat) return false;
    rw.setOperand(mma, mma.operands.indexOf(scale), flat);
    return rw.erase(alloc);
  });
}
function reshaped(rw: Rewriter, src: Value, shape: readonly number[], loc: LocationRef): Value | undefined {
  const type = inferMemDescReshape(src.type as MemDesc, shape);
  return typeof type === "string" ? undefined : rw.value(MemDescReshapeOp, { src }, { loc, types: [type] });
}

/** The copy takes chunks of 32 rows of 128 bits that lie in one piece. */
function isTmemCopyCompatible({ params: { shape, elementType, encoding } }: MemDesc, byTMA: boolean): boolean {
  const layout = encodingParams(encoding);
  if (!layout || !isInnermostContiguous(layout, shape, 512)) return false;
  if (byTMA) return true;
  return shape.length === 2 && (shape[1]! * bitWidth(elementType)!) % (32 * 128) === 0;
}
