/** Casts. Source: mlir/lib/Dialect/Arith/IR/ArithOps.cpp. */

import type { Type } from "../../../ir/attribute.js";
import { storageWidth } from "../../../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, FLOAT_FORMATS, type FloatKind, FloatType } from "../../../ir/builtin-types.js";
import { defaultAttr, optionalAttr, type TypeConstraint } from "../../../ir/constraints.js";
import { defineOp, type FoldResult, type OpReport } from "../../../ir/define-op.js";
import * as float from "../../../ir/float-arithmetic.js";
import { foldCast } from "../../../ir/fold-constants.js";
import { isPoison } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import { typeText } from "../../../ir/text-hook.js";
import { Pure, SameOperandsAndResultShape } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { FAST_MATH, FastMathC, IntegerOverflowC, OVERFLOW, RoundingModeC } from "../attrs.js";
import { BitcastType, FloatLike, IndexCastType, SignlessFixedWidthIntegerLike } from "../constraints.js";
import {
  Castable,
  type CastTest,
  isFloatExtension,
  isFloatToInt,
  isFloatTruncation,
  isIndexConversion,
  isIntegerExtension,
  isIntegerTruncation,
  isIntToFloat,
  isSameWidthCast,
  SameInputOutputTensorDims,
} from "./cast-traits.js";
import { type Constants, ELEMENTWISE } from "./families.js";

interface CastView {
  readonly op: Operation;
  readonly in: Value;
  readonly out: Value;
}
const traitsOf = (castable: CastTest) => [Pure, SameOperandsAndResultShape, SameInputOutputTensorDims, Castable(castable), ...ELEMENTWISE];
const FORMAT = "$in attr-dict `:` type($in) `to` type($out)";
const elementOf = (value: Value): Type => elementTypeOrSelf(value.type);
const widthOf = (value: Value): number => bitWidth(elementOf(value)) ?? 64;
const kindOf = (type: Type): FloatKind => FloatType.params(type).kind;

function cast(
  name: string,
  summary: string,
  from: TypeConstraint,
  to: TypeConstraint,
  castable: CastTest,
  fold: (view: CastView, constants: Constants) => FoldResult,
  verify?: (view: CastView, report: OpReport) => void,
) {
  return defineOp(name, () => ({
    summary,
    operands: { in: from },
    results: { out: to },
    traits: traitsOf(castable),
    format: FORMAT,
    fold: (view, constants): FoldResult => fold(view, constants),
    verifyDependsOn: "types and attributes",
    verify: (view, report) => verify?.(view, report),
  }));
}

function verifyWider({ in: from, out }: CastView, report: OpReport): void {
  if (widthOf(from) >= widthOf(out))
    report.plain(`result type '${typeText(elementOf(out))}' must be wider than operand type '${typeText(elementOf(from))}'`, "arith.cast");
}
function verifyShorter({ in: from, out }: CastView, report: OpReport): void {
  if (widthOf(from) <= widthOf(out))
    report.plain(
      `result type '${typeText(elementOf(out))}' must be shorter than operand type '${typeText(elementOf(from))}'`,
      "arith.cast",
    );
}

// --- between integers -------------------------------------------------------------------------

const zeroExtend = (value: bigint, from: Type): bigint => BigInt.asUintN(storageWidth(from), value);
const same = (value: bigint): bigint => value;

export const ExtUIOp = cast(
  "arith.extui",
  "integer zero extension operation",
  SignlessFixedWidthIntegerLike,
  SignlessFixedWidthIntegerLike,
  isIntegerExtension,
  ({ op, in: from, out }, constants): FoldResult => {
    const inner = ExtUIOp.match(from.definingOp);
    if (inner) return (op.setOperand(0, inner.in), "inPlace");
    return foldCast(constants, elementOf(out), zeroExtend);
  },
  verifyWider,
);
export const ExtSIOp = cast(
  "arith.extsi",
  "integer sign extension operation",
  SignlessFixedWidthIntegerLike,
  SignlessFixedWidthIntegerLike,
  isIntegerExtension,
  ({ op, in: from, out }, constants): FoldResult => {
    const inner = ExtSIOp.match(from.definingOp);
    if (inner) return (op.setOperand(0, inner.in), "inPlace");
    return foldCast(constants, elementOf(out), same);
  },
  verifyWider,
);
export const TruncIOp = defineOp("arith.trunci", () => ({
  summary: "integer truncation operation",
  operands: { in: SignlessFixedWidthIntegerLike },
  attrs: { overflowFlags: defaultAttr(IntegerOverflowC, OVERFLOW.none) },
  results: { out: SignlessFixedWidthIntegerLike },
  traits: traitsOf(isIntegerTruncation),
  format: "$in (`overflow` `` $overflowFlags^)? attr-dict `:` type($in) `to` type($out)",
  verifyDependsOn: "types and attributes",
  verify: (view, report) => verifyShorter(view, report),
  fold({ op, in: from, out }, constants): FoldResult {
    const definer = from.definingOp;
    const extension = ExtUIOp.match(definer) ?? ExtSIOp.match(definer);
    if (extension) {
      const source = extension.in;
      if (widthOf(source) > widthOf(out)) return (op.setOperand(0, source), "inPlace");
      if (elementOf(source) === elementOf(out)) return source;
    }
    const inner = TruncIOp.match(definer);
    if (inner) return (op.setOperand(0, inner.in), "inPlace");
    return foldCast(constants, elementOf(out), same);
  },
}));

// --- between floats ---------------------------------------------------------------------------

/** Only values that the other kind can represent are folded. */
const convertFloat = (bits: bigint, from: Type, to: Type): bigint | undefined =>
  float.fitsDouble(kindOf(to)) ? float.convertExactly(bits, kindOf(from), kindOf(to)) : undefined;

export const ExtFOp = defineOp("arith.extf", () => ({
  summary: "cast from floating-point to wider floating-point",
  operands: { in: FloatLike },
  attrs: { fastmath: optionalAttr(FastMathC) },
  results: { out: FloatLike },
  traits: traitsOf(isFloatExtension),
  format: "$in (`fastmath` `` $fastmath^)? attr-dict `:` type($in) `to` type($out)",
  verifyDependsOn: "types and attributes",
  verify: (view, report) => verifyWider(view, report),
  fold({ in: from, out, fastmath }, constants): FoldResult {
    const trunc = TruncFOp.match(from.definingOp);
    const contract = (trunc?.fastmath ?? 0) & (fastmath ?? 0) & FAST_MATH.contract;
    if (trunc && contract !== 0 && trunc.in.type === out.type) return trunc.in;
    return foldCast(constants, elementOf(out), convertFloat);
  },
}));
/** Whether every value of one kind is one of the other (APFloat::isRepresentableBy). */
function isRepresentableBy(from: FloatKind, by: FloatKind): boolean {
  const a = FLOAT_FORMATS[from];
  const b = FLOAT_FORMATS[by];
  const maxExponent = (f: typeof a) => (1 << f.exponent) - 1 - f.bias - (f.special === "ieee" ? 1 : 0);
  return maxExponent(b) >= maxExponent(a) && 1 - b.bias <= 1 - a.bias && b.mantissa >= a.mantissa;
}
export const TruncFOp = defineOp("arith.truncf", () => ({
  summary: "cast from floating-point to narrower floating-point",
  operands: { in: FloatLike },
  attrs: { roundingmode: optionalAttr(RoundingModeC), fastmath: optionalAttr(FastMathC) },
  results: { out: FloatLike },
  traits: traitsOf(isFloatTruncation),
  format: "$in ($roundingmode^)? (`fastmath` `` $fastmath^)? attr-dict `:` type($in) `to` type($out)",
  verifyDependsOn: "types and attributes",
  verify: (view, report) => verifyShorter(view, report),
  fold({ op, in: from, out }, constants): FoldResult {
    const ext = ExtFOp.match(from.definingOp);
    if (ext) {
      const source = elementOf(ext.in);
      if (isRepresentableBy(kindOf(source), kindOf(elementOf(from)))) {
        if (widthOf(ext.in) > widthOf(out)) return (op.setOperand(0, ext.in), "inPlace");
        if (source === elementOf(out)) return ext.in;
      }
    }
    return foldCast(constants, elementOf(out), convertFloat);
  },
}));
export const ScalingExtFOp = defineOp("arith.scaling_extf", () => ({
  summary: "Upcasts input floats using provided scales values following OCP MXFP Spec",
  operands: { in: FloatLike, scale: FloatLike },
  attrs: { fastmath: optionalAttr(FastMathC) },
  results: { out: FloatLike },
  traits: [Pure, SameInputOutputTensorDims, Castable(isFloatExtension), ...ELEMENTWISE],
  format: "$in `,` $scale (`fastmath` `` $fastmath^)? attr-dict `:` type($in) `,` type($scale) `to` type($out)",
  verify: (view, report) => verifyWider(view, report),
}));
export const ScalingTruncFOp = defineOp("arith.scaling_truncf", () => ({
  summary: "Downcasts input floating point values using provided scales values following OCP MXFP Spec",
  operands: { in: FloatLike, scale: FloatLike },
  attrs: { roundingmode: optionalAttr(RoundingModeC), fastmath: optionalAttr(FastMathC) },
  results: { out: FloatLike },
  traits: [Pure, SameInputOutputTensorDims, Castable(isFloatTruncation), ...ELEMENTWISE],
  format: "$in `,` $scale ($roundingmode^)? (`fastmath` `` $fastmath^)? attr-dict `:` type($in) `,` type($scale) `to` type($out)",
  verify: (view, report) => verifyShorter(view, report),
}));

// --- between integers and floats --------------------------------------------------------------

export const UIToFPOp = cast(
  "arith.uitofp",
  "cast from unsigned integer type to floating-point",
  SignlessFixedWidthIntegerLike,
  FloatLike,
  isIntToFloat,
  ({ out }, constants): FoldResult =>
    foldCast(constants, elementOf(out), (value, from, to) => float.fromInteger(zeroExtend(value, from), kindOf(to))),
);
export const SIToFPOp = cast(
  "arith.sitofp",
  "cast from integer type to floating-point",
  SignlessFixedWidthIntegerLike,
  FloatLike,
  isIntToFloat,
  ({ out }, constants): FoldResult => foldCast(constants, elementOf(out), (value, _from, to) => float.fromInteger(value, kindOf(to))),
);
export const FPToUIOp = cast(
  "arith.fptoui",
  "cast from floating-point type to integer type",
  FloatLike,
  SignlessFixedWidthIntegerLike,
  isFloatToInt,
  ({ out }, constants): FoldResult =>
    foldCast(constants, elementOf(out), (bits, from, to) => float.toInteger(bits, kindOf(from), storageWidth(to), false)),
);
export const FPToSIOp = cast(
  "arith.fptosi",
  "cast from floating-point type to integer type",
  FloatLike,
  SignlessFixedWidthIntegerLike,
  isFloatToInt,
  ({ out }, constants): FoldResult =>
    foldCast(constants, elementOf(out), (bits, from, to) => float.toInteger(bits, kindOf(from), storageWidth(to), true)),
);

// --- others -----------------------------------------------------------------------------------

export const IndexCastOp = cast(
  "arith.index_cast",
  "cast between index and integer types",
  IndexCastType,
  IndexCastType,
  isIndexConversion,
  ({ out }, constants): FoldResult => foldCast(constants, elementOf(out), same),
);
export const IndexCastUIOp = cast(
  "arith.index_castui",
  "unsigned cast between index and integer types",
  IndexCastType,
  IndexCastType,
  isIndexConversion,
  ({ out }, constants): FoldResult => foldCast(constants, elementOf(out), zeroExtend),
);

export const BitcastOp = cast(
  "arith.bitcast",
  "bitcast between values of equal bit width",
  BitcastType,
  BitcastType,
  isSameWidthCast,
  ({ in: from, out }, constants): FoldResult => {
    if (isPoison(constants[0])) return constants[0];
    const to = elementOf(out);
    const folded = foldCast(constants, to, (bits, source) => BigInt.asUintN(bitWidth(source)!, bits));
    // A cast to its own type is no cast (foldCastInterfaceOp).
    return folded ?? (from.type === out.type ? from : undefined);
  },
);
