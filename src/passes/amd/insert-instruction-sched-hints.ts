import { SCHED_HINTS } from "../../dialects/amdg/attrs.js";
import { InstructionSchedHintOp } from "../../dialects/amdg/ops/scheduling.js";
import { DotOp } from "../../dialects/tt/ops/dot.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { forLoops } from "../ttg/software-pipelining/pipelined-loops.js";
import { isChainDotHead } from "./chained-dots.js";

export const insertInstructionSchedHints = definePass("triton-amdgpu-insert-instruction-sched-hints", {
  name: "TritonAMDGPUInsertInstructionSchedHints",
  summary: "Insert instruction scheduling hints after the dot ops in the main loop",
  source: "third_party/amd/lib/TritonAMDGPUToLLVM/SchedInstructions.cpp",
  options: { variant: option.string({ default: "none", summary: "instruction scheduling variant" }) },
  statistics: { inserted: "loops with a hint" },
  run(root, { options, listener, count }) {
    const variant = SCHED_HINTS.find((hint) => hint === options.variant.toLowerCase());
    // Hints that are not known here are for LLVM.
    if (variant !== "attention") return;
    const rw = new Rewriter(root.ctx, listener);
    for (const { op, region } of forLoops(root)) {
      const isAttention = op.walk((dot) => (DotOp.is(dot) && isChainDotHead(dot) ? "interrupt" : undefined));
      if (!isAttention) continue;
      rw.from(op, () => rw.setStart(region.firstBlock!).create(InstructionSchedHintOp, { variant }, { loc: op.locRef }));
      count("inserted");
    }
  },
});
