import { CF_CANONICALIZATION } from "../../dialects/cf/canonicalize.js";
import { SCF_CANONICALIZATION } from "../../dialects/scf/canonicalize/index.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { forOpDeadArgElimination } from "../ttg/for-op-dead-arg-elimination.js";

export const gluonSimplifyControlFlow = definePass("gluon-slimplify-control-flow", {
  name: "GluonSimplifyControlFlow",
  summary: "simplications for control flow ops",
  description: `
    Canonicalizes loops and branches and drops carried values that nobody needs. Constants are not united, so that each may get a layout of
    its own.`,
  source: "lib/Dialect/Gluon/Transforms/SimplifyControlFlow.cpp",
  run(root, { listener }) {
    const patterns = [...SCF_CANONICALIZATION, ...CF_CANONICALIZATION, forOpDeadArgElimination];
    applyPatternsGreedily(root, patterns, { cseConstants: false, listener });
  },
});
