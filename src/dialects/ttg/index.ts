import { defineDialect } from "../../ir/define-dialect.js";
import "./custom-directives.js";
import * as encodings from "./encodings/index.js";
import * as ops from "./ops/index.js";
import * as types from "./types.js";

export const ttg = defineDialect("ttg", { ops: [ops], attrs: [encodings], types: [types] });
