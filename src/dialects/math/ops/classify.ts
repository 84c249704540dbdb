/** Questions about floats. Source: mlir/include/mlir/Dialect/Math/IR/MathOps.td, Math_FloatClassificationOp. */
import { boolAttr, FloatAttr } from "../../../ir/builtin-attrs.js";
import { FLOAT_FORMATS, type FloatKind, isFloat } from "../../../ir/builtin-types.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { decode } from "../../../ir/float.js";
import { isPoison } from "../../../ir/match.js";
import { TypesMatchWith } from "../../../ir/traits.js";
import { BoolLike, FloatLike, i1SameShape } from "../../arith/constraints.js";
import { fastmath, TRAITS } from "./families.js";

function classification(name: string, summary: string, holds: (value: number, kind: FloatKind) => boolean) {
  return defineOp(name, () => ({
    summary,
    operands: { operand: FloatLike },
    attrs: fastmath,
    results: { result: BoolLike },
    traits: [TypesMatchWith("result type has i1 element type and same shape as operands", "operand", "result", i1SameShape), ...TRAITS],
    format: "$operand attr-dict `:` type($operand)",
    // Upstream folds scalars only.
    fold({ op }, [constant]): FoldResult {
      if (isPoison(constant)) return constant;
      if (!FloatAttr.is(constant) || !isFloat(constant.params.type)) return undefined;
      const { kind } = constant.params.type.params;
      return boolAttr(op.ctx, holds(decode(constant.params.bits, kind), kind));
    },
  }));
}
export const IsFiniteOp = classification("math.isfinite", "returns true if the operand classifies as finite", Number.isFinite);
export const IsInfOp = classification(
  "math.isinf",
  "returns true if the operand classifies as infinite",
  (value) => Math.abs(value) === Infinity,
);
export const IsNaNOp = classification("math.isnan", "returns true if the operand classifies as NaN", Number.isNaN);
export const IsNormalOp = classification(
  "math.isnormal",
  "returns true if the operand classifies as normal",
  (value, kind) => Number.isFinite(value) && Math.abs(value) >= 2 ** (1 - FLOAT_FORMATS[kind].bias),
);
