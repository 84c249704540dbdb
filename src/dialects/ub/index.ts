import { defineDialect } from "../../ir/define-dialect.js";
import * as ops from "./ops/index.js";

export const ub = defineDialect("ub", { ops: [ops] });
