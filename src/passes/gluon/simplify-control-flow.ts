import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { forOpDeadArgElimination } from "../ttg/for-op-dead-arg-elimination.js";

export const gluonSimplifyControlFlow = definePass("gluon-slimplify-control-flow", {
  name: "GluonSimplifyControlFlow",
  summary: "simplications for control flow ops",
  description: `
    Folds ops, drops dead code and carried values that nobody needs, and unites blocks that are alike. Constants are not united, so that
    each may get a layout of its own. Triton 3.6 means to canonicalize scf and cf ops here too, but looks their patterns up in a way that finds none
    (MLIRContext::getRegisteredOperationsByDialect searches with a wrong order), so that a branch on a constant stays.`,
  source: "lib/Dialect/Gluon/Transforms/SimplifyControlFlow.cpp",
  run(root, { listener }) {
    applyPatternsGreedily(root, [forOpDeadArgElimination], { cseConstants: false, listener });
  },
});
