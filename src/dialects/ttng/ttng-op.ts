/** The common parts of ttng ops. Source: TritonNvidiaGPUOps.td, TTNG_Op. */
import type { Type } from "../../ir/attribute.js";
import { intOf } from "../../ir/builtin-attrs.js";
import { isInteger } from "../../ir/builtin-types.js";
import type { MemoryEffect, OpReport } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import type { Trait } from "../../ir/traits.js";
import type { Value } from "../../ir/value.js";
import { VerifyTensorLayoutsTrait } from "../tt/traits.js";
import type { MemDesc } from "../ttg/types.js";

export const ttngTraits = (...own: readonly Trait[]): readonly Trait[] => [...own, VerifyTensorLayoutsTrait];

export const TENSOR_MEMORY = "TensorMemory";
export const readsTensorMemory = (value: Value): MemoryEffect => ({ kind: "read", value, resource: TENSOR_MEMORY });
export const writesTensorMemory = (value: Value): MemoryEffect => ({ kind: "write", value, resource: TENSOR_MEMORY });

/** The attribute of a module: do its matrix instructions run on two CTAs at once? */
export const TWO_CTAS = "ttng.two-ctas";
export const runsOnTwoCTAs = (module: Operation): boolean => intOf(module.attr(TWO_CTAS)) === -1;

export const descOf = (value: Value): MemDesc => value.type as MemDesc;
export const elementOf = (value: Value): Type => descOf(value).params.elementType;

/** Barriers are one i64. Source: TritonGPU/Transforms/Utility.cpp, verifyBarrierType. Returns whether it is one. */
export function verifyBarrierType(barrier: Value, report: OpReport): boolean {
  const { elementType, shape } = descOf(barrier).params;
  if (isInteger(elementType, 64) && shape.length === 1 && shape[0] === 1) return true;
  report.error("barrier allocation must be a descriptor of 1xi64 type", "ttng.barrier");
  return false;
}
