import { defineDialect } from "../../ir/define-dialect.js";
import * as attrs from "./attrs.js";
import { GPU_CANONICALIZATION } from "./canonicalize.js";
import * as ops from "./ops/index.js";

export const gpu = defineDialect("gpu", {
  ops: [ops],
  attrs: [attrs],
  canonicalize: GPU_CANONICALIZATION,
  inliner: { isLegalToInline: () => true },
});
