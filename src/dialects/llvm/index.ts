import { defineDialect } from "../../ir/define-dialect.js";
import * as ops from "./ops/index.js";

export const llvm = defineDialect("llvm", { ops: [ops] });
