import { allocateSharedMemory as allocate } from "../../../analysis/allocation.js";
import { definePass } from "../../../pass/define-pass.js";
import { attachAllocation, explainAllocation } from "../../ttg/allocate-shared-memory.js";
import { amdScratchSize } from "../padded-conversion.js";

export const allocateSharedMemoryAmd = definePass("allocate-amdgpu-shared-memory", {
  name: "AllocateAMDGPUSharedMemory",
  summary: "Add metadata for shared memory allocation for AMD GPUs",
  source: "third_party/amd/lib/TritonAMDGPUToLLVM/AllocateSharedMemory.cpp, lib/Analysis/AMDGPUAllocation.cpp",
  statistics: { buffers: "buffers placed", bytes: "bytes of shared memory needed" },
  run(root, { report, count, explain }) {
    const allocation = allocate(root, amdScratchSize);
    if (attachAllocation(allocation, report)) explainAllocation(allocation, count, explain);
  },
});
