/** The part of MLIR's tensor dialect that Triton 2.0 used. */
import { defineDialect } from "../../ir/define-dialect.js";
import * as ops from "./ops/index.js";

export const tensor = defineDialect("tensor", { ops: [ops] });
