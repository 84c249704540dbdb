/** Minimum and maximum. Source: mlir/lib/Dialect/Arith/IR/ArithOps.cpp. */
import { storageWidth, typeOfAttr } from "../../../ir/builtin-attrs.js";
import { elementTypeOrSelf } from "../../../ir/builtin-types.js";
import type { FoldResult } from "../../../ir/define-op.js";
import * as float from "../../../ir/float-arithmetic.js";
import { type FloatCalculate, foldBinaryFloat, foldBinaryInt } from "../../../ir/fold-constants.js";
import { constantInt, isNaNFloat, isNegInfFloat, isPosInfFloat, type Matchable } from "../../../ir/match.js";
import { Commutative } from "../../../ir/traits.js";
import { type Constants, floatBinary, totalIntBinary } from "./families.js";

/** Whether an integer constant is the least or the greatest of its width. */
function extremeOf(constant: Constants[number], signed: boolean): "least" | "greatest" | undefined {
  const value = constantInt(constant);
  if (value === undefined || !constant) return undefined;
  const width = storageWidth(elementTypeOrSelf(typeOfAttr(constant)));
  const bits = BigInt.asUintN(width, value);
  const top = 1n << BigInt(width - 1);
  if (bits === (signed ? top : 0n)) return "least";
  return bits === (signed ? top - 1n : 2n * top - 1n) ? "greatest" : undefined;
}

function intExtremum(name: string, summary: string, signed: boolean, max: boolean) {
  return totalIntBinary(name, summary, [Commutative], ({ lhs, rhs }, constants): FoldResult => {
    if (lhs === rhs) return rhs;
    const extreme = extremeOf(constants[1], signed);
    // Upstream asks for the absorbing value first, which matters for i1 only where both are the same.
    if (extreme === (max ? "greatest" : "least")) return rhs;
    if (extreme === (max ? "least" : "greatest")) return lhs;
    return foldBinaryInt(constants, (a, b, width) => {
      const less = signed ? a < b : BigInt.asUintN(width, a) < BigInt.asUintN(width, b);
      return less === max ? b : a;
    });
  });
}
export const MaxSIOp = intExtremum("arith.maxsi", "signed integer maximum operation", true, true);
export const MaxUIOp = intExtremum("arith.maxui", "unsigned integer maximum operation", false, true);
export const MinSIOp = intExtremum("arith.minsi", "signed integer minimum operation", true, false);
export const MinUIOp = intExtremum("arith.minui", "unsigned integer minimum operation", false, false);

function floatExtremum(name: string, summary: string, isNeutral: (x: Matchable) => boolean, calculate: FloatCalculate<[bigint, bigint]>) {
  return floatBinary(name, summary, [Commutative], ({ lhs, rhs }, constants): FoldResult => {
    if (lhs === rhs) return rhs;
    if (isNeutral(constants[1])) return lhs;
    return foldBinaryFloat(constants, calculate);
  });
}
export const MaximumFOp = floatExtremum("arith.maximumf", "floating-point maximum operation", isNegInfFloat, float.maximum);
export const MaxNumFOp = floatExtremum("arith.maxnumf", "floating-point maximum operation", isNaNFloat, float.maxnum);
export const MinimumFOp = floatExtremum("arith.minimumf", "floating-point minimum operation", isPosInfFloat, float.minimum);
export const MinNumFOp = floatExtremum("arith.minnumf", "floating-point minimum operation", isNaNFloat, float.minnum);
