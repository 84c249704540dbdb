import { defineDialect } from "../../ir/define-dialect.js";
import { SCF_CANONICALIZATION } from "./canonicalize/index.js";
import * as ops from "./ops/index.js";
import { YieldOp } from "./ops/yield.js";

export const scf = defineDialect("scf", {
  ops: [ops],
  canonicalize: SCF_CANONICALIZATION,
  inliner: {
    isLegalToInline: () => true,
    handleTerminator(_b, op, values) {
      if (op.def === YieldOp) values.forEach((value, i) => value.replaceAllUsesWith(op.operand(i)));
    },
  },
});
