/**
 * Canonicalization of arith, in upstream's order and with upstream's benefits: a pattern that upstream declares in
 * TableGen has one for each op it matches that is no constant.
 * Source: mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td.
 */
import type { Attribute } from "../../ir/attribute.js";
import { IntegerAttr, intAttr } from "../../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, isInteger } from "../../ir/builtin-types.js";
import type { CreateArgs, TypedOpDef } from "../../ir/define-op.js";
import { zeroAttr } from "../../ir/fold-constants.js";
import { fusedLoc } from "../../ir/location.js";
import { constantInt, constantOf, isAllOnesInt, isOneInt, isZeroInt } from "../../ir/match.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { type Pattern, pattern } from "../../rewrite/pattern.js";
import type { Rewriter } from "../../rewrite/rewriter.js";
import { OVERFLOW } from "./attrs.js";
import { cmpFIntToFPConst } from "./canonicalize-cmpf.js";
import * as ops from "./ops/index.js";

const { AddIOp, AddUIExtendedOp, AndIOp, BitcastOp, CmpIOp, ConstantOp, DivFOp, ExtSIOp, ExtUIOp, IndexCastOp } = ops;
const { IndexCastUIOp, MulFOp, MulIOp, MulSIExtendedOp, MulUIExtendedOp, NegFOp, OrIOp, SelectOp, ShRSIOp, ShRUIOp } = ops;
const { SIToFPOp, SubIOp, TruncFOp, TruncIOp, UIToFPOp, XOrIOp } = ops;

/** A scalar integer constant. */
interface Scalar {
  readonly value: bigint;
  readonly op: Operation;
}
function scalar(value: Value): Scalar | undefined {
  const attr = constantOf(value);
  return IntegerAttr.is(attr) ? { value: attr.params.value, op: value.definingOp! } : undefined;
}
/**
 * Sets the location of new ops to that of the matched ones. Upstream lists the matched ops as it meets them (the root,
 * then each operand's after what is inside it), constants too, but takes only as many as there are ops that are none.
 */
function at(rw: Rewriter, numOps: 1 | 2 | 3, ...matched: readonly Operation[]): void {
  rw.loc = fusedLoc(
    rw.ctx,
    matched.slice(0, numOps).map((op) => op.loc),
  );
}
function constant(rw: Rewriter, value: Attribute): Value {
  return rw.value(ConstantOp, { value });
}
/** Replaces `op` by a new op of its result types at the location set by `at`. */
function replaceWith<O, A, R, G, S>(rw: Rewriter, op: Operation, def: TypedOpDef<O, A, R, G, S>, args: CreateArgs<O, A, G, S>): true {
  const made = rw.create(def, args, { types: op.results.map((r) => r.type) });
  return rw.replace(op, (made as { readonly op: Operation }).op);
}

// --- addi, subi, muli: constants come together --------------------------------------------------

type AddSub = NonNullable<(typeof AddIOp)["viewType"]>;
const addSubOf = (value: Value, def: typeof AddIOp | typeof SubIOp): AddSub | undefined => def.match(value.definingOp);

/**
 * Where the operands of `outer`, and of the addition or subtraction that is one of them, hold a constant each: the
 * inner op, its other operand x, the inner constant c0 and the outer c1.
 */
interface Nested {
  readonly inner: AddSub;
  readonly x: Value;
  readonly c0: Scalar;
  readonly c1: Scalar;
}
function nested(outer: AddSub, innerDef: typeof AddIOp | typeof SubIOp, innerIsLhs: boolean, c0IsRhs: boolean): Nested | undefined {
  const inner = addSubOf(innerIsLhs ? outer.lhs : outer.rhs, innerDef);
  if (!inner) return undefined;
  const c0 = scalar(c0IsRhs ? inner.rhs : inner.lhs);
  const c1 = scalar(innerIsLhs ? outer.rhs : outer.lhs);
  return c0 && c1 && { inner, x: c0IsRhs ? inner.lhs : inner.rhs, c0, c1 };
}
/**
 * A pattern on `root` with `inner` as its left (or right) operand, whose right (or left) operand is constant: becomes
 * `result(x, combine(c0, c1))`, or the operands the other way round when `xLast`.
 */
function combineConstants(
  name: string,
  root: typeof AddIOp | typeof SubIOp | typeof MulIOp,
  innerDef: typeof AddIOp | typeof SubIOp | typeof MulIOp,
  where: { readonly innerIsLhs: boolean; readonly c0IsRhs: boolean },
  resultDef: typeof AddIOp | typeof SubIOp | typeof MulIOp,
  combine: (c0: bigint, c1: bigint) => bigint,
  options: { readonly xLast?: boolean; readonly dropFlags?: boolean } = {},
): Pattern {
  return pattern(
    name,
    root,
    (outer, rw) => {
      const found = nested(outer, innerDef, where.innerIsLhs, where.c0IsRhs);
      if (!found) return rw.noMatch("no constants to combine");
      const { inner, x, c0, c1 } = found;
      const { op, overflowFlags } = outer;
      at(rw, 2, op, where.innerIsLhs ? c0.op : c1.op);
      const sum = constant(rw, intAttr(outer.result.type, combine(c0.value, c1.value)));
      const flags = options.dropFlags ? OVERFLOW.none : inner.overflowFlags & overflowFlags;
      const [lhs, rhs] = options.xLast ? [sum, x] : [x, sum];
      return replaceWith(rw, op, resultDef, { lhs, rhs, overflowFlags: flags });
    },
    { benefit: 2 },
  );
}
const LHS_RHS = { innerIsLhs: true, c0IsRhs: true };
const LHS_LHS = { innerIsLhs: true, c0IsRhs: false };
const RHS_RHS = { innerIsLhs: false, c0IsRhs: true };
const RHS_LHS = { innerIsLhs: false, c0IsRhs: false };

/** addi(addi(x, c0), c1) -> addi(x, c0 + c1) */
export const addIAddConstant = combineConstants("AddIAddConstant", AddIOp, AddIOp, LHS_RHS, AddIOp, (c0, c1) => c0 + c1);
/** addi(subi(x, c0), c1) -> addi(x, c1 - c0) */
export const addISubConstantRHS = combineConstants("AddISubConstantRHS", AddIOp, SubIOp, LHS_RHS, AddIOp, (c0, c1) => c1 - c0);
/** addi(subi(c0, x), c1) -> subi(c0 + c1, x) */
export const addISubConstantLHS = combineConstants("AddISubConstantLHS", AddIOp, SubIOp, LHS_LHS, SubIOp, (c0, c1) => c0 + c1, {
  xLast: true,
});
/** muli(muli(x, c0), c1) -> muli(x, c0 * c1) */
export const mulIMulIConstant = combineConstants("MulIMulIConstant", MulIOp, MulIOp, LHS_RHS, MulIOp, (c0, c1) => c0 * c1);
/** subi(addi(x, c0), c1) -> addi(x, c0 - c1) */
export const subIRHSAddConstant = combineConstants("SubIRHSAddConstant", SubIOp, AddIOp, LHS_RHS, AddIOp, (c0, c1) => c0 - c1, {
  dropFlags: true,
});
/** subi(c1, addi(x, c0)) -> subi(c1 - c0, x) */
export const subILHSAddConstant = combineConstants("SubILHSAddConstant", SubIOp, AddIOp, RHS_RHS, SubIOp, (c0, c1) => c1 - c0, {
  xLast: true,
});
/** subi(subi(x, c0), c1) -> subi(x, c0 + c1) */
export const subIRHSSubConstantRHS = combineConstants("SubIRHSSubConstantRHS", SubIOp, SubIOp, LHS_RHS, SubIOp, (c0, c1) => c0 + c1);
/** subi(subi(c0, x), c1) -> subi(c0 - c1, x) */
export const subIRHSSubConstantLHS = combineConstants("SubIRHSSubConstantLHS", SubIOp, SubIOp, LHS_LHS, SubIOp, (c0, c1) => c0 - c1, {
  xLast: true,
});
/** subi(c1, subi(x, c0)) -> subi(c0 + c1, x) */
export const subILHSSubConstantRHS = combineConstants("SubILHSSubConstantRHS", SubIOp, SubIOp, RHS_RHS, SubIOp, (c0, c1) => c0 + c1, {
  xLast: true,
});
/** subi(c1, subi(c0, x)) -> addi(x, c1 - c0) */
export const subILHSSubConstantLHS = combineConstants("SubILHSSubConstantLHS", SubIOp, SubIOp, RHS_LHS, AddIOp, (c0, c1) => c1 - c0);

/** addi(x, muli(y, -1)) -> subi(x, y) */
export const addIMulNegativeOneRhs = pattern(
  "AddIMulNegativeOneRhs",
  AddIOp,
  ({ op, lhs, rhs }, rw) => {
    const mul = MulIOp.match(rhs.definingOp);
    if (!mul || !isAllOnesInt(mul.rhs)) return rw.noMatch("not a product with -1");
    at(rw, 2, op, mul.rhs.definingOp!);
    return replaceWith(rw, op, SubIOp, { lhs, rhs: mul.lhs, overflowFlags: OVERFLOW.none });
  },
  { benefit: 2 },
);
/** addi(muli(x, -1), y) -> subi(y, x) */
export const addIMulNegativeOneLhs = pattern(
  "AddIMulNegativeOneLhs",
  AddIOp,
  ({ op, lhs, rhs }, rw) => {
    const mul = MulIOp.match(lhs.definingOp);
    if (!mul || !isAllOnesInt(mul.rhs)) return rw.noMatch("not a product with -1");
    at(rw, 2, op, mul.rhs.definingOp!);
    return replaceWith(rw, op, SubIOp, { lhs: rhs, rhs: mul.lhs, overflowFlags: OVERFLOW.none });
  },
  { benefit: 2 },
);
/** subi(subi(a, b), a) -> subi(0, b) */
export const subISubILHSRHSLHS = pattern(
  "SubISubILHSRHSLHS",
  SubIOp,
  ({ op, lhs, rhs, overflowFlags }, rw) => {
    const inner = SubIOp.match(lhs.definingOp);
    if (!inner || inner.lhs !== rhs) return rw.noMatch("does not subtract what the operand subtracts from");
    const zero = zeroAttr(inner.rhs.type);
    if (!zero) return rw.noMatch("no zero of that type");
    at(rw, 2, op, inner.op);
    return replaceWith(rw, op, SubIOp, { lhs: constant(rw, zero), rhs: inner.rhs, overflowFlags: inner.overflowFlags & overflowFlags });
  },
  { benefit: 2 },
);

// --- extended arithmetic ------------------------------------------------------------------------

/** With the second result unused any value will do for it. */
function dropSecondResult(op: Operation, rw: Rewriter, def: typeof AddIOp): boolean {
  if (op.result(1).hasUses()) return rw.noMatch("both results are used");
  at(rw, 1, op);
  const lhs = op.operand(0);
  const first = rw.value(def, { lhs, rhs: op.operand(1), overflowFlags: OVERFLOW.none }, { types: [op.result(0).type] });
  return rw.replace(op, [first, lhs]);
}
export const addUIExtendedToAddI = pattern("AddUIExtendedToAddI", AddUIExtendedOp, ({ op }, rw) => dropSecondResult(op, rw, AddIOp));
export const mulSIExtendedToMulI = pattern("MulSIExtendedToMulI", MulSIExtendedOp, ({ op }, rw) => dropSecondResult(op, rw, MulIOp));
export const mulUIExtendedToMulI = pattern("MulUIExtendedToMulI", MulUIExtendedOp, ({ op }, rw) => dropSecondResult(op, rw, MulIOp));
/** mulsi_extended(x, 1) -> [x, extsi(cmpi slt, x, 0)] */
export const mulSIExtendedRHSOne = pattern("MulSIExtendedRHSOne", MulSIExtendedOp, ({ op, lhs, rhs, high }, rw) => {
  const zero = zeroAttr(lhs.type);
  // In i1 the constant is -1, not 1.
  if (!isOneInt(rhs) || constantInt(rhs) !== 1n || !zero) return rw.noMatch("not a product with 1");
  at(rw, 1, op);
  const negative = rw.value(CmpIOp, { predicate: "slt", lhs, rhs: constant(rw, zero) });
  return rw.replace(op, [lhs, rw.value(ExtSIOp, { in: negative }, { types: [high.type] })]);
});

// --- bitwise ------------------------------------------------------------------------------------

/** not(cmpi(pred, a, b)) -> cmpi(~pred, a, b) */
export const xOrINotCmpI = pattern(
  "XOrINotCmpI",
  XOrIOp,
  ({ op, lhs, rhs }, rw) => {
    const cmp = CmpIOp.match(lhs.definingOp);
    const ones = scalar(rhs);
    if (!cmp || !ones || ones.value !== -1n || !isInteger(rhs.type, 1)) return rw.noMatch("not the inverse of a comparison");
    at(rw, 2, op, cmp.op);
    return replaceWith(rw, op, CmpIOp, { predicate: ops.INVERTED[cmp.predicate], lhs: cmp.lhs, rhs: cmp.rhs });
  },
  { benefit: 2 },
);
type Extension = typeof ExtUIOp | typeof ExtSIOp;
/** Both operands extended from one type: the sources. */
function extendedOperands(lhs: Value, rhs: Value, def: Extension) {
  const a = def.match(lhs.definingOp);
  const b = def.match(rhs.definingOp);
  return a && b && a.in.type === b.in.type ? { a, b } : undefined;
}
/** f(ext(x), ext(y)) -> ext(f(x, y)) */
function extendLater(name: string, root: typeof AndIOp, extension: Extension): Pattern {
  return pattern(
    name,
    root,
    ({ op, lhs, rhs }, rw) => {
      const sources = extendedOperands(lhs, rhs, extension);
      if (!sources) return rw.noMatch("operands are not extended from one type");
      const { a, b } = sources;
      at(rw, 3, op, a.op, b.op);
      return replaceWith(rw, op, extension, { in: rw.value(root, { lhs: a.in, rhs: b.in }) });
    },
    { benefit: 3 },
  );
}
export const xOrIOfExtUI = extendLater("XOrIOfExtUI", XOrIOp, ExtUIOp);
export const xOrIOfExtSI = extendLater("XOrIOfExtSI", XOrIOp, ExtSIOp);
export const andOfExtUI = extendLater("AndOfExtUI", AndIOp, ExtUIOp);
export const andOfExtSI = extendLater("AndOfExtSI", AndIOp, ExtSIOp);
export const orOfExtUI = extendLater("OrOfExtUI", OrIOp, ExtUIOp);
export const orOfExtSI = extendLater("OrOfExtSI", OrIOp, ExtSIOp);

/** cmpi(== or !=, ext(a), ext(b)) -> cmpi(== or !=, a, b) */
function compareBeforeExtending(name: string, extension: Extension): Pattern {
  return pattern(
    name,
    CmpIOp,
    ({ op, lhs, rhs, predicate }, rw) => {
      const sources = extendedOperands(lhs, rhs, extension);
      if (!sources || (predicate !== "eq" && predicate !== "ne")) return rw.noMatch("not an equality of extensions from one type");
      const { a, b } = sources;
      at(rw, 3, op, a.op, b.op);
      return replaceWith(rw, op, CmpIOp, { predicate, lhs: a.in, rhs: b.in });
    },
    { benefit: 3 },
  );
}
export const cmpIExtSI = compareBeforeExtending("CmpIExtSI", ExtSIOp);
export const cmpIExtUI = compareBeforeExtending("CmpIExtUI", ExtUIOp);

// --- casts --------------------------------------------------------------------------------------

type AnyCast = typeof ExtUIOp;
/** cast(inner(x)) -> result(x) of the same type */
function castOfCast(name: string, root: AnyCast, inner: AnyCast, result: AnyCast): Pattern {
  return pattern(
    name,
    root,
    ({ op, in: from }, rw) => {
      const source = inner.match(from.definingOp);
      if (!source) return rw.noMatch(`operand is not ${inner.name}`);
      at(rw, 2, op, source.op);
      return replaceWith(rw, op, result, { in: source.in });
    },
    { benefit: 2 },
  );
}
/** cast(cast(x)) -> x, where the type comes back */
function castBack(name: string, root: AnyCast): Pattern {
  return pattern(
    name,
    root,
    ({ op, in: from, out }, rw) => {
      const source = root.match(from.definingOp);
      if (!source || source.in.type !== out.type) return rw.noMatch("the type does not come back");
      return rw.replace(op, source.in);
    },
    { benefit: 2 },
  );
}
export const extSIOfExtUI = castOfCast("ExtSIOfExtUI", ExtSIOp, ExtUIOp, ExtUIOp);
export const indexCastOfIndexCast = castBack("IndexCastOfIndexCast", IndexCastOp);
export const indexCastOfExtSI = castOfCast("IndexCastOfExtSI", IndexCastOp, ExtSIOp, IndexCastOp);
export const indexCastUIOfIndexCastUI = castBack("IndexCastUIOfIndexCastUI", IndexCastUIOp);
export const indexCastUIOfExtUI = castOfCast("IndexCastUIOfExtUI", IndexCastUIOp, ExtUIOp, IndexCastUIOp);
export const bitcastOfBitcast = castOfCast("BitcastOfBitcast", BitcastOp, BitcastOp, BitcastOp);

const widthOf = (value: Value): number => bitWidth(elementTypeOrSelf(value.type)) ?? -1;
/** trunci(ext(x)) -> ext(x), where only extended bits are cut off */
function truncOfExtension(name: string, extension: Extension): Pattern {
  return pattern(
    name,
    TruncIOp,
    ({ op, in: from, out }, rw) => {
      const ext = extension.match(from.definingOp);
      if (!ext || widthOf(from) <= widthOf(out) || widthOf(out) <= widthOf(ext.in)) return rw.noMatch("not a longer extension");
      at(rw, 2, op, ext.op);
      return replaceWith(rw, op, extension, { in: ext.in });
    },
    { benefit: 2 },
  );
}
export const truncIExtSIToExtSI = truncOfExtension("TruncIExtSIToExtSI", ExtSIOp);
export const truncIExtUIToExtUI = truncOfExtension("TruncIExtUIToExtUI", ExtUIOp);
/** trunci(shrsi(x, c)) -> trunci(shrui(x, c)), where the copies of the sign are cut off */
export const truncIShrSIToTruncIShrUI = pattern(
  "TruncIShrSIToTrunciShrUI",
  TruncIOp,
  ({ op, in: from, out, overflowFlags }, rw) => {
    const shift = ShRSIOp.match(from.definingOp);
    const amount = shift && constantOf(shift.rhs);
    if (!shift || !amount || constantInt(amount) !== BigInt(widthOf(shift.lhs) - widthOf(out)))
      return rw.noMatch("does not cut off just what is shifted in");
    at(rw, 2, op, shift.rhs.definingOp!);
    const shifted = rw.value(ShRUIOp, { lhs: shift.lhs, rhs: constant(rw, amount) });
    return replaceWith(rw, op, TruncIOp, { in: shifted, overflowFlags });
  },
  { benefit: 2 },
);
/** truncf(itofp(x)) -> itofp(x), in the default rounding mode */
function truncOfConversion(name: string, conversion: typeof SIToFPOp): Pattern {
  return pattern(
    name,
    TruncFOp,
    ({ op, in: from, roundingmode }, rw) => {
      const source = conversion.match(from.definingOp);
      if (!source || roundingmode !== undefined) return rw.noMatch("not converted from an integer, or rounded otherwise");
      at(rw, 2, op, source.op);
      return replaceWith(rw, op, conversion, { in: source.in });
    },
    { benefit: 2 },
  );
}
export const truncFSIToFPToSIToFP = truncOfConversion("TruncFSIToFPToSIToFP", SIToFPOp);
export const truncFUIToFPToUIToFP = truncOfConversion("TruncFUIToFPToUIToFP", UIToFPOp);

// --- floats -------------------------------------------------------------------------------------

/** f(negf(x), negf(y)) -> f(x, y) */
function negationsCancel(name: string, root: typeof MulFOp): Pattern {
  return pattern(
    name,
    root,
    ({ op, lhs, rhs, fastmath }, rw) => {
      const a = NegFOp.match(lhs.definingOp);
      const b = NegFOp.match(rhs.definingOp);
      if (!a || !b) return rw.noMatch("operands are not both negated");
      at(rw, 3, op, a.op, b.op);
      return replaceWith(rw, op, root, { lhs: a.operand, rhs: b.operand, fastmath });
    },
    { benefit: 3 },
  );
}
export const mulFOfNegF = negationsCancel("MulFOfNegF", MulFOp);
export const divFOfNegF = negationsCancel("DivFOfNegF", DivFOp);

// --- select -------------------------------------------------------------------------------------

/** select(pred, a, select(pred, b, c)) -> select(pred, a, c) */
export const redundantSelectFalse = pattern(
  "RedundantSelectFalse",
  SelectOp,
  ({ op, condition, true_value, false_value }, rw) => {
    const inner = SelectOp.match(false_value.definingOp);
    if (!inner || inner.condition !== condition) return rw.noMatch("no select by the same condition");
    at(rw, 2, op, inner.op);
    return replaceWith(rw, op, SelectOp, { condition, true_value, false_value: inner.false_value });
  },
  { benefit: 2 },
);
/** select(pred, select(pred, a, b), c) -> select(pred, a, c) */
export const redundantSelectTrue = pattern(
  "RedundantSelectTrue",
  SelectOp,
  ({ op, condition, true_value, false_value }, rw) => {
    const inner = SelectOp.match(true_value.definingOp);
    if (!inner || inner.condition !== condition) return rw.noMatch("no select by the same condition");
    at(rw, 2, op, inner.op);
    return replaceWith(rw, op, SelectOp, { condition, true_value: inner.true_value, false_value });
  },
  { benefit: 2 },
);
/** select(not(pred), a, b) -> select(pred, b, a) */
export const selectNotCond = pattern(
  "SelectNotCond",
  SelectOp,
  ({ op, condition, true_value, false_value }, rw) => {
    const not = XOrIOp.match(condition.definingOp);
    const ones = not && constantOf(not.rhs);
    if (!not || !IntegerAttr.is(ones) || !isAllOnesInt(ones)) return rw.noMatch("condition is not inverted");
    at(rw, 2, op, not.rhs.definingOp!);
    return replaceWith(rw, op, SelectOp, { condition: not.lhs, true_value: false_value, false_value: true_value });
  },
  { benefit: 2 },
);
/** select(pred, false, true) -> not(pred) */
export const selectI1ToNot = pattern("SelectI1ToNot", SelectOp, ({ op, condition, true_value, false_value }, rw) => {
  const no = scalar(true_value);
  const yes = scalar(false_value);
  if (!isInteger(true_value.type, 1) || no?.value !== 0n || yes?.value !== -1n) return rw.noMatch("does not select false or true");
  at(rw, 1, op);
  const one = constant(rw, intAttr(true_value.type, 1));
  return replaceWith(rw, op, XOrIOp, { lhs: condition, rhs: one });
});
/** select(pred, 1, 0) -> extui(pred), and select(pred, 0, 1) -> extui(not(pred)), for integers wider than i1 */
export const selectToExtUI = pattern("SelectToExtUI", SelectOp, ({ op, condition, true_value, false_value, result }, rw) => {
  if (!isInteger(result.type) || isInteger(result.type, 1)) return rw.noMatch("not a wider integer");
  if (isOneInt(true_value) && isZeroInt(false_value)) return replaceWith(rw, op, ExtUIOp, { in: condition });
  if (!isZeroInt(true_value) || !isOneInt(false_value)) return rw.noMatch("does not select 0 or 1");
  const one = constant(rw, intAttr(condition.type, 1));
  return replaceWith(rw, op, ExtUIOp, { in: rw.value(XOrIOp, { lhs: condition, rhs: one }) });
});

export const ARITH_CANONICALIZATION: readonly Pattern[] = [
  ...[addIAddConstant, addISubConstantRHS, addISubConstantLHS, addIMulNegativeOneRhs, addIMulNegativeOneLhs],
  addUIExtendedToAddI,
  ...[subIRHSAddConstant, subILHSAddConstant, subIRHSSubConstantRHS, subIRHSSubConstantLHS],
  ...[subILHSSubConstantRHS, subILHSSubConstantLHS, subISubILHSRHSLHS],
  mulIMulIConstant,
  ...[mulSIExtendedToMulI, mulSIExtendedRHSOne],
  mulUIExtendedToMulI,
  ...[andOfExtUI, andOfExtSI],
  ...[orOfExtUI, orOfExtSI],
  ...[xOrINotCmpI, xOrIOfExtUI, xOrIOfExtSI],
  mulFOfNegF,
  divFOfNegF,
  extSIOfExtUI,
  ...[truncIExtSIToExtSI, truncIExtUIToExtUI, truncIShrSIToTruncIShrUI],
  ...[truncFSIToFPToSIToFP, truncFUIToFPToUIToFP],
  ...[indexCastOfIndexCast, indexCastOfExtSI],
  ...[indexCastUIOfIndexCastUI, indexCastUIOfExtUI],
  bitcastOfBitcast,
  ...[cmpIExtSI, cmpIExtUI],
  cmpFIntToFPConst,
  ...[redundantSelectFalse, redundantSelectTrue, selectNotCond, selectI1ToNot, selectToExtUI],
];
