import { defineDialect } from "../../ir/define-dialect.js";
import * as ops from "./ops/index.js";

export const ttng = defineDialect("ttng", { ops: [ops] });
