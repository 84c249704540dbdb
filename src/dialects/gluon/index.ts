import { defineDialect } from "../../ir/define-dialect.js";
import { implement } from "../../ir/interfaces.js";
import { InferLayout } from "../tt/infer-layout.js";
import * as attrs from "./attrs.js";
import { inferLayout } from "./infer-layout.js";
import * as ops from "./ops/index.js";

/** Layouts that are not chosen yet, on the way to TTGIR. Source: include/triton/Dialect/Gluon/IR. */
export const gluon = defineDialect("gluon", {
  ops: [ops],
  attrs: [attrs],
  inliner: { isLegalToInline: () => true },
  interfaces: [implement(InferLayout, inferLayout)],
});
