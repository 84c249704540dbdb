/** The common parts of ttng ops. Source: TritonNvidiaGPUOps.td, TTNG_Op. */
import type { Type } from "../../ir/attribute.js";
import { intOf } from "../../ir/builtin-attrs.js";
import type { MemoryEffect, OpReport } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { getCTALayout } from "../../layout/encoding-queries.js";
import { encodingParams } from "../ttg/encodings/define-encoding.js";
import { enclosingModule, getNumCTAs } from "../ttg/num-warps.js";
import type { MemDesc } from "../ttg/types.js";

export { ttgTraits as ttngTraits } from "../ttg/ttg-op.js";

export const TENSOR_MEMORY = "TensorMemory";
export const readsTensorMemory = (value: Value): MemoryEffect => ({ kind: "read", value, resource: TENSOR_MEMORY });
export const writesTensorMemory = (value: Value): MemoryEffect => ({ kind: "write", value, resource: TENSOR_MEMORY });

/** The attribute of a module: do its matrix instructions run on two CTAs at once? */
export const TWO_CTAS = "ttng.two-ctas";
export const runsOnTwoCTAs = (module: Operation): boolean => intOf(module.attr(TWO_CTAS)) === -1;

/** `[[1], [2]]`. */
export const basesText = (bases: readonly (readonly number[])[]): string => `[${bases.map((basis) => `[${basis.join(", ")}]`).join(", ")}]`;
/** The bases of mbarriers that are one for each CTA. */
export const ownBarriers = (op: Operation): number[][] =>
  Array.from({ length: Math.log2(getNumCTAs(enclosingModule(op))) }, (_, i) => [2 ** i]);
/** The bases of how CTAs share an mbarrier, whatever its shape. */
export const ctasOfBarrier = (barrier: Value): readonly (readonly number[])[] =>
  getCTALayout(encodingParams(descOf(barrier).params.encoding)!)?.getInDimBases("block") ?? [];
/** Since 3.8: whether an mbarrier that signals the end of something is one for each CTA. */
export function verifyCompletionBarrier(op: Operation, barrier: Value, report: OpReport): boolean {
  if (!op.ctx.triton.checksMemory) return true;
  const actual = basesText(ctasOfBarrier(barrier));
  const expected = basesText(ownBarriers(op));
  if (actual !== expected) report.error(`completion barrier cga_layout must be ${expected}, got ${actual}`, "ttg.barrier");
  return actual === expected;
}

export const descOf = (value: Value): MemDesc => value.type as MemDesc;
export const elementOf = (value: Value): Type => descOf(value).params.elementType;
