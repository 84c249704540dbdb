/** Arithmetic on floats. Source: mlir/lib/Dialect/Arith/IR/ArithOps.cpp. */
import { defaultAttr } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import * as float from "../../../ir/float-arithmetic.js";
import { foldBinaryFloat, foldUnaryFloat } from "../../../ir/fold-constants.js";
import { isNegZeroFloat, isOneFloat, isPosZeroFloat } from "../../../ir/match.js";
import { Commutative, Pure, SameOperandsAndResultType } from "../../../ir/traits.js";
import { FAST_MATH, FastMathC } from "../attrs.js";
import { FloatLike } from "../constraints.js";
import { ELEMENTWISE, floatBinary } from "./families.js";

export const NegFOp = defineOp("arith.negf", () => ({
  summary: "floating point negation",
  operands: { operand: FloatLike },
  attrs: { fastmath: defaultAttr(FastMathC, FAST_MATH.none) },
  results: { result: FloatLike },
  traits: [SameOperandsAndResultType, Pure, ...ELEMENTWISE],
  format: "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)",
  fold({ operand }, constants): FoldResult {
    const inner = NegFOp.match(operand.definingOp);
    return inner ? inner.operand : foldUnaryFloat(constants, float.negate);
  },
}));

export const AddFOp = floatBinary("arith.addf", "floating point addition operation", [Commutative], ({ lhs }, constants): FoldResult => {
  if (isNegZeroFloat(constants[1])) return lhs;
  return foldBinaryFloat(constants, float.add);
});
export const SubFOp = floatBinary("arith.subf", "floating point subtraction operation", [], ({ lhs }, constants): FoldResult => {
  if (isPosZeroFloat(constants[1])) return lhs;
  return foldBinaryFloat(constants, float.subtract);
});
export const MulFOp = floatBinary(
  "arith.mulf",
  "floating point multiplication operation",
  [Commutative],
  ({ lhs }, constants): FoldResult => {
    if (isOneFloat(constants[1])) return lhs;
    return foldBinaryFloat(constants, float.multiply);
  },
);
export const DivFOp = floatBinary("arith.divf", "floating point division operation", [], ({ lhs }, constants): FoldResult => {
  if (isOneFloat(constants[1])) return lhs;
  return foldBinaryFloat(constants, float.divide);
});
export const RemFOp = floatBinary(
  "arith.remf",
  "floating point division remainder operation",
  [],
  (_view, constants): FoldResult => foldBinaryFloat(constants, float.remainder),
);
