/** The common parts of ttng ops. Source: TritonNvidiaGPUOps.td, TTNG_Op. */
import type { Type } from "../../ir/attribute.js";
import { intOf } from "../../ir/builtin-attrs.js";
import type { MemoryEffect } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import type { Trait } from "../../ir/traits.js";
import type { Value } from "../../ir/value.js";
import { VerifyTensorLayoutsTrait } from "../tt/traits.js";
import type { MemDesc } from "../ttg/types.js";

/** The traits of an op of this dialect: its own, and that its layouts are verified. */
export const ttngTraits = (...own: readonly Trait[]): readonly Trait[] => [...own, VerifyTensorLayoutsTrait];

export const TENSOR_MEMORY = "TensorMemory";
export const readsTensorMemory = (value: Value): MemoryEffect => ({ kind: "read", value, resource: TENSOR_MEMORY });
export const writesTensorMemory = (value: Value): MemoryEffect => ({ kind: "write", value, resource: TENSOR_MEMORY });

/** The attribute of a module: do its matrix instructions run on two CTAs at once? */
export const TWO_CTAS = "ttng.two-ctas";
export const runsOnTwoCTAs = (module: Operation): boolean => intOf(module.attr(TWO_CTAS)) === -1;

export const descOf = (value: Value): MemDesc => value.type as MemDesc;
export const elementOf = (value: Value): Type => descOf(value).params.elementType;
