/** The range of an op's result from those of its operands. Source: mlir/lib/Dialect/Arith/IR/InferIntRangeInterfaceImpls.cpp. */
import { OVERFLOW } from "../../dialects/arith/attrs.js";
import * as arith from "../../dialects/arith/ops/index.js";
import { DenseElementsAttr, IntegerAttr } from "../../ir/builtin-attrs.js";
import type { OpDef } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import {
  added,
  comparison,
  conjunction,
  constantRange,
  disjunction,
  dividedSigned,
  dividedUnsigned,
  exclusive,
  type IntRange,
  maximum,
  minimum,
  multiplied,
  type NoWrap,
  rangeWidth,
  remainderSigned,
  remainderUnsigned,
  shiftedLeft,
  shiftedRight,
  signExtended,
  subtracted,
  truncated,
  unite,
  unsignedRange,
  zeroExtended,
} from "./range.js";

/** The range of the only result; all operands have one. Undefined where nothing follows. */
export type RangeRule = (op: Operation, operands: readonly IntRange[]) => IntRange | undefined;

const binary =
  (fn: (a: IntRange, b: IntRange) => IntRange): RangeRule =>
  (_, [a, b]) =>
    fn(a!, b!);
const mayWrap =
  (fn: (a: IntRange, b: IntRange, noWrap: NoWrap) => IntRange): RangeRule =>
  (op, [a, b]) => {
    const { overflowFlags } = op.def.viewOf(op) as { readonly overflowFlags: number };
    return fn(a!, b!, { unsigned: (overflowFlags & OVERFLOW.nuw) !== 0, signed: (overflowFlags & OVERFLOW.nsw) !== 0 });
  };
const cast =
  (fn: (a: IntRange, width: number) => IntRange): RangeRule =>
  (op, [a]) =>
    fn(a!, rangeWidth(op.result(0).type));
const indexCast = (extended: (a: IntRange, width: number) => IntRange): RangeRule =>
  cast((a, width) => (a.width < width ? extended(a, width) : a.width > width ? truncated(a, width) : a));

export const ARITH_RANGES: ReadonlyMap<OpDef, RangeRule> = new Map<OpDef, RangeRule>([
  [arith.ConstantOp, constant],
  [arith.AddIOp, mayWrap(added)],
  [arith.SubIOp, mayWrap(subtracted)],
  [arith.MulIOp, mayWrap(multiplied)],
  [arith.ShLIOp, mayWrap(shiftedLeft)],
  [arith.DivUIOp, binary((a, b) => dividedUnsigned(a, b, false))],
  [arith.CeilDivUIOp, binary((a, b) => dividedUnsigned(a, b, true))],
  [arith.DivSIOp, binary((a, b) => dividedSigned(a, b, "zero"))],
  [arith.CeilDivSIOp, binary((a, b) => dividedSigned(a, b, "up"))],
  [arith.FloorDivSIOp, binary((a, b) => dividedSigned(a, b, "down"))],
  [arith.RemUIOp, binary(remainderUnsigned)],
  [arith.RemSIOp, binary(remainderSigned)],
  [arith.AndIOp, binary(conjunction)],
  [arith.OrIOp, binary(disjunction)],
  [arith.XOrIOp, binary(exclusive)],
  [arith.MaxSIOp, binary((a, b) => maximum(a, b, true))],
  [arith.MaxUIOp, binary((a, b) => maximum(a, b, false))],
  [arith.MinSIOp, binary((a, b) => minimum(a, b, true))],
  [arith.MinUIOp, binary((a, b) => minimum(a, b, false))],
  [arith.ShRSIOp, binary((a, b) => shiftedRight(a, b, true))],
  [arith.ShRUIOp, binary((a, b) => shiftedRight(a, b, false))],
  [arith.ExtUIOp, cast(zeroExtended)],
  [arith.ExtSIOp, cast(signExtended)],
  [arith.TruncIOp, cast(truncated)],
  [arith.IndexCastOp, indexCast(signExtended)],
  [arith.IndexCastUIOp, indexCast(zeroExtended)],
  [arith.CmpIOp, compare],
]);

function constant(op: Operation): IntRange | undefined {
  const value = op.attr("value");
  const width = rangeWidth(op.result(0).type);
  if (width === 0) return undefined;
  if (IntegerAttr.is(value)) return constantRange(width, value.params.value);
  if (!DenseElementsAttr.is(value)) return undefined;
  return value.params.elements.map((element) => constantRange(width, element)).reduce(unite);
}

function compare(op: Operation, [a, b]: readonly IntRange[]): IntRange {
  const known = comparison(arith.CmpIOp.match(op)!.predicate, a!, b!);
  return unsignedRange(1, known === true ? 1n : 0n, known === false ? 0n : 1n);
}
