import { ForOp } from "../../dialects/scf/ops/for.js";
import { definePass } from "../../pass/define-pass.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { peelLoopEpilogue } from "./peel-loop-epilogue.js";

export const testLoopPeeling = definePass("triton-test-loop-peeling", {
  name: "TestLoopPeelingPass",
  summary: "test the loop peeling pass",
  // Takes the last round out of every loop that carries `__test_peel_epilogue`.
  source: "test/lib/Dialect/TestLoopPeeling.cpp",
  testOnly: true,
  run(root, { listener }) {
    const rw = new Rewriter(root.ctx, listener);
    root.walkPostOrder((op) => {
      const loop = ForOp.match(op);
      if (loop && op.hasAttr("__test_peel_epilogue")) rw.from(loop, () => peelLoopEpilogue(loop, rw));
    });
  },
});
