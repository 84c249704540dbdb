import { TARGET } from "../../../dialects/ttg/num-warps.js";
import { NVIDIA_GPUS } from "../../../gpu/nvidia.js";
import { stringOf } from "../../../ir/builtin-attrs.js";
import { definePass } from "../../../pass/define-pass.js";

/** GPUs that `tcgen05.ld.red` is on begin with sm_103. None of those that can be compiled for has it, so there is nothing to change. */
export const tmemLoadReduce = definePass("triton-nvidia-tmem-load-reduce", {
  name: "TritonNvidiaGPUFuseTMEMLoadReducePass",
  summary: "Fuse reductions into loads of tensor memory",
  source: "Triton 3.8.0: what it does to loads for sm_100 and sm_103",
  run(root, { report, fail }) {
    const target = stringOf(root.attr(TARGET));
    if (target === undefined || NVIDIA_GPUS.some(({ capability }) => target === `cuda:${capability}`)) return;
    report.error(root, `loads that reduce are not known for ${target}`, "lower.unsupported");
    fail();
  },
});
