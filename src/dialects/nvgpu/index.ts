import { defineDialect } from "../../ir/define-dialect.js";
import * as ops from "./ops/index.js";

export const nvgpu = defineDialect("nvg", { ops: [ops] });
