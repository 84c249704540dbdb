/** Addresses of buffers, a lock, and assertions of one thread. Source: TritonInstrumentOps.td. */
import { BoolAttr, DenseI32ArrayAttr, I1, I64, i32EnumAttr, optional, StrAttr } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { Pure } from "../../../ir/traits.js";
import { I1OrTensor, PtrLike, Tensor } from "../../tt/constraints.js";
import { GLOBAL_MEMORY } from "../../tt/tt-op.js";
import { MemDescOperand } from "../../ttg/types.js";

const writesSomething = () => [{ kind: "write", resource: GLOBAL_MEMORY } as const];

export const MemTypeAttr = i32EnumAttr("MemType", "", { shared_mem: 0, tensor_mem: 1 });
/** Shared memory or tensor memory. */
export type MemType = "shared_mem" | "tensor_mem";

export const ExperimentalAssertInThreadOp = defineOp("tti.experimental_assert_in_thread", () => ({
  summary: "assert the condition within the current thread",
  operands: { condition: I1OrTensor },
  attrs: { message: StrAttr, check_any: BoolAttr },
  format: "$condition `,` $message attr-dict `:` type($condition)",
  effects: writesSomething,
}));

export const ExperimentalBufferPointersOp = defineOp("tti.experimental_buffer_pointers", () => ({
  summary: "definte an array of pointers to shared memory buffers",
  attrs: { offsets: DenseI32ArrayAttr, memType: MemTypeAttr },
  results: { result: Tensor },
  traits: [Pure],
  format: "$offsets `,` $memType attr-dict `:` type($result)",
}));

export const ExperimentalMemDescToI64Op = defineOp("tti.experimental_memdesc_to_i64", () => ({
  summary: "Convert a memdesc into its base pointer as i64",
  operands: { memdesc: MemDescOperand },
  results: { result: I64 },
  traits: [Pure],
  format: "$memdesc attr-dict `:` type($memdesc)",
}));

export const ExperimentalLockAcquireOp = defineOp("tti.experimental_lock_acquire", () => ({
  summary: "Acquire a lock.",
  operands: { lock: PtrLike, pred: optional(I1) },
  format: "$lock (`,` $pred^)? attr-dict `:` type($lock)",
  effects: writesSomething,
}));

export const ExperimentalLockReleaseOp = defineOp("tti.experimental_lock_release", () => ({
  summary: "Release a lock.",
  operands: { lock: PtrLike, pred: optional(I1) },
  format: "$lock (`,` $pred^)? attr-dict `:` type($lock)",
  effects: writesSomething,
}));
