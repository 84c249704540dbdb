import { I1, StrAttr } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";

/** Source: mlir/include/mlir/Dialect/ControlFlow/IR/ControlFlowOps.td, AssertOp. */
export const AssertOp = defineOp("cf.assert", () => ({
  summary: "Assert operation with message attribute",
  operands: { arg: I1 },
  attrs: { msg: StrAttr },
  format: "$arg `,` $msg attr-dict",
  // It writes to no memory that others read, but must stay where it is.
  effects: () => [{ kind: "write" }],
}));
