import { defineDialect } from "../../ir/define-dialect.js";
import * as attrs from "./attrs.js";
import { TTNG_CANONICALIZATION } from "./canonicalize.js";
import "./custom-directives.js";
import * as ops from "./ops/index.js";
import * as types from "./types.js";

export const ttng = defineDialect("ttng", {
  ops: [ops],
  attrs: [attrs],
  types: [types],
  canonicalize: TTNG_CANONICALIZATION,
  inliner: { isLegalToInline: () => true },
});
