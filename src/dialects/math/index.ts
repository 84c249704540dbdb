import { defineDialect } from "../../ir/define-dialect.js";
import * as ops from "./ops/index.js";

export const math = defineDialect("math", { ops: [ops] });
