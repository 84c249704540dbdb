/** How 2.0 and 2.1 wrote ops of `triton_gpu`, and what their waits were. */

import { I32Attr } from "../../ir/constraints.js";
import { defineOp } from "../../ir/define-op.js";
import type { OlderForms } from "../../ir/spelling.js";
import { functionalForm } from "../tt/older-forms.js";

/** 2.0's waits and groups gave no tokens: there was nothing to tie them to. */
const AsyncWaitWithoutToken = defineOp("triton_gpu.async_wait", () => ({
  summary: "async wait",
  attrs: { num: I32Attr },
  format: "attr-dict",
}));
const AsyncCommitGroupWithoutToken = defineOp("triton_gpu.async_commit_group", () => ({
  summary: "async commit group",
  format: "attr-dict",
}));

export const TRITON_GPU_OLDER_FORMS: OlderForms = {
  "2.1": {
    "triton_gpu.convert_layout": functionalForm,
    "triton_gpu.async_wait": { kind: "op", def: AsyncWaitWithoutToken },
    "triton_gpu.async_commit_group": { kind: "op", def: AsyncCommitGroupWithoutToken },
  },
};
