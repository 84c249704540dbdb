import { TMEMAllocOp, TMEMLoadOp } from "../../dialects/ttng/ops/tensor-memory.js";
import { definePass } from "../../pass/define-pass.js";

export const interleaveTMem = definePass("triton-nvidia-interleave-tmem", {
  name: "TritonNvidiaGPUInterleaveTMemPass",
  summary: "Interleave TMEM loads/stores.",
  description: "Moves loads and allocations of tensor memory down to where they are used. Before Blackwell there is no tensor memory.",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/InterleaveTMem.cpp",
  run(root, { report }) {
    root.walk((op) => {
      if (!TMEMLoadOp.is(op) && !TMEMAllocOp.is(op)) return undefined;
      report.warning(op, "moving of tensor memory accesses is not built yet: they stay where they are", "pass.not-built");
      return "interrupt";
    });
  },
});
