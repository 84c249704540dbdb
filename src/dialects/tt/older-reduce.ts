import type { TensorType } from "../../ir/builtin-types.js";
import { AnyType, I32Attr, i32EnumAttr } from "../../ir/constraints.js";
import { defineOp } from "../../ir/define-op.js";
import { Pure } from "../../ir/traits.js";
import { Tensor } from "./constraints.js";

/** How 2.0 combined two elements; since 2.1 a region says so. Source: TritonAttrDefs.td of 2.0, TT_RedOpAttr. */
export const RedOpAttr = i32EnumAttr("redOp", "", {
  add: 1,
  fadd: 2,
  min: 3,
  max: 4,
  umin: 5,
  umax: 6,
  argmin: 7,
  argmax: 8,
  argumin: 9,
  argumax: 10,
  fmin: 11,
  fmax: 12,
  argfmin: 13,
  argfmax: 14,
  xor: 15,
});

/** `tt.reduce %x {axis = 0 : i32, redOp = 2 : i32} : tensor<1024xf32> -> f32` */
export const OldReduceOp = defineOp("tt.reduce", () => ({
  summary: "reduce",
  operands: { operand: Tensor },
  attrs: { axis: I32Attr, redOp: RedOpAttr },
  results: { result: AnyType },
  traits: [Pure],
  format: "$operand attr-dict `:` type($operand) `->` type($result)",
  verify({ operand, axis }, report) {
    const { length } = (operand.type as TensorType).params.shape;
    if (axis < 0 || axis >= length) report.error(`axis ${axis} is none of the operand's ${length} dimensions`, "verify.op");
  },
}));
