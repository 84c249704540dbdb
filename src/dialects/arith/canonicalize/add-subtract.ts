/** Constants of nested additions, subtractions and multiplications come together. Source: mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td. */
import { intAttr } from "../../../ir/builtin-attrs.js";
import { zeroAttr } from "../../../ir/fold-constants.js";
import { isAllOnesInt } from "../../../ir/match.js";
import type { Value } from "../../../ir/value.js";
import { type Pattern, pattern } from "../../../rewrite/pattern.js";
import { OVERFLOW } from "../attrs.js";
import { AddIOp, MulIOp, SubIOp } from "../ops/integer.js";
import { at, constant, replaceWith, type Scalar, scalar } from "./declarative.js";

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
