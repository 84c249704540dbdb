/** The common parts of all ttg ops. */
import type { MemoryEffect } from "../../ir/define-op.js";
import { defineTrait, type Trait } from "../../ir/traits.js";
import type { Value } from "../../ir/value.js";
import { VerifyTensorLayoutsTrait } from "../tt/traits.js";

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
