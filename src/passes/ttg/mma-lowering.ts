import { MMAv5OpInterface } from "../../dialects/ttng/ops/tc-gen5-mma.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";

export const mmaLowering = definePass("triton-nvidia-mma-lowering", {
  name: "TritonNvidiaGPUMMALoweringPass",
  summary: "lower mma operations if needed",
  description: "Makes tcgen05 instructions wait for their results (sm_100). Without them the greedy driver's clean-up is all that happens.",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/MMALowering.cpp",
  run(root, { listener, report }) {
    let found = false;
    root.walk((op) => {
      if (!op.def.interface(MMAv5OpInterface)) return;
      found = true;
      report.error(op, "lowering of tcgen05 instructions is not built yet");
      return "interrupt";
    });
    if (!found) applyPatternsGreedily(root, [], { listener });
  },
});
