/** Traits and memory effects that tt ops share. */
import type { MemoryEffect } from "../../ir/define-op.js";
import type { Trait } from "../../ir/traits.js";
import type { Value } from "../../ir/value.js";
import { TensorSizeTrait, VerifyTensorLayoutsTrait } from "./traits.js";

/** The traits of a tt op: its own, then those of every one. Source: TritonOps.td, TT_Op. */
export const ttTraits = (...own: readonly Trait[]): readonly Trait[] => [...own, TensorSizeTrait, VerifyTensorLayoutsTrait];

/** The resource of ops that touch the GPU's global memory. */
export const GLOBAL_MEMORY = "GlobalMemory";
export const readsGlobal = (value: Value): MemoryEffect => ({ kind: "read", value, resource: GLOBAL_MEMORY });
export const writesGlobal = (value?: Value): MemoryEffect => ({ kind: "write", value, resource: GLOBAL_MEMORY });
/** Read and write of nobody knows what: code from elsewhere that is not called pure. */
export const UNKNOWN_EFFECTS: readonly MemoryEffect[] = [{ kind: "write" }, { kind: "read" }];
