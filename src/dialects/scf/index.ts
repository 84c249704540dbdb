import { defineDialect } from "../../ir/define-dialect.js";
import * as ops from "./ops/index.js";
import { YieldOp } from "./ops/yield.js";

export const scf = defineDialect("scf", {
  ops: [ops],
  inliner: {
    isLegalToInline: () => true,
    handleTerminator(_b, op, values) {
      if (op.def === YieldOp) values.forEach((value, i) => value.replaceAllUsesWith(op.operand(i)));
    },
  },
});
