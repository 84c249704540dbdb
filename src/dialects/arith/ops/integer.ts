/** Addition, subtraction and multiplication. Source: mlir/lib/Dialect/Arith/IR/ArithOps.cpp. */
import { elementTypeOrSelf, isShaped } from "../../../ir/builtin-types.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { foldBinaryInt, zeroAttr } from "../../../ir/fold-constants.js";
import { isOneInt, isPoison, isZeroInt } from "../../../ir/match.js";
import { AllTypesMatch, Commutative, Pure } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { BoolLike, i1SameShape, SignlessIntegerOrIndexLike } from "../constraints.js";
import { type Constants, ELEMENTWISE, overflowIntBinary } from "./families.js";

export const AddIOp = overflowIntBinary(
  "arith.addi",
  "integer addition operation",
  [Commutative],
  ({ lhs, rhs }, constants): FoldResult => {
    if (isZeroInt(constants[1])) return lhs; // x + 0
    const left = SubIOp.match(lhs.definingOp);
    if (left && rhs === left.rhs) return left.lhs; // (a - b) + b
    const right = SubIOp.match(rhs.definingOp);
    if (right && lhs === right.rhs) return right.lhs; // b + (a - b)
    return foldBinaryInt(constants, (a, b) => a + b);
  },
);

export const SubIOp = overflowIntBinary(
  "arith.subi",
  "Integer subtraction operation.",
  [],
  ({ lhs, rhs, result }, constants): FoldResult => {
    if (lhs === rhs && (!isShaped(result.type) || result.type.params.shape.every((extent) => extent >= 0))) return zeroAttr(result.type);
    if (isZeroInt(constants[1])) return lhs; // x - 0
    const add = AddIOp.match(lhs.definingOp);
    if (add && rhs === add.rhs) return add.lhs; // (a + b) - b
    if (add && rhs === add.lhs) return add.rhs; // (a + b) - a
    return foldBinaryInt(constants, (a, b) => a - b);
  },
);

export const MulIOp = overflowIntBinary(
  "arith.muli",
  "Integer multiplication operation.",
  [Commutative],
  ({ lhs, rhs }, constants): FoldResult => {
    if (isZeroInt(constants[1])) return rhs; // x * 0
    if (isOneInt(constants[1])) return lhs; // x * 1
    return foldBinaryInt(constants, (a, b) => a * b);
  },
);

export const AddUIExtendedOp = defineOp("arith.addui_extended", () => ({
  summary: "extended unsigned integer addition operation returning sum and overflow bit",
  operands: { lhs: SignlessIntegerOrIndexLike, rhs: SignlessIntegerOrIndexLike },
  results: { sum: SignlessIntegerOrIndexLike, overflow: BoolLike },
  traits: [Pure, Commutative, AllTypesMatch("lhs", "rhs", "sum"), ...ELEMENTWISE],
  format: "$lhs `,` $rhs attr-dict `:` type($sum) `,` type($overflow)",
  inferTypes: ({ operands }) => [operands[0]!.type, i1SameShape(operands[0]!.type)],
  fold({ lhs, rhs, overflow }, constants): FoldResult {
    if (isZeroInt(rhs)) {
      const none = zeroAttr(overflow.type);
      return none && [lhs, none];
    }
    const sum = foldBinaryInt(constants, (a, b) => a + b);
    if (!sum) return undefined;
    if (isPoison(sum)) return [sum, sum];
    const carry = foldBinaryInt(
      [sum, constants[0]],
      (s, a, width) => (BigInt.asUintN(width, s) < BigInt.asUintN(width, a) ? 1n : 0n),
      elementTypeOrSelf(overflow.type),
    );
    return carry && [sum, carry];
  },
}));

function foldMulExtended(lhs: Value, constants: Constants, signed: boolean): FoldResult {
  const right = constants[1];
  if (right && isZeroInt(right)) return [right, right];
  if (!signed && isOneInt(right)) {
    const zero = zeroAttr(lhs.type);
    return zero && [lhs, zero];
  }
  const low = foldBinaryInt(constants, (a, b) => a * b);
  if (!low) return undefined;
  const high = foldBinaryInt(constants, (a, b, width) =>
    signed ? (a * b) >> BigInt(width) : (BigInt.asUintN(width, a) * BigInt.asUintN(width, b)) >> BigInt(width),
  );
  return high && [low, high];
}
function mulExtended(name: string, summary: string, signed: boolean) {
  return defineOp(name, () => ({
    summary,
    operands: { lhs: SignlessIntegerOrIndexLike, rhs: SignlessIntegerOrIndexLike },
    results: { low: SignlessIntegerOrIndexLike, high: SignlessIntegerOrIndexLike },
    traits: [Pure, Commutative, AllTypesMatch("lhs", "rhs", "low", "high"), ...ELEMENTWISE],
    format: "$lhs `,` $rhs attr-dict `:` type($lhs)",
    fold: ({ lhs }, constants): FoldResult => foldMulExtended(lhs, constants, signed),
  }));
}
export const MulSIExtendedOp = mulExtended("arith.mulsi_extended", "extended signed integer multiplication operation", true);
export const MulUIExtendedOp = mulExtended("arith.mului_extended", "extended unsigned integer multiplication operation", false);
