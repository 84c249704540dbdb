/**
 * Gives every op of a loop a stage and a cluster, by the latencies of its loads.
 * Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/ScheduleLoops.cpp.
 */
import { getForwardSlice } from "../../../analysis/slices.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { DescriptorGatherOp, DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { AsyncCopyGlobalToLocalOp } from "../../../dialects/ttg/ops/async-copy.js";
import { LocalLoadOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { ArriveBarrierOp, WaitBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp } from "../../../dialects/ttng/ops/tma.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { type Cluster, CoarseSchedule } from "../../ttg/software-pipelining/coarse-schedule.js";
import { bodyOf, findAncestorInBlock, forLoops, getNestedOperands, LATENCY } from "../../ttg/software-pipelining/pipelined-loops.js";
import {
  barrierIn,
  isSafeToPipeline,
  scheduleDistanceOneDependencies,
  scheduleRemainingToLastStage,
} from "../../ttg/software-pipelining/schedule-rest.js";
import { explainBarrier } from "./explain-pipelining.js";

type Latencies = ReadonlyMap<Operation, number>;

export const scheduleLoops = definePass("tritongpu-schedule-loops", {
  name: "TritonGPUScheduleLoops",
  summary: "software pipeline loop scheduling",
  source: "lib/Dialect/TritonGPU/Transforms/Pipeliner/ScheduleLoops.cpp",
  statistics: { loops: "loops scheduled" },
  run(root, { count, explain }) {
    const latencies = new Map<Operation, number>();
    root.walkPostOrder((op) => {
      const latency = intOf(op.attr(LATENCY));
      if (latency === undefined) return;
      latencies.set(op, latency);
      op.removeAttr(LATENCY);
    });
    for (const loop of forLoops(root)) {
      if (scheduleLoop(loop, latencies)) count("loops");
      else if (explain && hasLatencies(loop, latencies)) {
        const barrier = barrierIn(loop);
        if (barrier) explainBarrier(explain, loop, barrier);
      }
    }
  },
});

function scheduleLoop(loop: ForView, latencies: Latencies): boolean {
  const schedule = initialSchedule(loop, latencies);
  if (!schedule || schedule.empty) return false;
  const afterPrologue = schedulePrologueAndEpilogue(loop, schedule);
  schedule.scheduleDependencies(loop);
  scheduleDistanceOneDependencies(loop, schedule);
  scheduleRemainingToLastStage(loop, schedule, afterPrologue);
  schedule.serialize(loop);
  return true;
}

/** The schedule of the ops with a latency and what follows from them; the rest is fitted in around it. */
function initialSchedule(loop: ForView, latencies: Latencies): CoarseSchedule | undefined {
  if (!isSafeToPipeline(loop)) return undefined;
  if (hasLatencies(loop, latencies)) return scheduleKeyOps(loop, latencies);
  return loop.op.hasAttr("tt.warp_specialize") ? partitionedSchedule(loop, latencies) : undefined;
}

function hasLatencies(loop: ForView, latencies: Latencies): boolean {
  return bodyOf(loop)
    .opsWithoutTerminator()
    .some((op) => latencies.has(op));
}

/** An op's stage is the longest way from the first op with a latency to it. */
function scheduleKeyOps(loop: ForView, latencies: Latencies): CoarseSchedule {
  const body = bodyOf(loop);
  const terminator = body.lastOp!;
  // The longest way to the end of the round.
  const distance = new Map<Operation, number>();
  const distanceOf = (op: Operation): number => {
    const known = distance.get(op);
    if (known !== undefined) return known;
    let longest = 0;
    for (const result of op.results)
      for (const user of result.users()) {
        const inBody = findAncestorInBlock(body, user);
        if (inBody && inBody !== terminator) longest = Math.max(longest, distanceOf(inBody));
      }
    const total = (latencies.get(op) ?? 0) + longest;
    distance.set(op, total);
    return total;
  };
  let maxDistance = 0;
  for (const op of body.opsWithoutTerminator()) if (latencies.has(op)) maxDistance = Math.max(maxDistance, distanceOf(op));
  const stages = new Map<Operation, number>();
  for (const [op, d] of distance) if (d >= 0) stages.set(op, maxDistance - d);
  const maxStage = [...stages.values()].reduce((a, b) => Math.max(a, b), 0);
  const schedule = new CoarseSchedule(maxStage + 1);
  const clusters = Array.from({ length: maxStage + 1 }, () => schedule.newClusterAtBack());
  // Late stages come first in a round: nearly the reverse of program order.
  for (const [op, stage] of stages) schedule.insert(op, stage, clusters[maxStage - stage]!);
  // An if goes to the end of the round, unless something scheduled depends on it.
  const epilogue = schedule.newClusterAtBack();
  for (const [op, stage] of stages) {
    if (!IfOp.is(op) || latencies.has(op)) continue;
    if (!getForwardSlice(op).some((dependent) => stages.has(dependent))) schedule.insert(op, stage, epilogue);
  }
  return schedule;
}

const LATENCY_OPS = new Set<OpDef>([
  LoadOp,
  DescriptorLoadOp,
  DescriptorGatherOp,
  LocalStoreOp,
  LocalLoadOp,
  TMEMLoadOp,
  TMEMStoreOp,
  AsyncCopyGlobalToLocalOp,
  AsyncTMACopyGlobalToLocalOp,
  AsyncTMAGatherOp,
  WaitBarrierOp,
  ArriveBarrierOp,
]);
const isLatencyOp = (op: Operation): boolean => LATENCY_OPS.has(op.def) || op.def.interface(MMAv5OpInterface) !== undefined;

/** One partition of a warp-specialized loop holds a part of the loop's schedule: stages that are empty now go. */
function partitionedSchedule(loop: ForView, latencies: Latencies): CoarseSchedule | undefined {
  const schedule = CoarseSchedule.deserialize(loop);
  if (!schedule) return undefined;
  const ops = bodyOf(loop).opsWithoutTerminator();
  const stages = new Set<number>();
  for (const op of ops) if ((latencies.has(op) || isLatencyOp(op)) && schedule.has(op)) stages.add(schedule.get(op).stage);
  if (stages.size <= 1) {
    const single = new CoarseSchedule(1);
    const cluster = single.newClusterAtFront();
    for (const op of ops) single.insert(op, 0, cluster);
    return single;
  }
  const all = [...schedule.slots.values()];
  const first = all.reduce((least, { stage }) => Math.min(least, stage), Infinity);
  const last = all.reduce((most, { stage }) => Math.max(most, stage), 0);
  for (const slot of all) slot.stage -= first;
  schedule.numStages = last - first + 1;
  return schedule;
}

/** Ifs that scheduled ops depend on go to the start of a round, other ifs to the end. Returns the cluster after the start. */
function schedulePrologueAndEpilogue(loop: ForView, schedule: CoarseSchedule): Cluster {
  const { numStages } = schedule;
  const afterPrologue = schedule.clusters[0]!;
  const ops = schedule.getOpsInOrder(loop);
  const stageOfIf = new Map<Operation, number>();
  // Ops met in one stage are not followed again in a later stage.
  const met = new Set<Operation>();
  for (let stage = 0; stage < numStages; stage++)
    for (const scheduled of ops) {
      if (scheduled.stage !== stage) continue;
      for (const op of needsOf(scheduled.op, met)) if (IfOp.is(op) && !stageOfIf.has(op)) stageOfIf.set(op, stage);
    }
  if (stageOfIf.size > 0) {
    const prologue = schedule.newClusterAtFront();
    for (const [op, stage] of stageOfIf) schedule.insertIfAbsent(op, stage, prologue);
  }
  const epilogue = schedule.newClusterAtBack();
  for (const op of bodyOf(loop).opsWithoutTerminator())
    if (IfOp.is(op) && !stageOfIf.has(op)) schedule.insertIfAbsent(op, numStages - 1, epilogue);
  return afterPrologue;
}

/** The ops that an op depends on, also before the loop and by what is nested in them; those in `met` and what they need left out. */
function needsOf(root: Operation, met: Set<Operation>): Operation[] {
  const found: Operation[] = [];
  const work = [root];
  for (let op = work.pop(); op; op = work.pop())
    for (const { definingOp } of getNestedOperands(op)) {
      if (!definingOp || met.has(definingOp) || definingOp.def.isIsolated) continue;
      met.add(definingOp);
      found.push(definingOp);
      work.push(definingOp);
    }
  return found;
}
