import { allocateSharedMemory as allocate } from "../../analysis/allocation.js";
import { nvidiaScratchSize } from "../../analysis/scratch-size.js";
import { gpuOf } from "../../gpu/nvidia.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { attachAllocation, explainAllocation, warnOfTooMuch } from "../ttg/allocate-shared-memory.js";

export const allocateSharedMemoryNv = definePass("allocate-shared-memory-nv", {
  name: "AllocateSharedMemoryNv",
  summary: "Add metadata for shared memory allocation for Nvidia",
  source: "third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/Allocation.cpp",
  options: {
    computeCapability: option.int({ default: 80, summary: "device compute capability" }),
    ptxVersion: option.int({ default: 80, summary: "PTX version" }),
  },
  statistics: { buffers: "buffers placed", bytes: "bytes of shared memory needed" },
  run(root, { options, report, count, explain }) {
    const allocation = allocate(root, nvidiaScratchSize(gpuOf(options.computeCapability)));
    if (!attachAllocation(allocation, report)) return;
    explainAllocation(allocation, count, explain);
    warnOfTooMuch(allocation, `a CTA of sm_${options.computeCapability}`, gpuOf(options.computeCapability).sharedMemoryPerCta, report);
  },
});
