import { defineDialect } from "../../ir/define-dialect.js";
import { ConstantOp } from "../arith/ops/constant.js";
import * as ops from "./ops/index.js";
import * as types from "./types.js";

/** Source: lib/Dialect/Triton/IR/Dialect.cpp. */
export const tt = defineDialect("tt", {
  ops: [ops],
  types: [types],
  materializeConstant: (b, value, type, loc) => b.create(ConstantOp, { value }, { types: [type], loc }).op,
});
