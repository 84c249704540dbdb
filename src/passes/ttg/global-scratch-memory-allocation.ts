import { callGraphOf } from "../../analysis/call-graph.js";
import { CallOp, FuncOp } from "../../dialects/tt/ops/function.js";
import { GlobalScratchAllocOp } from "../../dialects/ttg/ops/misc.js";
import { i32Attr } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import { symbolVisibility } from "../../ir/symbol-table.js";
import { definePass, type PassReport } from "../../pass/define-pass.js";

/** Memory of the program, and of a profiler or another tool. */
type Memory = "global" | "profile";
const MEMORIES: readonly Memory[] = ["global", "profile"];

/** Bytes of global memory, and their alignment. */
interface Need {
  readonly size: number;
  readonly alignment: number;
}

type Needs = Readonly<Record<Memory, Need>>;

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
  const needs = new Map<Operation, Needs>();
  const setNeeds = (op: Operation, need: Needs): void => {
    if (need.global.size + need.profile.size === 0 && !count) return;
    for (const memory of op.ctx.triton.sizesProfileScratch ? MEMORIES : (["global"] as const)) {
      op.setAttr(`ttg.${memory}_scratch_memory_size`, i32Attr(op.ctx, need[memory].size));
      op.setAttr(`ttg.${memory}_scratch_memory_alignment`, i32Attr(op.ctx, need[memory].alignment));
    }
  };
  for (const func of order) {
    const callees = new Map(graph.callsIn(func).map(({ call, callee }) => [call, callee]));
    const need = allocate(func, (call) => needs.get(callees.get(call)!));
    needs.set(func, need);
    setNeeds(func, need);
  }
  for (const [func, need] of needs) {
    if (!FuncOp.is(func) || symbolVisibility(func) !== "public") continue;
    setNeeds(root, need);
    count?.(need.global.size);
  }
}

/** Whatever may be alive at the same time: scratch memory is never shared. */
function allocate(func: Operation, needOfCall: (call: Operation) => Needs | undefined): Needs {
  const areas = { global: { offset: 0, alignment: 1 }, profile: { offset: 0, alignment: 1 } };
  const take = (op: Operation, memory: Memory, need: Need, name: string): void => {
    if (need.size === 0) return;
    const area = areas[memory];
    area.offset = roundUp(area.offset, need.alignment);
    op.setAttr(name, i32Attr(op.ctx, area.offset));
    area.offset += need.size;
    area.alignment = Math.max(area.alignment, need.alignment);
  };
  func.walkPostOrder((op) => {
    const alloc = GlobalScratchAllocOp.match(op);
    const ofCall = CallOp.is(op) ? needOfCall(op) : undefined;
    if (alloc) {
      const isOfTool = alloc.third_party_allocation && op.ctx.triton.sizesProfileScratch;
      take(op, isOfTool ? "profile" : "global", { size: alloc.nbytes, alignment: alloc.alignment }, "ttg.global_scratch_memory_offset");
    }
    if (ofCall) for (const memory of MEMORIES) take(op, memory, ofCall[memory], `ttg.${memory}_scratch_memory_offset`);
  });
  const total = ({ offset, alignment }: { readonly offset: number; readonly alignment: number }): Need => ({
    size: roundUp(offset, alignment),
    alignment,
  });
  return { global: total(areas.global), profile: total(areas.profile) };
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}
