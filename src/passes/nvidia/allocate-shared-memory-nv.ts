import { allocateSharedMemory as allocate, type ModuleAllocation } from "../../analysis/allocation.js";
import { nvidiaScratchSize } from "../../analysis/scratch-size.js";
import { gpuOf } from "../../gpu/nvidia.js";
import { definePass, type PassReport } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { attachAllocation, explainAllocation } from "../ttg/allocate-shared-memory.js";

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
    warnOfTooMuch(allocation, options.computeCapability, report);
  },
});

const BUFFERS_NAMED = 8;

function warnOfTooMuch(allocation: ModuleAllocation, capability: number, report: PassReport): void {
  const limit = gpuOf(capability).sharedMemoryPerCta;
  for (const func of allocation.roots) {
    const { buffers, sharedMemorySize } = allocation.of(func)!;
    if (sharedMemorySize <= limit) continue;
    const largest = [...buffers].sort((a, b) => b.size - a.size);
    const notes = largest.slice(0, BUFFERS_NAMED).map(({ owner, kind, size, offset }) => {
      const what = { explicit: "the buffer of", scratch: "scratch memory of", virtual: "memory of the function called by" }[kind];
      return { op: owner, message: `${size} bytes at offset ${offset}: ${what} ${owner.name}` };
    });
    const rest = largest.length - notes.length;
    if (rest > 0) notes.push({ op: func, message: `and ${rest} smaller ones` });
    report.warning(
      largest[0]!.owner,
      `the kernel needs ${sharedMemorySize} bytes of shared memory, but a CTA of sm_${capability} has at most ${limit}`,
      "pass.shared-memory",
      notes,
    );
  }
}
