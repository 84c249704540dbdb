/** Products and quotients of negations. Source: mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td. */
import { type Pattern, pattern } from "../../../rewrite/pattern.js";
import { DivFOp, MulFOp, NegFOp } from "../ops/float.js";
import { at, replaceWith } from "./declarative.js";

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
