import { TMEMLoadOp, TMEMStoreOp } from "../../dialects/ttng/ops/tensor-memory.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";

export const optimizeTmemLayouts = definePass("triton-nvidia-optimize-tmem-layouts", {
  name: "TritonNvidiaGPUOptimizeTMemLayoutsPass",
  summary: "Optimize TMEM layouts.",
  description: `
    Splits loads and stores of tensor memory whose halves are used apart, and picks the layouts in which they move. Before Blackwell there is no
    tensor memory, and nothing but a clean-up happens.`,
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/OptimizeTMemLayouts.cpp",
  run(root, { listener, report, fail }) {
    root.walk((op) => {
      if (!TMEMLoadOp.is(op) && !TMEMStoreOp.is(op)) return undefined;
      report.warning(op, "layouts of tensor memory accesses are not built yet: they stay as they are", "pass.not-built");
      return "interrupt";
    });
    if (!applyPatternsGreedily(root, [], { listener }).converged) fail();
  },
});
