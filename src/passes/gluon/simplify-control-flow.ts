import { CF_CANONICALIZATION } from "../../dialects/cf/canonicalize.js";
import { SCF_CANONICALIZATION } from "../../dialects/scf/canonicalize/index.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import type { Pattern } from "../../rewrite/pattern.js";
import { forOpDeadArgElimination } from "../ttg/for-op-dead-arg-elimination.js";

const BRANCHES: readonly Pattern[] = [...SCF_CANONICALIZATION, ...CF_CANONICALIZATION];

export const gluonSimplifyControlFlow = definePass("gluon-slimplify-control-flow", {
  name: "GluonSimplifyControlFlow",
  summary: "simplications for control flow ops",
  source: "lib/Dialect/Gluon/Transforms/SimplifyControlFlow.cpp",
  run(root, { listener }) {
    // Before 3.8 upstream asks for the patterns of scf and cf too, but the function it asks (getRegisteredOperationsByDialect) finds no ops.
    const branches = root.ctx.triton.simplifiesBranches ? BRANCHES : [];
    applyPatternsGreedily(root, [forOpDeadArgElimination, ...branches], { cseConstants: false, listener });
  },
});
