/** Rings of buffers and barriers in shared memory. Source: Pipeliner/PipeliningUtility.cpp. */
import { AddIOp, CmpIOp, ConstantOp, SelectOp } from "../../../dialects/arith/ops/index.js";
import { enclosingModule, getNumCTAs } from "../../../dialects/ttg/num-warps.js";
import { LocalAllocOp, LocalDeallocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { barrierType } from "../../../dialects/ttng/barrier-type.js";
import { InitBarrierOp, InvalBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import type { LocationRef } from "../../../ir/location.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { cgaFromSplitParams } from "../../../layout/encodings/cga.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { createSingleBufferView } from "../../ttg/software-pipelining/buffers.js";

/** The counters of a ring: where the next copy goes, where the next load comes from, and the phase of the barrier that it waits for. */
export interface Indices {
  readonly insert: Value;
  readonly extract: Value;
  /** Only for rings that TMA fills. */
  readonly phase: Value | undefined;
}
export interface Ring extends Indices {
  readonly alloc: Value;
}

/** The number after `counter`, or zero when that is `modulus`: then `wraps` holds. */
export function createIncrementModulo(
  rw: Rewriter,
  options: { readonly loc: LocationRef },
  counter: Value,
  modulus: Value,
  zero: Value,
  one: Value,
): { readonly value: Value; readonly wraps: Value } {
  const plusOne = rw.value(AddIOp, { lhs: counter, rhs: one }, options);
  const wraps = rw.value(CmpIOp, { predicate: "sge", lhs: plusOne, rhs: modulus }, options);
  return { value: rw.value(SelectOp, { condition: wraps, true_value: zero, false_value: plusOne }, options), wraps };
}

/** Makes barriers before an op, each for `arriveCount` arrivals, and frees them after it, or after `last`. */
export function createBarrierAlloc(rw: Rewriter, op: Operation, numBarriers: number, arriveCount = 1, last = op): Value {
  const options = { loc: op.locRef };
  const { ctx } = rw;
  const CTAs = getNumCTAs(enclosingModule(op));
  const types = [barrierType(ctx, CTAs, numBarriers, cgaFromSplitParams([CTAs], [1], [0]))];
  const alloc = rw.setBefore(op).value(LocalAllocOp, {}, { ...options, types });
  const view = (i: number): Value => createSingleBufferView(rw, alloc, rw.value(ConstantOp, { value: i32Attr(ctx, i) }, options));
  for (let i = 0; i < numBarriers; i++) rw.create(InitBarrierOp, { alloc: view(i), count: arriveCount }, options);
  rw.setAfter(last);
  for (let i = 0; i < numBarriers; i++) rw.create(InvalBarrierOp, { alloc: view(i) }, options);
  rw.create(LocalDeallocOp, { src: alloc }, options);
  return alloc;
}
