import { defineDialect } from "../../ir/define-dialect.js";
import { arith } from "../arith/index.js";
import * as ops from "./ops/index.js";

export const math = defineDialect("math", {
  ops: [ops],
  materializeConstant: arith.materializeConstant,
  inliner: { isLegalToInline: () => true },
});
