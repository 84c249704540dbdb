/**
 * Layouts that keep the elements of a reduction or a gather within threads or warps.
 * Source: lib/Dialect/TritonGPU/Transforms/OptimizeThreadLocality.cpp, the patterns.
 */
import { GatherOp } from "../../../dialects/tt/ops/gather.js";
import { ReduceOp } from "../../../dialects/tt/ops/reduce.js";
import { ReshapeOp } from "../../../dialects/tt/ops/shape.js";
import { distributedParams, encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { enclosingModule, getNumCTAs, getThreadsPerWarp } from "../../../dialects/ttg/num-warps.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import type { Attribute } from "../../../ir/attribute.js";
import { unitAttr } from "../../../ir/builtin-attrs.js";
import { type TensorType, withEncoding } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { getCTALayout, getOrder, getThreadOrder, getWarpOrder, isExpensiveView } from "../../../layout/encoding-queries.js";
import { makeBlockedForCTAs } from "../../../layout/encodings/blocked.js";
import { getCTAsPerCGA } from "../../../layout/encodings/cga.js";
import { pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { convertLayout } from "../distributed-op-encoding.js";
import { lookupNumWarps } from "../memory-access.js";

const typeOf = (value: Value): TensorType => value.type as TensorType;

/** The result gets another layout, marked as chosen on purpose; users see it converted back. */
function relayResult(rw: Rewriter, op: Operation, encoding: Attribute): void {
  const result = op.result(0);
  const { type } = result;
  rw.setAfter(op);
  rw.modify(op, () => {
    op.setResultType(0, withEncoding(type as TensorType, encoding));
    op.setAttr("efficient_layout", unitAttr(op.ctx));
  });
  const back = rw.create(ConvertLayoutOp, { src: result }, { loc: op.locRef, types: [type] });
  rw.replaceUsesWhere(result, back.result, (use) => use.owner !== back.op);
}

/** A reshape that may reorder elements puts those that are reduced into one thread. */
export const optimizeReshapeLayout = pattern("optimize-reshape-layout", ReshapeOp, (view, rw) => {
  if (!view.allow_reorder) return rw.noMatch("elements may not be reordered");
  const axes = new Set(view.result.users().flatMap((user) => ReduceOp.match(user)?.axis ?? []));
  const [axis] = axes;
  if (axis === undefined || axes.size > 1) return rw.noMatch("not reduced, or along several axes");
  const { shape, encoding } = typeOf(view.result).params;
  const params = distributedParams(encoding);
  if (!params) return rw.noMatch("no layout");
  if (
    params.kind === "blocked" &&
    [params.threadsPerWarp, params.warpsPerCTA, getCTAsPerCGA(params.cga)].every((sizes) => sizes[axis] === 1)
  )
    return rw.noMatch("the elements are in one thread already");
  // The axis comes last, so that threads are spread along the others first.
  const order = [...getOrder(params, shape).filter((dim) => dim !== axis), axis];
  const module = enclosingModule(view.op);
  const request = {
    shape,
    sizePerThread: shape.map(() => 1),
    order,
    numWarps: lookupNumWarps(view.op),
    threadsPerWarp: getThreadsPerWarp(module),
  };
  const local = makeBlockedForCTAs(request, getNumCTAs(module));
  const attr = encodingAttr(rw.ctx, local);
  if (attr === encoding) return rw.noMatch("the layout is the best one already");
  const source = typeOf(view.src).params;
  if (isExpensiveView(distributedParams(source.encoding)!, source.shape, local, shape)) return rw.noMatch("the reshape would move data");
  relayResult(rw, view.op, attr);
  return true;
});

/** A gather whose columns each lie in one warp needs shuffles only: as few as possible, with many lanes along the axis. */
export const optimizeGatherLayout = pattern("optimize-gather-layout", GatherOp, (gather, rw) => {
  const { op, axis } = gather;
  if (gather.efficient_layout) return rw.noMatch("the layout was chosen already");
  const { shape, encoding } = typeOf(gather.src).params;
  const rank = shape.length;
  if (rank === 1) return rw.noMatch("one dimension");
  const params = distributedParams(encoding);
  if (!params) return rw.noMatch("no layout");
  const numThreads = getThreadsPerWarp(enclosingModule(op));
  const threadsPerWarp = new Array<number>(rank).fill(0);
  const warpsPerCTA = new Array<number>(rank).fill(0);
  const order = [axis];
  threadsPerWarp[axis] = Math.min(shape[axis]!, numThreads);
  let threads = Math.trunc(numThreads / threadsPerWarp[axis]!);
  for (const dim of getThreadOrder(params, shape)) {
    if (dim === axis) continue;
    order.push(dim);
    threadsPerWarp[dim] = Math.min(shape[dim]!, threads);
    threads = Math.trunc(threads / threadsPerWarp[dim]!);
  }
  warpsPerCTA[axis] = 1;
  let warps = lookupNumWarps(op);
  for (const dim of getWarpOrder(params, shape)) {
    if (dim === axis) continue;
    warpsPerCTA[dim] = Math.min(Math.trunc(shape[dim]! / threadsPerWarp[dim]!), warps);
    warps = Math.trunc(warps / warpsPerCTA[dim]!);
  }
  const sizePerThread = shape.map((size, d) => (d === axis ? Math.trunc(size / threadsPerWarp[axis]!) : 1));
  // The remaining threads and warps repeat along the axis.
  threadsPerWarp[axis]! *= threads;
  warpsPerCTA[axis]! *= warps;
  const local = encodingAttr(rw.ctx, { kind: "blocked", sizePerThread, threadsPerWarp, warpsPerCTA, order, cga: getCTALayout(params)! });
  const src = convertLayout(rw, gather.src, local, op.locRef);
  const indices = convertLayout(rw, gather.indices, local, op.locRef);
  rw.modify(op, () => {
    op.setOperand(0, src);
    op.setOperand(1, indices);
  });
  relayResult(rw, op, local);
  return true;
});
