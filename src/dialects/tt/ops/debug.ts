/** Printing and assertions on the device. */
import { BoolAttr, DenseI32ArrayAttr, StrAttr, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { SameVariadicOperandSize } from "../../../ir/traits.js";
import { I1OrTensor, TritonType } from "../constraints.js";
import { ttTraits, writesGlobal } from "../tt-op.js";

/** Source: TritonOps.td, TT_PrintOp. */
export const PrintOp = defineOp("tt.print", () => ({
  summary: "Device-side print, as in CUDA for debugging",
  operands: { args: variadic(TritonType) },
  attrs: { prefix: StrAttr, hex: BoolAttr, isSigned: DenseI32ArrayAttr },
  traits: ttTraits(SameVariadicOperandSize),
  format: "$prefix attr-dict (`:` $args^ `:` type($args))?",
  effects: () => [writesGlobal()],
}));

/** Source: TritonOps.td, TT_AssertOp. */
export const AssertOp = defineOp("tt.assert", () => ({
  summary: "Device-side assert, as in CUDA for correctness checking",
  operands: { condition: I1OrTensor },
  attrs: { message: StrAttr },
  traits: ttTraits(),
  format: "$condition `,` $message attr-dict `:` type($condition)",
  effects: () => [writesGlobal()],
}));
