import { CmpIOp } from "../../dialects/arith/ops/compare.js";
import { ForOp } from "../../dialects/scf/ops/for.js";
import { LoadOp } from "../../dialects/tt/ops/memory.js";
import { getPredMask } from "../../dialects/tt/pred-mask.js";
import { i32ArrayAttr } from "../../ir/builtin-attrs.js";
import type { View } from "../../ir/define-op.js";
import { isMemoryEffectFree, isSpeculatable, LoopLike, memoryEffects } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { moveLoopInvariantCode } from "../../rewrite/loop-invariant-code-motion.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { explainHoisting } from "../common/loop-invariant-code-motion.js";

const readsOnly = (op: Operation): boolean => memoryEffects(op)?.every((effect) => effect.kind === "read") ?? false;

export const loopInvariantCodeMotion = definePass("triton-licm", {
  name: "TritonLoopInvariantCodeMotion",
  summary: "MLIR's LICM plus hoist load ops out of loops with masks.",
  source: "lib/Dialect/Triton/Transforms/LoopInvariantCodeMotion.cpp",
  statistics: { hoisted: "operations moved out of a loop", loads: "loads among them" },
  run(root, { listener, count, explain }) {
    const rw = new Rewriter(root.ctx, listener);
    root.walkPostOrder((loop) => {
      const loopLike = loop.def.interface(LoopLike);
      if (!loopLike) return;
      const hoisted = explain && explainHoisting(explain, loop);
      let loopReadsOnly: boolean | undefined;
      moveLoopInvariantCode(loopLike.loopRegions(loop), {
        isDefinedOutside: (value) => !loop.isAncestorOf(value.parentBlock!.parentOp!),
        shouldMove: (op) =>
          LoadOp.is(op) ? readsOnly(op) && (loopReadsOnly ??= readsOnly(loop)) : isSpeculatable(op) && isMemoryEffectFree(op),
        move(op) {
          const load = LoadOp.match(op);
          if (load) {
            const forLoop = ForOp.match(loop);
            if (!forLoop) return;
            const { lowerBound: lhs, upperBound: rhs } = forLoop;
            rw.from(load, () => {
              const runs = rw.setBefore(loop).value(CmpIOp, { predicate: "slt", lhs, rhs }, { loc: loop.locRef });
              setMask(rw, load, getPredMask(rw, load.ptr.type, load.mask, runs));
            });
            count("loads");
            explain?.(op, "licm.hoisted", {
              kind: "applied",
              message:
                "{0} moved out of {1}, masked by whether the loop runs: its address does not change there, and nothing is written there",
              refs: [loop],
            });
          } else hoisted?.(op);
          rw.moveBefore(op, loop);
          count("hoisted");
        },
      });
    });
  },
});

function setMask(rw: Rewriter, load: View<typeof LoadOp>, mask: Value): void {
  const { ptr, other } = load;
  rw.modify(load, (op) => {
    if (load.mask) return op.setOperand(1, mask);
    op.setOperands(other ? [ptr, mask, other] : [ptr, mask]);
    op.setAttr("operandSegmentSizes", i32ArrayAttr(op.ctx, [1, 1, other ? 1 : 0]));
  });
}
