/** The common parts of all ttg ops. */

import type { Attribute, Type } from "../../ir/attribute.js";
import { isInteger } from "../../ir/builtin-types.js";
import type { MemoryEffect, OpReport } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import { attrText } from "../../ir/text-hook.js";
import { defineTrait, type Trait } from "../../ir/traits.js";
import type { Value } from "../../ir/value.js";
import { getNumCTAs as getNumCTAsOf } from "../../layout/encoding-queries.js";
import { VerifyTensorLayoutsTrait, verifyLayouts } from "../tt/traits.js";
import { encodingParams, toLinearLayout } from "./encodings/define-encoding.js";
import { enclosingModule, getNumCTAs } from "./num-warps.js";
import { type MemDesc, MemDescType } from "./types.js";

/** Since 3.8 the layouts of buffers fit the number of CTAs. Source: lib/Dialect/TritonGPU/IR/Traits.cpp. */
const VerifyMemDescLayoutsTrait = defineTrait("VerifyMemDescLayoutsTrait", {
  dependsOn: "surroundings",
  verify(op, report) {
    if (op.ctx.triton.checksMemory) verifyLayouts(op, report, memDescProblem);
  },
});
function memDescProblem(op: Operation, type: Type): string | undefined {
  const encoding = MemDescType.is(type) ? type.params.encoding : undefined;
  const params = encodingParams(encoding);
  return encoding && params && ctasProblem(op, encoding, getNumCTAsOf(params));
}
/** Why a layout for `ctas` CTAs does not fit the module around an op. */
export function ctasProblem(op: Operation, encoding: Attribute, ctas: number): string | undefined {
  const wanted = getNumCTAs(enclosingModule(op));
  return ctas === wanted
    ? undefined
    : `${attrText(encoding)}.\nLayout has ${ctas} CTAs per CGA, but the context requires ${wanted} CTAs per CGA.`;
}

/** The traits of an op with buffers: its own, then those of every one. Source: TritonGPUOps.td, TTG_Op; TritonNvidiaGPUOps.td, TTNG_Op. */
export const ttgTraits = (...own: readonly Trait[]): readonly Trait[] => [...own, VerifyTensorLayoutsTrait, VerifyMemDescLayoutsTrait];

/** The op gives another view of the buffer that it takes. */
export const MemDescViewTrait = defineTrait("MemDescViewTrait");
/** The op loads a tensor from shared memory. */
export const LocalLoadTrait = defineTrait("LocalLoadTrait");

/** The resource of ops that touch shared memory. */
export const SHARED_MEMORY = "SharedMemory";
export const readsShared = (value: Value): MemoryEffect => ({ kind: "read", value, resource: SHARED_MEMORY });
export const writesShared = (value: Value): MemoryEffect => ({ kind: "write", value, resource: SHARED_MEMORY });

/**
 * Barriers are one i64, or since 3.7 one for each CTA or for each group of CTAs.
 * Source: TritonGPU/Transforms/Utility.cpp, verifyBarrierType. Returns whether it is one.
 */
export function verifyBarrierType(op: Operation, barrier: Value, report: OpReport): boolean {
  const { elementType, shape, encoding } = (barrier.type as MemDesc).params;
  const error = (message: string) => (report.error(message, "ttg.barrier"), false);
  const isRow = isInteger(elementType, 64) && shape.length === 1;
  if (!op.ctx.triton.barriersOfClusters) return (isRow && shape[0] === 1) || error("barrier allocation must be a descriptor of 1xi64 type");
  if (!isRow || shape[0]! > getNumCTAs(enclosingModule(op)))
    return error("barrier allocation must be a descriptor of Nxi64 type with N <= number of CTAs");
  let next = 1;
  for (const [basis = 0] of toLinearLayout(shape, encoding).getInDimBases("block")) {
    if (basis === 0) continue;
    if (basis !== next)
      return error("broadcasted cluster barriers require bases to be the sequence1, 2, 4, 8, ... perhaps with zero bases interleaved.");
    next *= 2;
  }
  return true;
}
