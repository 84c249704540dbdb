/** Functions of integers. Source: mlir/include/mlir/Dialect/Math/IR/MathOps.td, mlir/lib/Dialect/Math/IR/MathOps.cpp. */
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { foldBinaryInt } from "../../../ir/fold-constants.js";
import { SameOperandsAndResultType } from "../../../ir/traits.js";
import { SignlessIntegerOrIndexLike } from "../../arith/constraints.js";
import { intUnary, TRAITS } from "./families.js";

/** The bits of a value, most significant first, without leading zeros. */
const digits = (value: bigint, width: number): string => {
  const bits = BigInt.asUintN(width, value);
  return bits === 0n ? "" : bits.toString(2);
};
export const AbsIOp = intUnary("math.absi", "integer absolute-value operation", (a) => (a < 0n ? -a : a));
export const CountLeadingZerosOp = intUnary("math.ctlz", "counts the leading zeros an integer value", (a, width) =>
  BigInt(width - digits(a, width).length),
);
export const CountTrailingZerosOp = intUnary("math.cttz", "counts the trailing zeros an integer value", (a, width) => {
  const bits = digits(a, width);
  return BigInt(bits === "" ? width : bits.length - 1 - bits.lastIndexOf("1"));
});
export const CtPopOp = intUnary("math.ctpop", "counts the number of set bits of an integer value", (a, width) =>
  BigInt(digits(a, width).replaceAll("0", "").length),
);

export const IPowIOp = defineOp("math.ipowi", () => ({
  summary: "signed integer raised to the power of operation",
  operands: { lhs: SignlessIntegerOrIndexLike, rhs: SignlessIntegerOrIndexLike },
  results: { result: SignlessIntegerOrIndexLike },
  traits: [SameOperandsAndResultType, ...TRAITS],
  format: "$lhs `,` $rhs attr-dict `:` type($result)",
  fold: (_view, constants): FoldResult => foldBinaryInt(constants, power),
}));
/** 0 to a negative power is left alone; any other base but 1 and -1 gives 0 then. */
function power(base: bigint, exponent: bigint, width: number): bigint | undefined {
  const one = BigInt.asIntN(width, 1n);
  if (exponent === 0n || base === one) return exponent === 0n ? one : base;
  if (exponent < 0n) {
    if (base === 0n) return undefined;
    if (base !== -1n) return 0n;
    return exponent % 2n === 0n ? one : -1n;
  }
  let result = 1n;
  let factor = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = BigInt.asIntN(width, result * factor);
    factor = BigInt.asIntN(width, factor * factor);
  }
  return result;
}
