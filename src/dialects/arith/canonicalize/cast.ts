/** Casts. Source: mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td. */
import { bitWidth, elementTypeOrSelf } from "../../../ir/builtin-types.js";
import { constantInt, constantOf } from "../../../ir/match.js";
import type { Value } from "../../../ir/value.js";
import { type Pattern, pattern } from "../../../rewrite/pattern.js";
import { ShRSIOp, ShRUIOp } from "../ops/bitwise.js";
import { BitcastOp, ExtSIOp, ExtUIOp, IndexCastOp, IndexCastUIOp, SIToFPOp, TruncFOp, TruncIOp, UIToFPOp } from "../ops/cast.js";
import { at, constant, replaceWith } from "./declarative.js";

type Extension = typeof ExtUIOp | typeof ExtSIOp;
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
