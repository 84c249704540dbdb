import { intOf } from "../../../ir/builtin-attrs.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";

/** Barriers of a cluster among warp groups; the conversion to LLVM says how many there are. */
const COUNT = "ttg.ws_cluster_barrier_count";

export const initializeWsClusterBarriers = definePass("initialize-ws-cluster-barriers", {
  name: "InitializeWSClusterBarriers",
  summary: "start the barriers of a cluster that warp groups wait at",
  source: "third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ClusterOpsToLLVM.cpp",
  options: {
    computeCapability: option.int({ default: 80, summary: "device compute capability" }),
    ptxVersion: option.int({ default: 80, summary: "PTX version" }),
  },
  run(root, { report, fail }) {
    if ((intOf(root.attr(COUNT)) ?? 0) === 0) return;
    report.error(root, "barriers of a cluster among warp groups are not known", "lower.unsupported");
    fail();
  },
});
