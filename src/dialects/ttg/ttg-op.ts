/** The common parts of all ttg ops. */
import { isInteger } from "../../ir/builtin-types.js";
import type { MemoryEffect, OpReport } from "../../ir/define-op.js";
import { defineTrait, type Trait } from "../../ir/traits.js";
import type { Value } from "../../ir/value.js";
import { VerifyTensorLayoutsTrait } from "../tt/traits.js";
import type { MemDesc } from "./types.js";

/** The traits of a ttg op: its own, then that of every one. Source: TritonGPUOps.td, TTG_Op. */
export const ttgTraits = (...own: readonly Trait[]): readonly Trait[] => [...own, VerifyTensorLayoutsTrait];

/** The op gives another view of the buffer that it takes. */
export const MemDescViewTrait = defineTrait("MemDescViewTrait");
/** The op loads a tensor from shared memory. */
export const LocalLoadTrait = defineTrait("LocalLoadTrait");

/** The resource of ops that touch shared memory. */
export const SHARED_MEMORY = "SharedMemory";
export const readsShared = (value: Value): MemoryEffect => ({ kind: "read", value, resource: SHARED_MEMORY });
export const writesShared = (value: Value): MemoryEffect => ({ kind: "write", value, resource: SHARED_MEMORY });

/** Barriers are one i64. Source: TritonGPU/Transforms/Utility.cpp, verifyBarrierType. Returns whether it is one. */
export function verifyBarrierType(barrier: Value, report: OpReport): boolean {
  const { elementType, shape } = (barrier.type as MemDesc).params;
  if (isInteger(elementType, 64) && shape.length === 1 && shape[0] === 1) return true;
  report.error("barrier allocation must be a descriptor of 1xi64 type", "ttg.barrier");
  return false;
}
