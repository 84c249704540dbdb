import { getBackwardSlice } from "../../../analysis/slices.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { DescriptorLoadOp, DescriptorStoreOp } from "../../../dialects/tt/ops/descriptor.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { LoadOp, StoreOp } from "../../../dialects/tt/ops/memory.js";
import { WarpGroupDotOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { isExpensiveLoadOrStore } from "../../ttg/memory-access.js";
import { ASYNC_TASK_ID, setAsyncTaskIds } from "./async-task-ids.js";

/**
 * Gives the loads that warp group dots read to task 0, the dots and all stores to tasks 1 and up. Functions in which tasks are
 * given already stay as they are, and those without loops, loads or such dots.
 * Source: WarpSpecialization/WSTaskPartition.cpp.
 */
export function doTaskPartition(func: Operation, numWarpGroups: number): void {
  let annotated = false;
  let loops = false;
  const dots: Operation[] = [];
  const stores: Operation[] = [];
  func.walkPostOrder((op) => {
    annotated ||= op.hasAttr(ASYNC_TASK_ID);
    loops ||= ForOp.is(op);
    if (WarpGroupDotOp.is(op)) dots.push(op);
    else if (StoreOp.is(op) || DescriptorStoreOp.is(op)) stores.push(op);
  });
  if (annotated || !loops) return;

  const producers = new Set<Operation>();
  for (const dot of dots)
    for (const operand of dot.operands.slice(0, 2)) {
      const root = operand.definingOp ?? operand.argOwner!.parentOp!;
      for (const op of [...getBackwardSlice(root, { omitBlockArguments: true }), root])
        if (DescriptorLoadOp.is(op) || (LoadOp.is(op) && isExpensiveLoadOrStore(op))) producers.add(op);
    }
  if (producers.size === 0) return;
  const consumers = Array.from({ length: numWarpGroups - 1 }, (_, i) => i + 1);
  for (const op of producers) setAsyncTaskIds(op, [0]);
  for (const op of [...dots, ...stores]) setAsyncTaskIds(op, consumers);
}

export const testWSTaskPartition = definePass("nvgpu-test-ws-task-partition", {
  name: "NVGPUTestWSTaskPartition",
  summary: "test warp specialization task partition",
  // Says by `async_task_id` which warp groups load for dots, and which multiply and store.
  source: "third_party/nvidia/hopper/lib/Transforms/WarpSpecialization/WSTaskPartition.cpp",
  testOnly: true,
  options: { numWarpGroups: option.int({ default: 0, summary: "number of warp groups for warp specialization" }) },
  run(root, { options }) {
    root.walkPostOrder((op) => {
      if (FuncOp.is(op) && options.numWarpGroups > 1) doTaskPartition(op, options.numWarpGroups);
    });
  },
});
