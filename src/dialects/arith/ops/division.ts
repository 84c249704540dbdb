/** Division and remainder: never folded where they would be undefined. Source: mlir/lib/Dialect/Arith/IR/ArithOps.cpp. */
import { DenseElementsAttr, IntegerAttr } from "../../../ir/builtin-attrs.js";
import type { FoldResult } from "../../../ir/define-op.js";
import { foldBinaryInt, zeroAttr } from "../../../ir/fold-constants.js";
import { constantOf, isOneInt } from "../../../ir/match.js";
import type { Value } from "../../../ir/value.js";
import { OVERFLOW } from "../attrs.js";
import { partialIntBinary, totalIntBinary } from "./families.js";
import { MulIOp } from "./integer.js";

/** The integers of a constant divisor: one, or those of dense elements. */
function divisors(divisor: Value): readonly bigint[] {
  const attr = constantOf(divisor);
  if (IntegerAttr.is(attr)) return [attr.params.value];
  return DenseElementsAttr.is(attr) ? attr.params.elements : [];
}
const isNonZero = (divisor: Value): boolean => {
  const all = divisors(divisor);
  return all.length > 0 && all.every((value) => value !== 0n);
};
/**
 * Neither division by zero nor the overflow of the least value divided by -1. As upstream, the range of the elements
 * decides: 1 and -3 together could be 0.
 */
const isSafeSigned = (divisor: Value): boolean => {
  const all = divisors(divisor);
  return all.length > 0 && (all.every((value) => value > 0n) || all.every((value) => value < -1n));
};

/** Before Triton 3.8 a remainder by zero counts as defined. */
const isSafeRemainder = (divisor: Value): boolean => !divisor.type.ctx.triton.guardsRemainders || isNonZero(divisor);

/** (a * b) / b -> a, where the product is known not to wrap. */
function foldDivMul(lhs: Value, rhs: Value, flag: number): Value | undefined {
  const mul = MulIOp.match(lhs.definingOp);
  if (!mul || (mul.overflowFlags & flag) !== flag) return undefined;
  if (mul.lhs === rhs) return mul.rhs;
  return mul.rhs === rhs ? mul.lhs : undefined;
}
const least = (width: number): bigint => -(1n << BigInt(width - 1));
const isOverflow = (a: bigint, b: bigint, width: number): boolean => a === least(width) && b === -1n;

export const DivUIOp = partialIntBinary(
  "arith.divui",
  "unsigned integer division operation",
  isNonZero,
  ({ lhs, rhs }, constants): FoldResult => {
    if (isOneInt(constants[1])) return lhs;
    return (
      foldDivMul(lhs, rhs, OVERFLOW.nuw) ??
      foldBinaryInt(constants, (a, b, width) => (b === 0n ? undefined : BigInt.asUintN(width, a) / BigInt.asUintN(width, b)))
    );
  },
);

export const DivSIOp = partialIntBinary(
  "arith.divsi",
  "signed integer division operation",
  isSafeSigned,
  ({ lhs, rhs }, constants): FoldResult => {
    if (isOneInt(constants[1])) return lhs;
    return (
      foldDivMul(lhs, rhs, OVERFLOW.nsw) ??
      foldBinaryInt(constants, (a, b, width) => (b === 0n || isOverflow(a, b, width) ? undefined : a / b))
    );
  },
);

export const CeilDivUIOp = partialIntBinary(
  "arith.ceildivui",
  "unsigned ceil integer division operation",
  isNonZero,
  ({ lhs }, constants): FoldResult => {
    if (isOneInt(constants[1])) return lhs;
    return foldBinaryInt(constants, (a, b, width) => {
      if (b === 0n) return undefined;
      const x = BigInt.asUintN(width, a);
      const y = BigInt.asUintN(width, b);
      return (x + y - 1n) / y;
    });
  },
);

export const CeilDivSIOp = partialIntBinary(
  "arith.ceildivsi",
  "signed ceil integer division operation",
  isSafeSigned,
  ({ lhs }, constants): FoldResult => {
    if (isOneInt(constants[1])) return lhs;
    return foldBinaryInt(constants, (a, b, width) => {
      if (b === 0n) return undefined;
      if (a === 0n) return 0n;
      // Upstream negates the negative operands first, which the least value does not survive.
      if ((a < 0n && a === least(width)) || (b < 0n && b === least(width))) return undefined;
      const quotient = a / b;
      return a % b !== 0n && a < 0n === b < 0n ? quotient + 1n : quotient;
    });
  },
);

export const FloorDivSIOp = totalIntBinary(
  "arith.floordivsi",
  "signed floor integer division operation",
  [],
  ({ lhs }, constants): FoldResult => {
    if (isOneInt(constants[1])) return lhs;
    return foldBinaryInt(constants, (a, b, width) => {
      if (b === 0n || isOverflow(a, b, width)) return undefined;
      const quotient = a / b;
      return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
    });
  },
);

export const RemUIOp = partialIntBinary(
  "arith.remui",
  "unsigned integer division remainder operation",
  isSafeRemainder,
  ({ result }, constants): FoldResult => {
    if (isOneInt(constants[1])) return zeroAttr(result.type);
    return foldBinaryInt(constants, (a, b, width) => (b === 0n ? undefined : BigInt.asUintN(width, a) % BigInt.asUintN(width, b)));
  },
);

export const RemSIOp = partialIntBinary(
  "arith.remsi",
  "signed integer division remainder operation",
  isSafeRemainder,
  ({ result }, constants): FoldResult => {
    if (isOneInt(constants[1])) return zeroAttr(result.type);
    return foldBinaryInt(constants, (a, b) => (b === 0n ? undefined : a % b));
  },
);
