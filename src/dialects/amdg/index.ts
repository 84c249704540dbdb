import { defineDialect } from "../../ir/define-dialect.js";
import * as attrs from "./attrs.js";
import { AMDG_CANONICALIZATION } from "./canonicalize.js";
import * as ops from "./ops/index.js";

/** Ops and attributes that AMD's GPUs add to ttg. Source: third_party/amd/lib/Dialect/TritonAMDGPU/IR/Dialect.cpp. */
export const amdg = defineDialect("amdg", {
  ops: [ops],
  attrs: [attrs],
  canonicalize: AMDG_CANONICALIZATION,
  inliner: { isLegalToInline: () => true },
});
