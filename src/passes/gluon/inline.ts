import { definePass } from "../../pass/define-pass.js";
import { inlineCalls } from "../common/inline.js";
import { gluonSimplifyControlFlow } from "./simplify-control-flow.js";

export const gluonInline = definePass("gluon-inline", {
  name: "GluonInline",
  summary: "reduced set of simplifications for TTGIR",
  source: "lib/Dialect/Gluon/Transforms/Inline.cpp",
  statistics: { inlined: "calls inlined" },
  run(root, pass) {
    inlineCalls(root, pass, () => [gluonSimplifyControlFlow()]);
  },
});
