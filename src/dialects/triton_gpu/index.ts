/**
 * Triton's GPU dialect up to 3.2, read as it was written. Ops that changed are ops of their own here; layouts say which of
 * today's they mean, so that layouts can be asked of old IR too.
 */
import { defineDialect } from "../../ir/define-dialect.js";
import { implement } from "../../ir/interfaces.js";
import { InferLayout } from "../tt/infer-layout.js";
import * as attrs from "./attrs.js";
import { inferOldLayout } from "./infer-layout.js";
import { TRITON_GPU_OLDER_FORMS } from "./older-forms.js";
import * as ops from "./ops/index.js";
import * as types from "./types.js";

export const tritonGpu = defineDialect("triton_gpu", {
  ops: [ops],
  attrs: [attrs, attrs.LAYOUTS],
  types: [types],
  inliner: { isLegalToInline: () => true },
  interfaces: [implement(InferLayout, inferOldLayout)],
  olderForms: () => TRITON_GPU_OLDER_FORMS,
});
