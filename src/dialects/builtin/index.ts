import { defineDialect } from "../../ir/define-dialect.js";
import { BUILTIN_ATTRS, BUILTIN_TYPES } from "./core.js";
import * as ops from "./ops/index.js";

export const builtin = defineDialect("builtin", { ops: [ops], attrs: [BUILTIN_ATTRS], types: [BUILTIN_TYPES] });
