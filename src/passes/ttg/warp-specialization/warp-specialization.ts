import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { enclosingModule } from "../../../dialects/ttg/num-warps.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import { verifyOperation } from "../../../ir/verify.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { WARP_SPECIALIZE } from "../fuse-nested-loops/fuse-one-level.js";
import { lookupNumWarps } from "../memory-access.js";
import { NUM_STAGES } from "../pipeline/pipelined-loops.js";
import { doCodePartition } from "./code-partition.js";
import { doDataPartition } from "./data-partition.js";
import { NotSpecializable, reporting } from "./not-specializable.js";
import { doTaskIdPropagate } from "./task-id-propagation.js";
import { doTaskPartition } from "./task-partition.js";
import { doTokenLowering } from "./token-lowering.js";

export const warpSpecialization = definePass("nvgpu-warp-specialization", {
  name: "NVGPUWarpSpecialization",
  summary: "Automatic Warp specialization on NVIDIA GPU",
  description: `
    Gives the loads and the warp group dots of functions with a \`tt.warp_specialize\` loop to different warp groups: one loads, and one or
    two multiply, each its half of the tile. What they hand each other goes through rings of buffers, guarded by barriers. The
    pipeliner is switched off for the loops of such functions: they get \`tt.num_stages = 0\`. Only functions with 4 warps and without
    \`else\` are taken. Where there is no warp group dot (before Hopper) there is nothing to give away.`,
  source: "third_party/nvidia/hopper/lib/Transforms/WarpSpecialization.cpp",
  options: {
    numStages: option.int({ default: 0, summary: "number of buffers for warp specialization" }),
    dumpIntermediateSteps: option.bool({ default: false, summary: "Dump intermediate steps" }),
  },
  statistics: { loops: "loops whose pipelining was switched off" },
  run(root, pass) {
    const { options, count, listener, fail } = pass;
    const rw = new Rewriter(root.ctx, listener);
    const dump = (step: string): void => {
      if (options.dumpIntermediateSteps) pass.dump(step, root);
    };
    root.walkPostOrder((func) => {
      if (!FuncOp.is(func)) return;
      const marked = markedLoop(func);
      if (!marked || lookupNumWarps(func) !== 4) return;
      const done = reporting(pass, () => {
        const partitioned = [3, 2].some((numWarpGroups) => {
          doTaskPartition(func, numWarpGroups);
          dump("doTaskPartition");
          doTaskIdPropagate(func);
          dump("doTaskIdPropagate");
          const success = doDataPartition(rw, func, numWarpGroups - 1);
          if (success) dump("doDataPartition");
          return success;
        });
        if (!partitioned) fail();
        doCodePartition(rw, func, options.numStages, pass.report);
        dump("doCodePartition");
        doTokenLowering(rw, enclosingModule(func)!);
        if (!verifyOperation(func))
          throw new NotSpecializable(marked, "Triton's way to divide this kernel among warp groups makes invalid IR of it");
      });
      if (!done) return;
      func.walk((op) => {
        if (!ForOp.is(op)) return;
        op.setAttr(NUM_STAGES, i32Attr(op.ctx, 0));
        count("loops");
      });
    });
  },
});

/** The last loop to be specialized in a function that can be; undefined when there is none. */
function markedLoop(func: Operation): Operation | undefined {
  let marked: Operation | undefined;
  let hasElse = false;
  func.walk((op) => {
    if (ForOp.is(op) && op.hasAttr(WARP_SPECIALIZE)) marked = op;
    hasElse ||= IfOp.match(op)?.elseRegion.empty === false;
  });
  return hasElse ? undefined : marked;
}
