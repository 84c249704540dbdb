/** Arithmetic on pairs of elements at once, as the author of a kernel asks for it (since 3.8). Source: what Triton 3.8.0 takes and prints. */
import { i32EnumAttr, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { Pure } from "../../../ir/traits.js";
import { FloatTensor, Tensor } from "../../tt/constraints.js";
import { ttngTraits } from "../ttng-op.js";

export const PackedArithKindAttr = i32EnumAttr("PackedArithKind", "", { add: 0, sub: 1, mul: 2, fma: 3, min: 4, max: 5 });

export const PackedArithOp = defineOp("ttng.packed_arith", () => ({
  summary: "packed arithmetic",
  operands: { operands: variadic(Tensor) },
  attrs: { op_kind: PackedArithKindAttr },
  results: { result: FloatTensor },
  traits: ttngTraits(Pure),
  format: "$op_kind $operands attr-dict `:` functional-type($operands, results)",
}));
