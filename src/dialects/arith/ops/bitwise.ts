/** Bitwise operations and shifts. Source: mlir/lib/Dialect/Arith/IR/ArithOps.cpp. */
import type { FoldResult } from "../../../ir/define-op.js";
import { foldBinaryInt, zeroAttr } from "../../../ir/fold-constants.js";
import { isAllOnesInt, isZeroInt } from "../../../ir/match.js";
import { Commutative, Idempotent } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { type BinaryView, type Constants, overflowIntBinary, totalIntBinary } from "./families.js";

/** The all-ones constant of `not(x)`, when `value` is that: xori with all ones. */
function onesOfNot(value: Value, x: Value): Value | undefined {
  const xor = XOrIOp.match(value.definingOp);
  return xor && xor.lhs === x && isAllOnesInt(xor.rhs) ? xor.rhs : undefined;
}

export const AndIOp = totalIntBinary(
  "arith.andi",
  "integer binary and",
  [Commutative, Idempotent],
  ({ lhs, rhs, result }, constants): FoldResult => {
    if (isZeroInt(constants[1])) return rhs;
    if (isAllOnesInt(constants[1])) return lhs;
    if (onesOfNot(rhs, lhs) || onesOfNot(lhs, rhs)) return zeroAttr(result.type);
    // and(a, and(a, b)) -> and(a, b)
    const left = AndIOp.match(lhs.definingOp);
    if (left && (rhs === left.lhs || rhs === left.rhs)) return lhs;
    const right = AndIOp.match(rhs.definingOp);
    if (right && (lhs === right.lhs || lhs === right.rhs)) return rhs;
    return foldBinaryInt(constants, (a, b) => a & b);
  },
);

export const OrIOp = totalIntBinary("arith.ori", "integer binary or", [Commutative, Idempotent], ({ lhs, rhs }, constants): FoldResult => {
  if (isZeroInt(constants[1])) return lhs;
  if (isAllOnesInt(constants[1])) return constants[1];
  const ones = onesOfNot(rhs, lhs) ?? onesOfNot(lhs, rhs);
  return ones ?? foldBinaryInt(constants, (a, b) => a | b);
});

export const XOrIOp = totalIntBinary("arith.xori", "integer binary xor", [Commutative], ({ lhs, rhs, result }, constants): FoldResult => {
  if (isZeroInt(constants[1])) return lhs;
  if (lhs === rhs) return zeroAttr(result.type);
  const left = XOrIOp.match(lhs.definingOp); // xor(xor(x, a), a) -> x
  if (left && left.rhs === rhs) return left.lhs;
  if (left && left.lhs === rhs) return left.rhs;
  const right = XOrIOp.match(rhs.definingOp);
  if (right && right.rhs === lhs) return right.lhs;
  if (right && right.lhs === lhs) return right.rhs;
  return foldBinaryInt(constants, (a, b) => a ^ b);
});

/** As upstream, only the last element decides whether the amount is in bounds. */
function foldShift({ lhs }: BinaryView, constants: Constants, shift: (a: bigint, amount: bigint, width: number) => bigint): FoldResult {
  if (isZeroInt(constants[1])) return lhs;
  let bounded = false;
  const result = foldBinaryInt(constants, (a, b, width) => {
    const amount = BigInt.asUintN(width, b);
    bounded = amount < BigInt(width);
    return shift(a, bounded ? amount : BigInt(width), width);
  });
  return bounded ? result : undefined;
}
export const ShLIOp = overflowIntBinary(
  "arith.shli",
  "integer left-shift",
  [],
  (view, constants): FoldResult => foldShift(view, constants, (a, amount) => a << amount),
);
export const ShRUIOp = totalIntBinary(
  "arith.shrui",
  "unsigned integer right-shift",
  [],
  (view, constants): FoldResult => foldShift(view, constants, (a, amount, width) => BigInt.asUintN(width, a) >> amount),
);
export const ShRSIOp = totalIntBinary(
  "arith.shrsi",
  "signed integer right-shift",
  [],
  (view, constants): FoldResult => foldShift(view, constants, (a, amount) => a >> amount),
);
