/** MLIR's functions: Triton's until it got its own in 2.1. */
import { defineDialect } from "../../ir/define-dialect.js";
import * as ops from "./ops/index.js";

export const func = defineDialect("func", {
  ops: [ops],
  inliner: {
    isLegalToInline: () => true,
    handleTerminator(_b, op, values, continueAt) {
      if (!continueAt && ops.FuncReturnOp.is(op)) op.operands.forEach((operand, i) => values[i]!.replaceAllUsesWith(operand));
    },
  },
});
