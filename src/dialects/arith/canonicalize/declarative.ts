/**
 * Helpers of arith's canonicalization patterns. Upstream declares most of them in TableGen: such a pattern has one
 * benefit for each op it matches that is no constant. Source: mlir/tools/mlir-tblgen/RewriterGen.cpp.
 */
import type { Attribute } from "../../../ir/attribute.js";
import { IntegerAttr } from "../../../ir/builtin-attrs.js";
import type { CreateArgs, TypedOpDef } from "../../../ir/define-op.js";
import { fusedLoc } from "../../../ir/location.js";
import { constantOf } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { ConstantOp } from "../ops/constant.js";

/** A scalar integer constant. */
export interface Scalar {
  readonly value: bigint;
  readonly op: Operation;
}
export function scalar(value: Value): Scalar | undefined {
  const attr = constantOf(value);
  return IntegerAttr.is(attr) ? { value: attr.params.value, op: value.definingOp! } : undefined;
}
/**
 * Sets the location of new ops to that of the matched ones. Upstream lists the matched ops as it meets them (the root,
 * then each operand's after what is inside it), constants too, but takes only as many as there are ops that are none.
 */
export function at(rw: Rewriter, numOps: 1 | 2 | 3, ...matched: readonly Operation[]): void {
  rw.loc = fusedLoc(
    rw.ctx,
    matched.slice(0, numOps).map((op) => op.loc),
  );
}
export function constant(rw: Rewriter, value: Attribute): Value {
  return rw.value(ConstantOp, { value });
}
/** Replaces `op` by a new op of its result types at the location set by `at`. */
export function replaceWith<O, A, R, G, S>(
  rw: Rewriter,
  op: Operation,
  def: TypedOpDef<O, A, R, G, S>,
  args: CreateArgs<O, A, G, S>,
): true {
  const made = rw.create(def, args, { types: op.results.map((r) => r.type) });
  return rw.replace(op, (made as { readonly op: Operation }).op);
}
