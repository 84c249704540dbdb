import { InstructionSchedHintOp } from "../../../dialects/amdg/ops/scheduling.js";
import { IglpOptOp, SchedBarrierOp } from "../../../dialects/rocdl/ops/synchronization.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { Rewriter } from "../../../rewrite/rewriter.js";

/** LLVM's strategy for attention, which interleaves MFMA with exponentials. Source: AMDGPUIGroupLP.cpp, MFMAExpInterleaveID. */
const MFMA_WITH_EXP = 2;

export const lowerInstructionSchedHints = definePass("triton-amdgpu-lower-insert-instruction-sched-hints", {
  name: "TritonAMDGPULowerInstructionSchedHints",
  summary: "Lower instruction scheduling hints to LLVM intrinsics",
  source: "third_party/amd/lib/TritonAMDGPUToLLVM/SchedInstructions.cpp",
  options: {
    arch: option.string({ default: "", summary: "gfx target device architecture, e.g., gfx942" }),
    num_stages: option.int({ default: 2, summary: "number of pipeline stages" }),
  },
  run(root, { listener }) {
    const rw = new Rewriter(root.ctx, listener);
    root.walk((op) => {
      const hint = InstructionSchedHintOp.match(op);
      if (!hint) return;
      const block = op.block!;
      if (hint.variant === "attention")
        rw.from(op, () => {
          rw.loc = op.locRef;
          // No instruction moves into the block, or out of it.
          rw.setStart(block).create(SchedBarrierOp, { mask: 0 });
          rw.setBefore(block.lastOp!).create(IglpOptOp, { variant: MFMA_WITH_EXP });
          rw.create(SchedBarrierOp, { mask: 0 });
        });
      rw.erase(op);
    });
  },
});
