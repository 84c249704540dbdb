import { defineDialect } from "../../ir/define-dialect.js";
import { PoisonAttr } from "../ub/attrs.js";
import { PoisonOp } from "../ub/ops/poison.js";
import * as attrs from "./attrs.js";
import { ARITH_CANONICALIZATION } from "./canonicalize/index.js";
import { ConstantOp, isBuildableWith } from "./ops/constant.js";
import * as ops from "./ops/index.js";

export const arith = defineDialect("arith", {
  ops: [ops],
  attrs: [attrs],
  materializeConstant: (b, value, type, loc) => {
    if (PoisonAttr.is(value)) return b.create(PoisonOp, { value }, { types: [type], loc }).op;
    return isBuildableWith(value, type) ? b.create(ConstantOp, { value }, { types: [type], loc }).op : undefined;
  },
  inliner: { isLegalToInline: () => true },
  canonicalize: ARITH_CANONICALIZATION,
});
