import { IntegerAttr } from "../../ir/builtin-attrs.js";
import { defineDialect } from "../../ir/define-dialect.js";
import { ConstantOp } from "../arith/ops/constant.js";
import { BranchOp } from "../cf/ops/branch.js";
import * as attrs from "./cache-policy.js";
import { canonicalize } from "./canonicalize.js";
import { TT_OLDER_FORMS } from "./older-forms.js";
import * as ops from "./ops/index.js";
import * as types from "./types.js";

/** Source: lib/Dialect/Triton/IR/Dialect.cpp. */
export const tt = defineDialect("tt", {
  ops: [ops],
  types: [types],
  attrs: [attrs],
  olderForms: () => TT_OLDER_FORMS,
  canonicalize,
  materializeConstant: (b, value, type, loc) => b.create(ConstantOp, { value }, { types: [type], loc }).op,
  inliner: {
    isLegalToInline: () => true,
    shouldInlineCall: (_call, callee) => {
      const noinline = callee.attr("noinline");
      return !ops.FuncOp.is(callee) || noinline === undefined || IntegerAttr.match(noinline)?.params.value === 0n;
    },
    handleTerminator(b, op, values, continueAt) {
      if (!ops.ReturnOp.is(op)) return;
      if (continueAt) {
        b.create(BranchOp, { destOperands: op.operands, dest: continueAt }, { loc: op.locRef });
        op.erase();
      } else op.operands.forEach((operand, i) => values[i]!.replaceAllUsesWith(operand));
    },
  },
});
