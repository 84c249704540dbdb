import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { forOpDeadArgElimination } from "../ttg/for-op-dead-arg-elimination.js";

export const gluonSimplifyControlFlow = definePass("gluon-slimplify-control-flow", {
  name: "GluonSimplifyControlFlow",
  summary: "simplications for control flow ops",
  source: "lib/Dialect/Gluon/Transforms/SimplifyControlFlow.cpp",
  run(root, { listener }) {
    // Upstream asks for the patterns of scf and cf too, but the function it asks (getRegisteredOperationsByDialect) finds no ops.
    applyPatternsGreedily(root, [forOpDeadArgElimination], { cseConstants: false, listener });
  },
});
