/** Extended additions and multiplications of which one result is used. Source: mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td. */
import { zeroAttr } from "../../../ir/fold-constants.js";
import { constantInt, isOneInt } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import { pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { OVERFLOW } from "../attrs.js";
import { ExtSIOp } from "../ops/cast.js";
import { CmpIOp } from "../ops/compare.js";
import { AddIOp, AddUIExtendedOp, MulIOp, MulSIExtendedOp, MulUIExtendedOp } from "../ops/integer.js";
import { at, constant } from "./declarative.js";

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
