/** Comparison of a converted integer with a constant. Source: mlir/lib/Dialect/Arith/IR/ArithOps.cpp, CmpFIntToFPConst. */
import { boolAttr, FloatAttr, floatValue, intAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, FLOAT_FORMATS, type FloatKind, isFloat } from "../../../ir/builtin-types.js";
import { decode } from "../../../ir/float.js";
import { fitsDouble, fromInteger, toInteger } from "../../../ir/float-arithmetic.js";
import { constantOf } from "../../../ir/match.js";
import { pattern } from "../../../rewrite/pattern.js";
import type { CmpFPredicate, CmpIPredicate } from "../attrs.js";
import { SIToFPOp, UIToFPOp } from "../ops/cast.js";
import { CmpFOp, CmpIOp } from "../ops/compare.js";
import { ConstantOp } from "../ops/constant.js";

type Relation = "eq" | "ne" | "lt" | "le" | "gt" | "ge";
/** The relation of an ordered or unordered predicate; a converted integer is never NaN, nor is the constant. */
const RELATION: Partial<Record<CmpFPredicate, Relation>> = {
  oeq: "eq",
  one: "ne",
  ogt: "gt",
  oge: "ge",
  olt: "lt",
  ole: "le",
  ueq: "eq",
  une: "ne",
  ugt: "gt",
  uge: "ge",
  ult: "lt",
  ule: "le",
};

/** The largest exponent of a finite value. */
function maxExponent(kind: FloatKind): number {
  const { exponent, bias, special } = FLOAT_FORMATS[kind];
  return (1 << exponent) - 1 - bias - (special === "ieee" ? 1 : 0);
}

/** Whether rounding the integer to the float kind could change how it compares to `constant`. */
function conversionMatters(constant: number, kind: FloatKind, intWidth: number, isUnsigned: boolean): boolean {
  const precision = FLOAT_FORMATS[kind].mantissa + 1;
  if (intWidth <= precision) return false;
  const valueBits = isUnsigned ? intWidth : intWidth - 1;
  if (!Number.isFinite(constant)) return maxExponent(kind) < valueBits;
  const exponent = constant === 0 ? -1 : Math.floor(Math.log2(Math.abs(constant)));
  return precision <= exponent && exponent <= valueBits;
}

/** The simplified comparison: a constant, or a relation of the integer to another integer. */
function decide(
  relation: Relation,
  bits: bigint,
  kind: FloatKind,
  width: number,
  isUnsigned: boolean,
): boolean | { readonly relation: Relation; readonly value: bigint } | undefined {
  const constant = decode(bits, kind);
  const top = 1n << BigInt(width - 1);
  const greatest = isUnsigned ? 2n * top - 1n : top - 1n;
  const least = isUnsigned ? 0n : -top;
  if (decode(fromInteger(greatest, kind), kind) < constant) return relation === "ne" || relation === "lt" || relation === "le";
  if (decode(fromInteger(least, kind), kind) > constant) return relation === "ne" || relation === "gt" || relation === "ge";
  const value = toInteger(bits, kind, width, !isUnsigned);
  if (value === undefined) return undefined;
  if (constant === 0 || decode(fromInteger(value, kind), kind) === constant) return { relation, value };
  // The constant has a fraction, and `value` is it cut off towards zero.
  const negative = constant < 0;
  switch (relation) {
    case "ne":
      return true;
    case "eq":
      return false;
    case "le":
      return negative ? (isUnsigned ? false : { relation: "lt", value }) : { relation: "le", value };
    case "lt":
      return negative ? (isUnsigned ? false : { relation: "lt", value }) : { relation: "le", value };
    case "gt":
      return negative ? (isUnsigned ? true : { relation: "ge", value }) : { relation: "gt", value };
    case "ge":
      return negative ? (isUnsigned ? true : { relation: "ge", value }) : { relation: "gt", value };
  }
}

/** cmpf(itofp(x), constant) -> cmpi(x, constant), where the rounding of x cannot matter */
export const cmpFIntToFPConst = pattern("CmpFIntToFPConst", CmpFOp, ({ op, predicate, lhs, rhs }, rw) => {
  const constant = constantOf(rhs);
  if (!FloatAttr.is(constant) || Number.isNaN(floatValue(constant))) return rw.noMatch("not compared with a number");
  const { type } = constant.params;
  if (!isFloat(type) || !fitsDouble(type.params.kind)) return rw.noMatch("float kind not handled");
  const signed = SIToFPOp.match(lhs.definingOp);
  const source = signed ?? UIToFPOp.match(lhs.definingOp);
  if (!source) return rw.noMatch("not converted from an integer");
  const isUnsigned = !signed;
  const { kind } = type.params;
  const integer = source.in;
  const width = bitWidth(integer.type)!;
  if (conversionMatters(floatValue(constant), kind, width, isUnsigned)) return rw.noMatch("rounding the integer may matter");

  const boolean = (value: boolean): true => {
    rw.replaceWith(op, ConstantOp, { value: boolAttr(op.ctx, value) });
    return true;
  };
  if (predicate === "ord" || predicate === "uno") return boolean(predicate === "ord");
  const relation = RELATION[predicate];
  if (!relation) return rw.noMatch("predicate does not compare");
  const verdict = decide(relation, constant.params.bits, kind, width, isUnsigned);
  if (verdict === undefined) return rw.noMatch("the constant is no such integer");
  if (typeof verdict === "boolean") return boolean(verdict);
  const name = verdict.relation;
  const integerPredicate: CmpIPredicate = name === "eq" || name === "ne" ? name : `${isUnsigned ? "u" : "s"}${name}`;
  const value = rw.value(ConstantOp, { value: intAttr(integer.type, verdict.value) });
  rw.replaceWith(op, CmpIOp, { predicate: integerPredicate, lhs: integer, rhs: value });
  return true;
});
