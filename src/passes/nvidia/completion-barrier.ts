/** The barriers that a tcgen05 instruction signals. Source: lib/Dialect/TritonNvidiaGPU/IR/Ops.cpp, addCompletionBarrier. */
import { TCGen5MMAOp, TCGen5MMAScaledOp } from "../../dialects/ttng/ops/tc-gen5-mma.js";
import { i32ArrayAttr, intsOf } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import type { Rewriter } from "../../rewrite/rewriter.js";

type MMA = NonNullable<ReturnType<typeof TCGen5MMAOp.match>> | NonNullable<ReturnType<typeof TCGen5MMAScaledOp.match>>;
/** The view of either instruction. */
export const mmaOf = (op: Operation): MMA => (TCGen5MMAOp.match(op) ?? TCGen5MMAScaledOp.match(op))!;

/** The instruction signals `barrier` when it is done, if `pred` holds. */
export function addCompletionBarrier(rw: Rewriter, op: Operation, barrier: Value, pred: Value): void {
  const { barriers, barrier_preds } = mmaOf(op);
  const kept = op.numOperands - barriers.length - barrier_preds.length;
  const sizes = [...intsOf(op.attr("operandSegmentSizes"))!];
  sizes[sizes.length - 2] = barriers.length + 1;
  sizes[sizes.length - 1] = barrier_preds.length + 1;
  const operands = [...op.operands.slice(0, kept), ...barriers, barrier, ...barrier_preds, pred];
  rw.modify(op, () => {
    op.setOperands(operands);
    op.setAttr("operandSegmentSizes", i32ArrayAttr(op.ctx, sizes));
  });
}
