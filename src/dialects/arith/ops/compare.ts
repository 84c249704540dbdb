/** Comparisons. Source: mlir/lib/Dialect/Arith/IR/ArithOps.cpp. */
import type { Attribute, Type } from "../../../ir/attribute.js";
import { boolAttr, FloatAttr, floatValue, splatOf } from "../../../ir/builtin-attrs.js";
import { elementTypeOrSelf, IntegerType, i1, isInteger, isShaped, VectorType } from "../../../ir/builtin-types.js";
import { defaultAttr } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { foldBinaryInt } from "../../../ir/fold-constants.js";
import { isOneInt, isZeroInt } from "../../../ir/match.js";
import { Pure, SameTypeOperands, TypesMatchWith } from "../../../ir/traits.js";
import { type CmpFPredicate, CmpFPredicateC, type CmpIPredicate, CmpIPredicateC, FAST_MATH, FastMathC, SWAPPED_CMPI } from "../attrs.js";
import { BoolLike, FloatLike, i1SameShape, SignlessIntegerOrIndexLike } from "../constraints.js";
import { ExtSIOp, ExtUIOp } from "./cast.js";
import { ELEMENTWISE } from "./families.js";

const I1SameShape = TypesMatchWith("result type has i1 element type and same shape as operands", "lhs", "result", i1SameShape);

/** Compares integers that are sign-extended to any width above `width`. */
export function applyCmpI(predicate: CmpIPredicate, a: bigint, b: bigint, width: number): boolean {
  if (predicate === "eq") return a === b;
  if (predicate === "ne") return a !== b;
  const signed = predicate[0] === "s";
  const x = signed ? a : BigInt.asUintN(width, a);
  const y = signed ? b : BigInt.asUintN(width, b);
  switch (predicate.slice(1)) {
    case "lt":
      return x < y;
    case "le":
      return x <= y;
    case "gt":
      return x > y;
    default:
      return x >= y;
  }
}
/** Compares floats: `o...` is false and `u...` true where either is NaN. */
export function applyCmpF(predicate: CmpFPredicate, a: number, b: number): boolean {
  const unordered = Number.isNaN(a) || Number.isNaN(b);
  switch (predicate) {
    case "false":
      return false;
    case "true":
      return true;
    case "ord":
      return !unordered;
    case "uno":
      return unordered;
    default:
      break;
  }
  if (unordered) return predicate[0] === "u";
  switch (predicate.slice(1)) {
    case "eq":
      return a === b;
    case "ne":
      return a !== b;
    case "gt":
      return a > b;
    case "ge":
      return a >= b;
    case "lt":
      return a < b;
    default:
      return a <= b;
  }
}

const HOLDS_FOR_EQUAL: ReadonlySet<CmpIPredicate> = new Set<CmpIPredicate>(["eq", "sle", "sge", "ule", "uge"]);

/** i1 of that value, or a splat of it; undefined for dynamic shapes. */
function boolOf(type: Type, value: boolean): Attribute | undefined {
  if (!isShaped(type)) return boolAttr(type.ctx, value);
  return type.params.shape.every((extent) => extent >= 0) ? splatOf(type, boolAttr(type.ctx, value)) : undefined;
}

/** Whether the operand of an extension is i1; as upstream, tensors are not looked into here. */
function isExtendedFromI1(type: Type): boolean {
  return IntegerType.is(type) ? type.params.width === 1 : VectorType.is(type) && isInteger(type.params.elementType, 1);
}

export const CmpIOp = defineOp("arith.cmpi", () => ({
  summary: "integer comparison operation",
  operands: { lhs: SignlessIntegerOrIndexLike, rhs: SignlessIntegerOrIndexLike },
  attrs: { predicate: CmpIPredicateC },
  results: { result: BoolLike },
  traits: [Pure, SameTypeOperands, I1SameShape, ...ELEMENTWISE],
  format: "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs)",
  fold({ op, predicate, lhs, rhs, result }, constants): FoldResult {
    if (lhs === rhs) return boolOf(result.type, HOLDS_FOR_EQUAL.has(predicate));
    const isI1 = isInteger(elementTypeOrSelf(lhs.type), 1);
    if (predicate === "ne" && isZeroInt(constants[1])) {
      const ext = ExtSIOp.match(lhs.definingOp) ?? ExtUIOp.match(lhs.definingOp);
      if (ext && isExtendedFromI1(ext.in.type)) return ext.in;
      if (isI1) return lhs;
    }
    if (predicate === "eq" && isI1 && isOneInt(constants[1])) return lhs;
    if (constants[0] && !constants[1]) {
      op.setAttr("predicate", CmpIPredicateC.write!(op.ctx, SWAPPED_CMPI[predicate]));
      op.setOperand(0, rhs);
      op.setOperand(1, lhs);
      return "inPlace";
    }
    if (!constants[0]) return undefined;
    return foldBinaryInt(constants, (a, b, width) => (applyCmpI(predicate, a, b, width) ? 1n : 0n), i1(op.ctx));
  },
}));

export const CmpFOp = defineOp("arith.cmpf", () => ({
  summary: "floating-point comparison operation",
  operands: { lhs: FloatLike, rhs: FloatLike },
  attrs: { predicate: CmpFPredicateC, fastmath: defaultAttr(FastMathC, FAST_MATH.none) },
  results: { result: BoolLike },
  traits: [Pure, SameTypeOperands, I1SameShape, ...ELEMENTWISE],
  format: "$predicate `,` $lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($lhs)",
  fold({ op, predicate }, constants): FoldResult {
    const [left, right] = constants;
    let a = FloatAttr.is(left) ? floatValue(left) : undefined;
    let b = FloatAttr.is(right) ? floatValue(right) : undefined;
    // With a NaN on one side the other does not matter.
    if (Number.isNaN(a)) b = a;
    if (Number.isNaN(b)) a = b;
    return a === undefined || b === undefined ? undefined : boolAttr(op.ctx, applyCmpF(predicate, a, b));
  },
}));
