/** Bitwise operations and comparisons. Source: mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td. */
import { isInteger } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { type Pattern, pattern } from "../../../rewrite/pattern.js";
import { INVERTED_CMPI } from "../attrs.js";
import { AndIOp, OrIOp, XOrIOp } from "../ops/bitwise.js";
import { ExtSIOp, ExtUIOp } from "../ops/cast.js";
import { CmpIOp } from "../ops/compare.js";
import { at, replaceWith, scalar } from "./declarative.js";

/** not(cmpi(pred, a, b)) -> cmpi(~pred, a, b) */
export const xOrINotCmpI = pattern(
  "XOrINotCmpI",
  XOrIOp,
  ({ op, lhs, rhs }, rw) => {
    const cmp = CmpIOp.match(lhs.definingOp);
    const ones = scalar(rhs);
    if (!cmp || !ones || ones.value !== -1n || !isInteger(rhs.type, 1)) return rw.noMatch("not the inverse of a comparison");
    at(rw, 2, op, cmp.op);
    return replaceWith(rw, op, CmpIOp, { predicate: INVERTED_CMPI[cmp.predicate], lhs: cmp.lhs, rhs: cmp.rhs });
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
