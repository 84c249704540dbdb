import { ALLOCATION_OFFSET, allocateSharedMemory as allocate, type ModuleAllocation, SHARED } from "../../analysis/allocation.js";
import { bufferFacts } from "../../analysis/allocation-facts.js";
import { i32Attr } from "../../ir/builtin-attrs.js";
import { definePass, type PassReport } from "../../pass/define-pass.js";
import type { Explain } from "../../pass/remark.js";

export const allocateSharedMemory = definePass("allocate-shared-memory", {
  name: "AllocateSharedMemory",
  summary: "Add metadata for shared memory allocation",
  source: "lib/Conversion/TritonGPUToLLVM/AllocateSharedMemory.cpp, AllocateSharedMemoryUtility.cpp",
  statistics: { buffers: "buffers placed", bytes: "bytes of shared memory needed" },
  run(root, { report, count, explain }) {
    const allocation = allocate(root);
    if (attachAllocation(allocation, report)) explainAllocation(allocation, count, explain);
  },
});

/** Sets the attributes; false when functions call each other in a circle. */
export function attachAllocation(allocation: ModuleAllocation, report: PassReport): boolean {
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

/** Counts the buffers and bytes of an allocation, and makes its remarks. */
export function explainAllocation(
  allocation: ModuleAllocation,
  count: (name: "buffers" | "bytes", by?: number) => void,
  explain: Explain | undefined,
): void {
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

/** A warning where a kernel needs more than `limit` bytes, as much as `owner` has. */
export function warnOfTooMuch(allocation: ModuleAllocation, owner: string, limit: number, report: PassReport): void {
  for (const func of allocation.roots) {
    const { buffers, sharedMemorySize } = allocation.of(func)!;
    if (sharedMemorySize <= limit) continue;
    const largest = [...buffers].sort((a, b) => b.size - a.size);
    const notes = largest.slice(0, BUFFERS_NAMED).map(({ owner: op, kind, size, offset }) => {
      const what = { explicit: "the buffer of", scratch: "scratch memory of", virtual: "memory of the function called by" }[kind];
      return { op, message: `${size} bytes at offset ${offset}: ${what} ${op.name}` };
    });
    const rest = largest.length - notes.length;
    if (rest > 0) notes.push({ op: func, message: `and ${rest} smaller ones` });
    notes.push({ op: func, message: "smaller blocks or fewer stages (num_stages) need less" });
    report.warning(
      largest[0]!.owner,
      `the kernel needs ${sharedMemorySize} bytes of shared memory, but ${owner} has at most ${limit}`,
      "pass.shared-memory",
      notes,
    );
  }
}
