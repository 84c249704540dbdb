/** Functions of floats. Source: mlir/include/mlir/Dialect/Math/IR/MathOps.td, mlir/lib/Dialect/Math/IR/MathOps.cpp. */
import { defineOp } from "../../../ir/define-op.js";
import { decode } from "../../../ir/float.js";
import * as float from "../../../ir/float-arithmetic.js";
import type { FloatCalculate } from "../../../ir/fold-constants.js";
import { AllTypesMatch, SameOperandsAndResultShape, SameOperandsAndResultType } from "../../../ir/traits.js";
import { FloatLike, SignlessIntegerOrIndexLike } from "../../arith/constraints.js";
import { erf, erfc, exp2, libm, libm2, pow, round } from "../elementary-functions.js";
import { fastmath, floatBinary, floatUnary, TRAITS } from "./families.js";

type Fold = FloatCalculate<[bigint]>;
/** Negative arguments (-0 too) are left to run time. */
const unlessNegative =
  (fold: Fold): Fold =>
  (bits, kind) =>
    float.isNegative(bits, kind) ? undefined : fold(bits, kind);
const log1p = libm(Math.log1p);

export const AbsFOp = floatUnary("math.absf", "floating point absolute-value operation", float.absolute);
export const AcosOp = floatUnary("math.acos", "arcus cosine of the given value", libm(Math.acos, false));
export const AcoshOp = floatUnary("math.acosh", "hyperbolic arcus cosine of the given value", libm(Math.acosh));
export const AsinOp = floatUnary("math.asin", "arcus sine of the given value", libm(Math.asin, false));
export const AsinhOp = floatUnary("math.asinh", "hyperbolic arcus sine of the given value", libm(Math.asinh));
export const AtanOp = floatUnary("math.atan", "arcus tangent of the given value", libm(Math.atan));
export const AtanhOp = floatUnary("math.atanh", "hyperbolic arcus tangent of the given value", libm(Math.atanh));
export const CbrtOp = floatUnary("math.cbrt", "cube root of the specified value");
export const CeilOp = floatUnary("math.ceil", "ceiling of the specified value", (bits, kind) => float.roundToIntegral(bits, kind, "up"));
export const CosOp = floatUnary("math.cos", "cosine of the specified value", libm(Math.cos));
export const CoshOp = floatUnary("math.cosh", "hyperbolic cosine of the specified value", libm(Math.cosh));
export const SinOp = floatUnary("math.sin", "sine of the specified value", libm(Math.sin));
export const SinhOp = floatUnary("math.sinh", "hyperbolic sine of the specified value", libm(Math.sinh));
export const ErfOp = floatUnary("math.erf", "error function of the specified value", libm(erf));
export const ErfcOp = floatUnary("math.erfc", "complementary error function of the specified value", libm(erfc));
export const ExpOp = floatUnary("math.exp", "base-e exponential of the specified value", libm(Math.exp));
export const Exp2Op = floatUnary("math.exp2", "base-2 exponential of the specified value", libm(exp2));
export const ExpM1Op = floatUnary("math.expm1", "base-e exponential of the specified value minus 1", libm(Math.expm1));
export const FloorOp = floatUnary("math.floor", "floor of the specified value", (bits, kind) => float.roundToIntegral(bits, kind, "down"));
export const LogOp = floatUnary("math.log", "base-e logarithm of the specified value", unlessNegative(libm(Math.log)));
export const Log10Op = floatUnary("math.log10", "base-10 logarithm of the specified value", unlessNegative(libm(Math.log10)));
export const Log1pOp = floatUnary("math.log1p", "Computes the natural logarithm of one plus the given value", (bits, kind) =>
  decode(bits, kind) + 1 < 0 ? undefined : log1p(bits, kind),
);
export const Log2Op = floatUnary("math.log2", "base-2 logarithm of the specified value", unlessNegative(libm(Math.log2)));
export const RsqrtOp = floatUnary("math.rsqrt", "reciprocal of sqrt (1 / sqrt of the specified value)");
export const SqrtOp = floatUnary("math.sqrt", "sqrt of the specified value", unlessNegative(libm(Math.sqrt)));
export const TanOp = floatUnary("math.tan", "tangent of the specified value", libm(Math.tan));
export const TanhOp = floatUnary("math.tanh", "hyperbolic tangent of the specified value", libm(Math.tanh));
export const RoundEvenOp = floatUnary("math.roundeven", "round of the specified value with halfway cases to even", (bits, kind) =>
  float.roundToIntegral(bits, kind, "nearestEven"),
);
export const RoundOp = floatUnary("math.round", "round of the specified value", libm(round));
export const TruncOp = floatUnary("math.trunc", "trunc of the specified value", libm(Math.trunc));

export const Atan2Op = floatBinary("math.atan2", "2-argument arcus tangent of the given values", (a, b, kind) =>
  // Upstream calls the angle of the origin undefined.
  float.isZero(a, kind) && float.isZero(b, kind) ? float.nan(kind) : libm2(Math.atan2)(a, b, kind),
);
export const CopySignOp = floatBinary("math.copysign", "A copysign operation", float.copySign);
export const PowFOp = floatBinary("math.powf", "floating point raised to the power of operation", libm2(pow));

export const FmaOp = defineOp("math.fma", () => ({
  summary: "floating point fused multipy-add operation",
  operands: { a: FloatLike, b: FloatLike, c: FloatLike },
  attrs: fastmath,
  results: { result: FloatLike },
  traits: [SameOperandsAndResultType, ...TRAITS],
  format: "$a `,` $b `,` $c (`fastmath` `` $fastmath^)? attr-dict `:` type($result)",
}));
export const ClampFOp = defineOp("math.clampf", () => ({
  summary: "floating point clamping operation",
  operands: { value: FloatLike, min: FloatLike, max: FloatLike },
  attrs: fastmath,
  results: { result: FloatLike },
  traits: [SameOperandsAndResultType, ...TRAITS],
  format: "$value `to` ` ` `[` $min `,` $max `]` (`fastmath` `` $fastmath^)? attr-dict `:` type($result)",
}));
export const FPowIOp = defineOp("math.fpowi", () => ({
  summary: "floating point raised to the signed integer power",
  operands: { lhs: FloatLike, rhs: SignlessIntegerOrIndexLike },
  attrs: fastmath,
  results: { result: FloatLike },
  traits: [SameOperandsAndResultShape, AllTypesMatch("lhs", "result"), ...TRAITS],
  format: "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($lhs) `,` type($rhs)",
}));
