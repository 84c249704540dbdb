/** Selects. Source: mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td. */
import { IntegerAttr, intAttr } from "../../../ir/builtin-attrs.js";
import { isInteger } from "../../../ir/builtin-types.js";
import { constantOf, isAllOnesInt, isOneInt, isZeroInt } from "../../../ir/match.js";
import { pattern } from "../../../rewrite/pattern.js";
import { XOrIOp } from "../ops/bitwise.js";
import { ExtUIOp } from "../ops/cast.js";
import { SelectOp } from "../ops/select.js";
import { at, constant, replaceWith, scalar } from "./declarative.js";

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
