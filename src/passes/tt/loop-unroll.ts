import { ForOp, type ForView } from "../../dialects/scf/ops/for.js";
import { i32Attr, intOf } from "../../ir/builtin-attrs.js";
import { definePass } from "../../pass/define-pass.js";
import { withinAt } from "../../pass/pass-error.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { unrollLoop } from "./unroll-loop.js";

const FACTOR = "tt.loop_unroll_factor";
const factorOf = (loop: ForView): number => intOf(loop.op.attr(FACTOR)) ?? 1;

export const loopUnroll = definePass("triton-loop-unroll", {
  name: "TritonLoopUnroll",
  summary: "Loop unroller",
  source: "lib/Dialect/Triton/Transforms/LoopUnroll.cpp",
  statistics: { unrolled: "loops unrolled" },
  run(root, { listener, count }) {
    const loops: ForView[] = [];
    root.walkPostOrder((op) => {
      const loop = ForOp.match(op);
      if (loop && factorOf(loop) > 1) loops.push(loop);
    });
    const rw = new Rewriter(root.ctx, listener);
    for (const loop of loops) {
      const factor = factorOf(loop);
      let ops = 0;
      loop.op.walk(() => void ops++);
      withinAt(loop.op, "unrolled-ops", ops * factor);
      loop.op.removeAttr(FACTOR);
      const epilogue = rw.from(loop, () => unrollLoop(loop, factor, rw));
      epilogue?.setAttr("tt.num_stages", i32Attr(root.ctx, 1));
      count("unrolled");
    }
  },
});
