import { defineDialect } from "../../ir/define-dialect.js";
import * as ops from "./ops/index.js";

export const cf = defineDialect("cf", { ops: [ops], inliner: { isLegalToInline: () => true, handleTerminator: () => {} } });
