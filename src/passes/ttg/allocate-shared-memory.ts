import { ALLOCATION_OFFSET, allocateSharedMemory as allocate, type ModuleAllocation, SHARED } from "../../analysis/allocation.js";
import { bufferFacts } from "../../analysis/allocation-facts.js";
import { nvidiaScratchSize } from "../../analysis/scratch-size.js";
import { gpuOf } from "../../gpu/nvidia.js";
import { i32Attr } from "../../ir/builtin-attrs.js";
import { definePass, type PassReport } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import type { Explain } from "../../pass/remark.js";

const description = `
  Gives each buffer in shared memory its offset (the attribute \`allocation.offset\`), the scratch memory of ops included, such
  that those alive at the same time do not overlap, and the module the size of all (\`ttg.shared\`). Units: bytes.`;

export const allocateSharedMemory = definePass("allocate-shared-memory", {
  name: "AllocateSharedMemory",
  summary: "Add metadata for shared memory allocation",
  description,
  source: "lib/Conversion/TritonGPUToLLVM/AllocateSharedMemory.cpp, AllocateSharedMemoryUtility.cpp",
  statistics: { buffers: "buffers placed", bytes: "bytes of shared memory needed" },
  run(root, { report, count, explain }) {
    const allocation = allocate(root);
    if (attach(allocation, report)) tell(allocation, count, explain);
  },
});

export const allocateSharedMemoryNv = definePass("allocate-shared-memory-nv", {
  name: "AllocateSharedMemoryNv",
  summary: "Add metadata for shared memory allocation for Nvidia",
  description: `${description}
    Layout conversions are sized for the matrix instructions that the target has. A kernel that needs more than a CTA may have there gets
    a warning with the largest buffers.`,
  source: "third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/Allocation.cpp",
  options: {
    computeCapability: option.int({ default: 80, summary: "device compute capability" }),
    ptxVersion: option.int({ default: 80, summary: "PTX version" }),
  },
  statistics: { buffers: "buffers placed", bytes: "bytes of shared memory needed" },
  run(root, { options, report, count, explain }) {
    const allocation = allocate(root, nvidiaScratchSize(options.computeCapability));
    if (!attach(allocation, report)) return;
    tell(allocation, count, explain);
    warnOfTooMuch(allocation, options.computeCapability, report);
  },
});

/** Sets the attributes; false when functions call each other in a circle. */
function attach(allocation: ModuleAllocation, report: PassReport): boolean {
  const { module } = allocation;
  if (allocation.recursive) {
    report.error(allocation.recursive, "functions call each other in a circle: their shared memory has no size");
    return false;
  }
  for (const func of allocation.functions)
    for (const { owner, offset } of allocation.of(func)!.buffers) owner.setAttr(ALLOCATION_OFFSET, i32Attr(module.ctx, offset));
  module.setAttr(SHARED, i32Attr(module.ctx, allocation.sharedMemorySize));
  return true;
}

function tell(allocation: ModuleAllocation, count: (name: "buffers" | "bytes", by?: number) => void, explain: Explain | undefined): void {
  for (const func of allocation.functions) count("buffers", allocation.of(func)!.buffers.length);
  count("bytes", allocation.sharedMemorySize);
  if (!explain) return;
  for (const { owner, kind, size, alignment, offset, liveFrom, liveTo } of bufferFacts(allocation)) {
    const what = { explicit: "{0} has", scratch: "{0} needs, while it runs,", virtual: "{0}, for what it calls, needs" }[kind];
    const use = liveFrom === liveTo ? "" : ", in use from {1} to {2}";
    explain(owner, "memory.buffer", {
      kind: "analysis",
      message: `${what} ${size} bytes of shared memory at offset ${offset}${use}`,
      refs: [liveFrom, liveTo],
      fields: { buffer: kind, bytes: size, offset, alignment },
    });
  }
}

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
