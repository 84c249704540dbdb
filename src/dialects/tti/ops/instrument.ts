/** Addresses of buffers, a lock, assertions of one thread, and a dot of bytes. Source: TritonInstrumentOps.td. */
import type { TensorType } from "../../../ir/builtin-types.js";
import { BoolAttr, DenseI32ArrayAttr, I1, I8, I32, I64, i32EnumAttr, optional, rankedTensorOf, StrAttr } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { Pure } from "../../../ir/traits.js";
import { I1OrTensor, PtrLike, Tensor } from "../../tt/constraints.js";
import { inferLayoutOf } from "../../tt/infer-layout.js";
import { DotOpTrait } from "../../tt/op-interfaces.js";
import { PlainDot, ResultIsAccumulator } from "../../tt/ops/dot.js";
import { GLOBAL_MEMORY } from "../../tt/tt-op.js";
import { DotOperandEncoding } from "../../ttg/encodings/dot-op.js";
import { NvidiaMmaEncoding } from "../../ttg/encodings/nvidia-mma.js";
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

const Bytes = rankedTensorOf(I8);
const Words = rankedTensorOf(I32);
export const DotI8Op = defineOp("tti.dot_i8", () => ({
  summary: "non-saturating NVIDIA MMAv2 i8 dot",
  operands: { a: Bytes, b: Bytes, c: Words },
  attrs: { aSigned: BoolAttr, bSigned: BoolAttr },
  results: { d: Words },
  traits: [Pure, DotOpTrait, ResultIsAccumulator],
  interfaces: [PlainDot],
  format: "$a `,` $b `,` $c `,` `aSigned` `=` $aSigned `,` `bSigned` `=` $bSigned attr-dict `:` type($a) `*` type($b) `->` type($d)",
  verify({ op, a, b, d }, report) {
    const error = (message: string) => void report.plain(message, "tti.dot_i8");
    const [ofA, ofB, ofD] = [a, b, d].map(({ type }) => (type as TensorType).params.encoding);
    if (!DotOperandEncoding.is(ofA) || !DotOperandEncoding.is(ofB)) return error("requires dot operand encodings for A and B");
    const layouts = [ofA.params.parent, ofB.params.parent, ofD];
    if (!layouts.every((layout) => NvidiaMmaEncoding.is(layout) && layout.params.versionMajor === 2))
      return error("requires NVIDIA MMAv2 operand and result layouts");
    if (layouts.some((layout) => layout !== ofD)) return error("requires matching NVIDIA MMAv2 layouts");
    inferLayoutOf(ofD!, error)?.verifyDotOpEncodingCompatibility(op, ofA, ofB, error);
  },
}));
