import { LoopLike } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import { definePass } from "../../pass/define-pass.js";
import type { Explain } from "../../pass/remark.js";
import { moveLoopInvariantCodeOf } from "../../rewrite/loop-invariant-code-motion.js";
import { Rewriter } from "../../rewrite/rewriter.js";

export const loopInvariantCodeMotion = definePass("loop-invariant-code-motion", {
  name: "LoopInvariantCodeMotion",
  summary: "hoist loop invariant instructions outside of the loop",
  source: "mlir/lib/Transforms/LoopInvariantCodeMotion.cpp",
  statistics: { hoisted: "operations moved out of a loop" },
  run(root, { listener, count, explain }) {
    const rw = new Rewriter(root.ctx, listener);
    root.walkPostOrder((op) => {
      if (op.def.interface(LoopLike)) count("hoisted", moveLoopInvariantCodeOf(op, rw, explain && explainHoisting(explain, op)));
    });
  },
});

/** Says of an op that it leaves a loop. */
export const explainHoisting = (explain: Explain, loop: Operation) => (op: Operation) =>
  explain(op, "licm.hoisted", {
    kind: "applied",
    message: "{0} moved out of {1}: it uses nothing that changes there",
    refs: [loop],
  });
