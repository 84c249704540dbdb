import { defineDialect } from "../../ir/define-dialect.js";
import * as attrs from "./attrs.js";
import * as ops from "./ops/index.js";

export const ub = defineDialect("ub", {
  ops: [ops],
  attrs: [attrs],
  materializeConstant: (b, value, type, loc) =>
    attrs.PoisonAttr.is(value) ? b.create(ops.PoisonOp, { value }, { types: [type], loc }).op : undefined,
  inliner: { isLegalToInline: () => true },
});
