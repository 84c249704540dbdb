import type { Operation } from "../../ir/operation.js";
import { definePass } from "../../pass/define-pass.js";
import type { Explain } from "../../pass/remark.js";
import { eliminateCommonSubexpressions } from "../../rewrite/cse.js";

export const cse = definePass("cse", {
  name: "CSE",
  summary: "eliminate common sub-expressions",
  source: "mlir/lib/Transforms/CSE.cpp",
  statistics: { numCse: "operations replaced by an equivalent one", numDce: "dead operations erased" },
  run(root, { listener, count, explain }) {
    const { numCse, numDce } = eliminateCommonSubexpressions(root, listener, explain && explainMerging(explain));
    count("numCse", numCse);
    count("numDce", numDce);
  },
});

/** Says which op replaces one that is erased. */
export const explainMerging = (explain: Explain) => (op: Operation, existing: Operation) =>
  explain(op, "cse.merged", { kind: "applied", message: "{0} went: {1} computes the same", refs: [existing] });
