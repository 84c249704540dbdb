import type { Builder } from "../../ir/builder.js";
import { intAttr } from "../../ir/builtin-attrs.js";
import type { View } from "../../ir/define-op.js";
import type { Value } from "../../ir/value.js";
import { AddIOp, ConstantOp, DivSIOp, MulIOp, SubIOp } from "../arith/ops/index.js";
import type { ForOp } from "../scf/ops/index.js";

/**
 * The value of a loop's induction variable in its last round: (ub - lb - 1) / step * step + lb.
 * Source: lib/Dialect/Triton/IR/Utility.cpp, getLastInductionValue.
 */
export function getLastInductionValue(b: Pick<Builder, "value">, loop: View<typeof ForOp>): Value {
  const options = { loc: loop.op.locRef };
  const { lowerBound, upperBound, step } = loop;
  const extent = b.value(SubIOp, { lhs: upperBound, rhs: lowerBound }, options);
  const one = b.value(ConstantOp, { value: intAttr(extent.type, 1) }, options);
  const last = b.value(SubIOp, { lhs: extent, rhs: one }, options);
  const rounds = b.value(DivSIOp, { lhs: last, rhs: step }, options);
  const distance = b.value(MulIOp, { lhs: rounds, rhs: step }, options);
  return b.value(AddIOp, { lhs: distance, rhs: lowerBound }, options);
}
