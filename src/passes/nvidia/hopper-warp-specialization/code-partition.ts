/** Makes code of its own for each task, and what they need to hand values to each other. Source: WarpSpecialization/WSCodePartition.cpp. */
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { LocalAllocOp, LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { definePass, type PassReport } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { replaceUsesAndPropagateType } from "../../ttg/shared-memory-uses.js";
import { AccumCounts } from "./accum-counts.js";
import { insertAsyncComm } from "./async-communication.js";
import { insertAsyncCopies } from "./async-copy.js";
import { getAsyncTaskIds, sameTasks } from "./async-task-ids.js";
import { createBuffers, createTokens } from "./buffers.js";
import { type Channel, collectChannels, groupChannels, reorderProducerOps, srcOpOf } from "./channels.js";
import { specializeRegion } from "./specialize.js";

/** Specializes a function in which tasks use what others load or compute; `numBuffers` is how many rounds producers may be ahead. */
export function doCodePartition(rw: Rewriter, func: Operation, numBuffers: number, report: PassReport): void {
  const channels = collectChannels(func, numBuffers);
  if (channels.length === 0) return;
  const groups = groupChannels(channels);
  reorderProducerOps(channels);
  const counts = new AccumCounts(rw, channels);
  counts.append(getTaskTopRegion(func, channels));
  const buffers = createBuffers(rw, func, groups);
  const copies = insertAsyncCopies(rw, groups, buffers, counts);
  const comms = createTokens(rw, func, groups, copies);
  groups.byConsumer.forEach((group, i) => {
    rw.from(srcOpOf(group[0]!), () => insertAsyncComm(rw, group, comms[i]!, buffers, copies, counts));
  });
  foldLocalLoads(rw, func);
  specializeRegion(rw, func, report);
}

/** The loops and ifs right in the function in which both ends of a channel are. */
function getTaskTopRegion(func: Operation, channels: readonly Channel[]): Operation[] {
  const topOf = (op: Operation): Operation => {
    let at = op;
    while (!FuncOp.is(at.parentOp)) at = at.parentOp!;
    return at;
  };
  const tops = new Set(
    channels.flatMap((channel) => {
      const top = topOf(channel.dst);
      return topOf(srcOpOf(channel)) === top ? top : [];
    }),
  );
  return [...func.regions[0]!.blocks()].flatMap((block) =>
    [...block.ops()].filter((op) => (ForOp.is(op) || IfOp.is(op)) && getAsyncTaskIds(op).length !== 1 && tops.has(op)),
  );
}

/** A buffer that is filled from another one in the same tasks is that one. */
function foldLocalLoads(rw: Rewriter, func: Operation): void {
  const pairs: (readonly [alloc: Value, buffer: Value])[] = [];
  func.walkPostOrder((op) => {
    const alloc = LocalAllocOp.match(op);
    const load = LocalLoadOp.match(alloc?.src?.definingOp);
    if (alloc && load && sameTasks(load.op, op)) pairs.push([alloc.result, load.src]);
  });
  for (const [alloc, buffer] of pairs) replaceUsesAndPropagateType(rw, alloc, buffer);
}

export const testWSCodePartition = definePass("nvgpu-test-ws-code-partition", {
  name: "NVGPUTestWSCodePartition",
  summary: "test warp specialization code partition",
  // Makes code of its own for each task, as `async_task_id` says.
  source: "third_party/nvidia/hopper/lib/Transforms/WarpSpecialization/WSCodePartition.cpp",
  testOnly: true,
  options: {
    numBuffers: option.int({ default: 0, summary: "number of buffering for producer-consumer" }),
    numWarpGroups: option.int({ default: 0, summary: "number of warp groups for warp specialization" }),
    requestedRegisters: option.int({ default: 232, summary: "number of register requested for computation group" }),
  },
  run(root, pass) {
    const { numBuffers } = pass.options;
    const rw = new Rewriter(root.ctx, pass.listener);
    root.walkPostOrder((func) => {
      if (FuncOp.is(func) && numBuffers > 0) doCodePartition(rw, func, numBuffers, pass.report);
    });
  },
});
