import { ARITH_CANONICALIZATION } from "../../dialects/arith/canonicalize/index.js";
import { LAYOUT_KEEPING_CANONICALIZATION } from "../../dialects/tt/canonicalize.js";
import { canonicalizeWarpSpecialize } from "../../dialects/ttg/canonicalize/warp-specialize.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { PatternSet } from "../../rewrite/pattern-set.js";
import { forOpDeadArgElimination } from "../ttg/for-op-dead-arg-elimination.js";

const patterns = new PatternSet([
  ...ARITH_CANONICALIZATION,
  forOpDeadArgElimination,
  ...LAYOUT_KEEPING_CANONICALIZATION,
  canonicalizeWarpSpecialize,
]);

export const gluonCanonicalize = definePass("gluon-canonicalize", {
  name: "GluonCanonicalize",
  summary: "reduced set of simplifications for TTGIR",
  source: "lib/Dialect/Gluon/Transforms/Canonicalize.cpp",
  run(root, { listener }) {
    // As in gluonSimplifyControlFlow, the patterns of scf and cf are asked for and not found.
    applyPatternsGreedily(root, patterns, { listener });
  },
});
