import { defineDialect } from "../../ir/define-dialect.js";
import { ConstantOp } from "./ops/constant.js";
import * as ops from "./ops/index.js";

export const arith = defineDialect("arith", {
  ops: [ops],
  materializeConstant: (b, value, type, loc) => b.create(ConstantOp, { value }, { types: [type], loc }).op,
});
