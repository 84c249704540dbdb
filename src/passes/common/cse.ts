import { definePass } from "../../pass/define-pass.js";
import { eliminateCommonSubexpressions } from "../../rewrite/cse.js";

export const cse = definePass("cse", {
  name: "CSE",
  summary: "eliminate common sub-expressions",
  description: `
    Replaces an operation without side effects, or one that only reads with no write between, by an equivalent one that
    dominates it; erases operations that are dead.`,
  source: "mlir/lib/Transforms/CSE.cpp",
  statistics: { numCse: "operations replaced by an equivalent one", numDce: "dead operations erased" },
  run(root, { listener, count }) {
    const { numCse, numDce } = eliminateCommonSubexpressions(root, listener);
    count("numCse", numCse);
    count("numDce", numDce);
  },
});
