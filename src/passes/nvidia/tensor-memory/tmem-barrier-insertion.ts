import { allocateSharedMemory } from "../../../analysis/allocation.js";
import { followAccesses, hasBarrier, PendingAccesses, type Stretch, type Visit } from "../../../analysis/membar.js";
import { LOCAL, BarrierOp as TTGBarrierOp } from "../../../dialects/ttg/ops/since-3-7.js";
import { TensorMemorySpace } from "../../../dialects/ttng/attrs.js";
import { MMAv5OpInterface, TCGen5MMAScaledOp, tmemRows } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMCopyOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { tmemColumns } from "../../../dialects/ttng/tmem-layout.js";
import { descOf } from "../../../dialects/ttng/ttng-op.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { tensorMemoryAllocsOf } from "./tensor-memory-allocs.js";

/**
 * Puts barriers where threads would else use tensor memory before others have read or written it. As `insertBarriers` does for shared
 * memory; a dot is waited for by an mbarrier, so nothing after it needs a barrier because of it.
 */
export const tmemBarrierInsertion = definePass("triton-nvidia-gpu-tmem-barrier-insertion", {
  name: "TritonNvidiaGPUTMemBarrierInsertionPass",
  summary: "Insert barriers for tensor memory accesses",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/TMemBarrierInsertion.cpp",
  statistics: { barriers: "barriers inserted" },
  run(root, { listener, count, report }) {
    const allocation = allocateSharedMemory(root);
    if (allocation.recursive) return report.error(allocation.recursive, "functions call each other in a circle");
    const rw = new Rewriter(root.ctx, listener);
    const stretches = new Map<string, Stretch>();
    const visit: Visit = (op, pending) => {
      if (hasBarrier(op)) return pending.clear();
      const own = accessesOf(op, stretches);
      if (pending.conflictsWith(own, needNoBarrier)) {
        count("barriers");
        rw.from(op, () => rw.setBefore(op).create(TTGBarrierOp, { addrSpace: LOCAL }, { loc: op.locRef }));
        pending.clear();
      }
      pending.join(own);
      return undefined;
    };
    followAccesses(allocation, visit);
  },
});

const isStore = (op: Operation): boolean => TMEMStoreOp.is(op) || TMEMAllocOp.is(op);
const isByTensorCores = (op: Operation): boolean => op.def.interface(MMAv5OpInterface) !== undefined || TMEMCopyOp.is(op);
/** Reads need none after reads, and nothing needs one after what the tensor cores do. */
function needNoBarrier(before: Operation, after: Operation): boolean {
  if (TMEMLoadOp.is(before)) return !isStore(after) && !isByTensorCores(after);
  return !isStore(before);
}

function accessesOf(op: Operation, stretches: Map<string, Stretch>): PendingAccesses {
  const accesses = new PendingAccesses();
  const note = (kind: "read" | "write", value: Value | undefined): void => {
    if (value && TensorMemorySpace.is(descOf(value).params.memorySpace))
      for (const stretch of stretchesOf(value, stretches)) accesses[kind](stretch, op);
  };
  const load = TMEMLoadOp.match(op);
  const store = TMEMStoreOp.match(op);
  const alloc = TMEMAllocOp.match(op);
  const copy = TMEMCopyOp.match(op);
  const mma = op.def.interface(MMAv5OpInterface);
  const scaled = TCGen5MMAScaledOp.match(op);
  if (load) note("read", load.src);
  if (store) note("write", store.dst);
  if (alloc?.src) note("write", alloc.result);
  if (copy) note("write", copy.dst);
  if (mma) {
    note("write", mma.accumulator(op));
    note("read", mma.a(op));
  }
  if (scaled) for (const scale of [scaled.a_scale, scaled.b_scale]) note("read", scale);
  return accesses;
}

/** Halves of rows lie far apart, so that a stretch of columns is one of numbers. */
const ROW = 2 ** 32;
const ALL = "all";

/** The stretches that a value may be in, the same object for the same one; all of tensor memory where that is not known. */
function stretchesOf(value: Value, known: Map<string, Stretch>): readonly Stretch[] {
  const one = (key: string, start: number, end: number): Stretch => {
    let stretch = known.get(key);
    if (!stretch) known.set(key, (stretch = { start, end }));
    return stretch;
  };
  const all = [one(ALL, 0, Infinity)];
  const allocs = tensorMemoryAllocsOf(value);
  const found: Stretch[] = [];
  for (const alloc of allocs) {
    const column = intOf(alloc.attr("tensor_memory_col_offset"));
    const row = intOf(alloc.attr("tensor_memory_row_offset"));
    if (column === undefined || row === undefined) return all;
    const desc = descOf(alloc.result(0));
    for (let half = 0; half < tmemRows(desc) / 64; half++) {
      const start = (row / 16 + half) * ROW + column;
      found.push(one(`${start}+${tmemColumns(desc)}`, start, start + tmemColumns(desc)));
    }
  }
  return found.length > 0 ? found : all;
}
