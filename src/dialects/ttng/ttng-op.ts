/** The common parts of ttng ops. Source: TritonNvidiaGPUOps.td, TTNG_Op. */
import type { Type } from "../../ir/attribute.js";
import { intOf } from "../../ir/builtin-attrs.js";
import type { MemoryEffect, OpReport } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import type { Trait } from "../../ir/traits.js";
import type { Value } from "../../ir/value.js";
import { VerifyTensorLayoutsTrait } from "../tt/traits.js";
import { toLinearLayout } from "../ttg/encodings/define-encoding.js";
import { enclosingModule, getNumCTAs } from "../ttg/num-warps.js";
import type { MemDesc } from "../ttg/types.js";

/** The traits of an op of this dialect: its own, and that its layouts are verified. */
export const ttngTraits = (...own: readonly Trait[]): readonly Trait[] => [...own, VerifyTensorLayoutsTrait];

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
/** Since 3.8: whether an mbarrier that signals the end of something is one for each CTA. */
export function verifyCompletionBarrier(op: Operation, barrier: Value, report: OpReport): boolean {
  if (!op.ctx.triton.checksMemory) return true;
  const { shape, encoding } = descOf(barrier).params;
  const actual = basesText(toLinearLayout(shape, encoding).getInDimBases("block"));
  const expected = basesText(ownBarriers(op));
  if (actual !== expected) report.error(`completion barrier cga_layout must be ${expected}, got ${actual}`, "ttg.barrier");
  return actual === expected;
}

export const descOf = (value: Value): MemDesc => value.type as MemDesc;
export const elementOf = (value: Value): Type => descOf(value).params.elementType;
