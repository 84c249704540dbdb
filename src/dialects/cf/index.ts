import { defineDialect } from "../../ir/define-dialect.js";
import { CF_CANONICALIZATION } from "./canonicalize.js";
import * as ops from "./ops/index.js";

export const cf = defineDialect("cf", {
  ops: [ops],
  canonicalize: CF_CANONICALIZATION,
  inliner: { isLegalToInline: () => true, handleTerminator: () => {} },
});
