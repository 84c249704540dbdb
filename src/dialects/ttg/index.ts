import { defineDialect } from "../../ir/define-dialect.js";
import { implement } from "../../ir/interfaces.js";
import { EquivalentTypes, InferLayout, VerifyTensorLayout } from "../tt/infer-layout.js";
import { TTG_CANONICALIZATION } from "./canonicalize/index.js";
import "./custom-directives.js";
import * as encodings from "./encodings/index.js";
import { equivalentTypes, inferLayout } from "./infer-layout.js";
import * as ops from "./ops/index.js";
import * as types from "./types.js";
import { verifyAttr } from "./verify-attr.js";
import { verifyTensorLayout } from "./verify-tensor-layout.js";

export const ttg = defineDialect("ttg", {
  ops: [ops],
  attrs: [encodings],
  types: [types],
  verifyAttr,
  canonicalize: TTG_CANONICALIZATION,
  inliner: { isLegalToInline: () => true },
  interfaces: [
    implement(InferLayout, inferLayout),
    implement(VerifyTensorLayout, verifyTensorLayout),
    implement(EquivalentTypes, equivalentTypes),
  ],
});
