/** Ops that order instructions and warps. Source: TritonAMDGPUOps.td. */
import { I1, I32Attr, optionalAttr, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { AsyncToken } from "../../ttg/types.js";
import { SchedHintVariantAttr } from "../attrs.js";

export const InstructionSchedHintOp = defineOp("amdg.instruction_sched_hint", () => ({
  summary: "A placeholder op for instruction scheduling hints within a basic block",
  attrs: { variant: SchedHintVariantAttr },
  format: "attr-dict",
}));

export const CondBarrierOp = defineOp("amdg.cond_barrier", () => ({
  summary: "Conditionally set barriers to synchronize partial threads in a block",
  operands: { pred: I1 },
  format: "$pred attr-dict",
}));

export const AsyncWaitOp = defineOp("amdg.async_wait", () => ({
  summary: "Wait until there are less than or equal to the given number of outstanding async intrinsics",
  operands: { asyncToken: variadic(AsyncToken) },
  attrs: { num_inst: I32Attr },
  results: { retToken: AsyncToken },
  format: "($asyncToken^)? attr-dict",
}));

export const MemoryCounterWaitOp = defineOp("amdg.memory_counter_wait", () => ({
  summary: "Wait for specified hardware counters",
  attrs: { load: optionalAttr(I32Attr), store: optionalAttr(I32Attr), ds: optionalAttr(I32Attr) },
  format: "oilist( `load` `(` $load `)` | `store` `(` $store `)` | `ds` `(` $ds `)` ) attr-dict",
}));
