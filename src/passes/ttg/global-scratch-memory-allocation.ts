import { callGraphOf } from "../../analysis/call-graph.js";
import { CallOp, FuncOp } from "../../dialects/tt/ops/function.js";
import { GlobalScratchAllocOp } from "../../dialects/ttg/ops/misc.js";
import { i32Attr } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import { symbolVisibility } from "../../ir/symbol-table.js";
import { definePass, type PassReport } from "../../pass/define-pass.js";

const SIZE = "ttg.global_scratch_memory_size";
const ALIGNMENT = "ttg.global_scratch_memory_alignment";
const OFFSET = "ttg.global_scratch_memory_offset";

/** Bytes of global memory, and their alignment. */
interface Need {
  readonly size: number;
  readonly alignment: number;
}

export const globalScratchMemoryAllocation = definePass("tritongpu-global-scratch-memory-allocation", {
  name: "TritonGPUGlobalScratchAllocationPass",
  summary: "Assign global scratch memory allocation",
  source: "lib/Conversion/TritonGPUToLLVM/GlobalScratchMemoryAllocation.cpp",
  statistics: { bytes: "bytes of scratch memory of the kernel" },
  run(root, { count, report }) {
    allocateGlobalScratch(root, report, (bytes) => count("bytes", bytes));
  },
});

/** Gives scratch memory its place; only kernels that need some say how much, unless there is somebody to count it for. */
export function allocateGlobalScratch(root: Operation, report: PassReport, count?: (bytes: number) => void): void {
  const graph = callGraphOf(root);
  const order = graph.postOrder();
  if (!order) return report.error(root, "functions call each other in a circle: their scratch memory has no size");
  const needs = new Map<Operation, Need>();
  const setNeed = (op: Operation, { size, alignment }: Need): void => {
    if (size === 0 && !count) return;
    op.setAttr(SIZE, i32Attr(op.ctx, size));
    op.setAttr(ALIGNMENT, i32Attr(op.ctx, alignment));
    if (!op.ctx.triton.sizesProfileScratch) return;
    op.setAttr("ttg.profile_scratch_memory_size", i32Attr(op.ctx, 0));
    op.setAttr("ttg.profile_scratch_memory_alignment", i32Attr(op.ctx, 1));
  };
  for (const func of order) {
    const callees = new Map(graph.callsIn(func).map(({ call, callee }) => [call, callee]));
    const need = allocate(func, (call) => needs.get(callees.get(call)!));
    needs.set(func, need);
    setNeed(func, need);
  }
  for (const [func, need] of needs) {
    if (!FuncOp.is(func) || symbolVisibility(func) !== "public") continue;
    setNeed(root, need);
    count?.(need.size);
  }
}

/** Whatever may be alive at the same time: scratch memory is never shared. */
function allocate(func: Operation, needOfCall: (call: Operation) => Need | undefined): Need {
  let offset = 0;
  let largestAlignment = 1;
  func.walkPostOrder((op) => {
    const alloc = GlobalScratchAllocOp.match(op);
    const need = alloc ? { size: alloc.nbytes, alignment: alloc.alignment } : CallOp.is(op) ? needOfCall(op) : undefined;
    if (!need || need.size === 0) return;
    offset = roundUp(offset, need.alignment);
    op.setAttr(OFFSET, i32Attr(op.ctx, offset));
    offset += need.size;
    largestAlignment = Math.max(largestAlignment, need.alignment);
  });
  return { size: roundUp(offset, largestAlignment), alignment: largestAlignment };
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}
