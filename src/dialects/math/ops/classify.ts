/** Questions about floats. Source: mlir/include/mlir/Dialect/Math/IR/MathOps.td, Math_FloatClassificationOp. */
import { FLOAT_FORMATS, type FloatKind, i1 } from "../../../ir/builtin-types.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { decode } from "../../../ir/float.js";
import { foldFloatTest } from "../../../ir/fold-constants.js";
import { TypesMatchWith } from "../../../ir/traits.js";
import { BoolLike, FloatLike, i1SameShape } from "../../arith/constraints.js";
import { fastmath, TRAITS } from "./families.js";

function classification(name: string, summary: string, holds: (value: number, kind: FloatKind) => boolean) {
  return defineOp(name, {
    summary,
    operands: { operand: FloatLike },
    attrs: fastmath,
    results: { result: BoolLike },
    traits: [TypesMatchWith("result type has i1 element type and same shape as operands", "operand", "result", i1SameShape), ...TRAITS],
    format: "$operand attr-dict `:` type($operand)",
    fold: ({ op }, constants): FoldResult => foldFloatTest(constants, i1(op.ctx), (bits, kind) => holds(decode(bits, kind), kind)),
  });
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
