/** The common parts of the arith ops: one function for each base class of ArithOps.td. */
import type { Attribute } from "../../../ir/attribute.js";
import { defaultAttr } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { ConditionallySpeculatable, implement } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { Elementwise, Pure, SameOperandsAndResultType, Scalarizable, Tensorizable, type Trait, Vectorizable } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { FAST_MATH, FastMathC, IntegerOverflowC, OVERFLOW } from "../attrs.js";
import { FloatLike, SignlessIntegerOrIndexLike } from "../constraints.js";

/** ElementwiseMappable */
export const ELEMENTWISE: readonly Trait[] = [Elementwise, Scalarizable, Vectorizable, Tensorizable];

export type Constants = readonly (Attribute | undefined)[];
/** The view of a binary op that its fold gets. */
export interface BinaryView {
  readonly op: Operation;
  readonly lhs: Value;
  readonly rhs: Value;
  readonly result: Value;
}
export type BinaryFold<V extends BinaryView = BinaryView> = (view: V, constants: Constants) => FoldResult;

const intOperands = { lhs: SignlessIntegerOrIndexLike, rhs: SignlessIntegerOrIndexLike } as const;
const intResult = { result: SignlessIntegerOrIndexLike } as const;
const BINARY_FORMAT = "$lhs `,` $rhs attr-dict `:` type($result)";

/** Arith_TotalIntBinaryOp: no undefined behaviour. */
export function totalIntBinary(name: string, summary: string, traits: readonly Trait[], fold: BinaryFold) {
  return defineOp(name, () => ({
    summary,
    operands: intOperands,
    results: intResult,
    traits: [...traits, Pure, SameOperandsAndResultType, ...ELEMENTWISE],
    format: BINARY_FORMAT,
    fold: (view, constants): FoldResult => fold(view, constants),
  }));
}
/** Arith_IntBinaryOp that may only be executed early when `isSafe`. */
export function partialIntBinary(name: string, summary: string, isSafe: (rhs: Value) => boolean, fold: BinaryFold) {
  return defineOp(name, () => ({
    summary,
    operands: intOperands,
    results: intResult,
    traits: [SameOperandsAndResultType, ...ELEMENTWISE],
    interfaces: [implement(ConditionallySpeculatable, { speculatable: (op) => (isSafe(op.operand(1)) ? "yes" : "no") })],
    format: BINARY_FORMAT,
    effects: () => [],
    fold: (view, constants): FoldResult => fold(view, constants),
  }));
}
/** Arith_IntBinaryOpWithOverflowFlags */
export function overflowIntBinary(
  name: string,
  summary: string,
  traits: readonly Trait[],
  fold: BinaryFold<BinaryView & { readonly overflowFlags: number }>,
) {
  return defineOp(name, () => ({
    summary,
    operands: intOperands,
    attrs: { overflowFlags: defaultAttr(IntegerOverflowC, OVERFLOW.none) },
    results: intResult,
    traits: [...traits, Pure, SameOperandsAndResultType, ...ELEMENTWISE],
    format: "$lhs `,` $rhs (`overflow` `` $overflowFlags^)? attr-dict `:` type($result)",
    fold: (view, constants): FoldResult => fold(view, constants),
  }));
}
/** Arith_FloatBinaryOp */
export function floatBinary(
  name: string,
  summary: string,
  traits: readonly Trait[],
  fold: BinaryFold<BinaryView & { readonly fastmath: number }>,
) {
  return defineOp(name, () => ({
    summary,
    operands: { lhs: FloatLike, rhs: FloatLike },
    attrs: { fastmath: defaultAttr(FastMathC, FAST_MATH.none) },
    results: { result: FloatLike },
    traits: [Pure, ...traits, SameOperandsAndResultType, ...ELEMENTWISE],
    format: "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)",
    fold: (view, constants): FoldResult => fold(view, constants),
  }));
}
