/** The common parts of the math ops: one function for each base class of MathOps.td. */
import { defaultAttr } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { type FloatCalculate, foldBinaryFloat, foldUnaryFloat, foldUnaryInt, type IntCalculate } from "../../../ir/fold-constants.js";
import { Elementwise, Pure, SameOperandsAndResultType, Scalarizable, Tensorizable, type Trait, Vectorizable } from "../../../ir/traits.js";
import { FAST_MATH, FastMathC } from "../../arith/attrs.js";
import { FloatLike, SignlessIntegerOrIndexLike } from "../../arith/constraints.js";

export const TRAITS: readonly Trait[] = [Pure, Elementwise, Scalarizable, Vectorizable, Tensorizable];
export const fastmath = { fastmath: defaultAttr(FastMathC, FAST_MATH.none) } as const;

/** Math_FloatUnaryOp. `calculate` folds it; without one it does not fold. */
export function floatUnary(name: string, summary: string, calculate?: FloatCalculate<[bigint]>) {
  return defineOp(name, () => ({
    summary,
    operands: { operand: FloatLike },
    attrs: fastmath,
    results: { result: FloatLike },
    traits: [SameOperandsAndResultType, ...TRAITS],
    format: "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)",
    fold: (_view, constants): FoldResult => (calculate ? foldUnaryFloat(constants, calculate) : undefined),
  }));
}
/** Math_FloatBinaryOp */
export function floatBinary(name: string, summary: string, calculate: FloatCalculate<[bigint, bigint]>) {
  return defineOp(name, () => ({
    summary,
    operands: { lhs: FloatLike, rhs: FloatLike },
    attrs: fastmath,
    results: { result: FloatLike },
    traits: [SameOperandsAndResultType, ...TRAITS],
    format: "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)",
    fold: (_view, constants): FoldResult => foldBinaryFloat(constants, calculate),
  }));
}
/** Math_IntegerUnaryOp */
export function intUnary(name: string, summary: string, calculate: IntCalculate<[bigint]>) {
  return defineOp(name, () => ({
    summary,
    operands: { operand: SignlessIntegerOrIndexLike },
    results: { result: SignlessIntegerOrIndexLike },
    traits: [SameOperandsAndResultType, ...TRAITS],
    format: "$operand attr-dict `:` type($result)",
    fold: (_view, constants): FoldResult => foldUnaryInt(constants, calculate),
  }));
}
