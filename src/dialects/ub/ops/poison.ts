import { AnyType } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { ConstantLike, Pure } from "../../../ir/traits.js";
import { PoisonAttrC, poisonAttr } from "../attrs.js";

/** Source: mlir/include/mlir/Dialect/UB/IR/UBOps.td, PoisonOp. */
export const PoisonOp = defineOp("ub.poison", () => ({
  summary: "Poisoned constant operation.",
  attrs: { value: { constraint: PoisonAttrC, optional: false, default: poisonAttr } },
  results: { result: AnyType },
  traits: [ConstantLike, Pure],
  format: "attr-dict (`<` $value^ `>`)? `:` type($result)",
  fold: ({ value }): FoldResult => value,
}));
