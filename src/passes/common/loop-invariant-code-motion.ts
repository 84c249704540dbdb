import { LoopLike } from "../../ir/interfaces.js";
import { definePass } from "../../pass/define-pass.js";
import { moveLoopInvariantCodeOf } from "../../rewrite/loop-invariant-code-motion.js";
import { Rewriter } from "../../rewrite/rewriter.js";

export const loopInvariantCodeMotion = definePass("loop-invariant-code-motion", {
  name: "LoopInvariantCodeMotion",
  summary: "hoist loop invariant instructions outside of the loop",
  description: "Moves operations without effects that use nothing from inside a loop before it, innermost loops first.",
  source: "mlir/lib/Transforms/LoopInvariantCodeMotion.cpp",
  statistics: { hoisted: "operations moved out of a loop" },
  run(root, { listener, count }) {
    const rw = new Rewriter(root.ctx, listener);
    root.walkPostOrder((op) => {
      if (op.def.interface(LoopLike)) count("hoisted", moveLoopInvariantCodeOf(op, rw));
    });
  },
});
