/** Which loops can be pipelined, and where ops go that depend on those with a place. Source: Pipeliner/ScheduleLoops.cpp. */
import { BarrierOp } from "../../../dialects/gpu/ops/barrier.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { AssertOp, PrintOp } from "../../../dialects/tt/ops/debug.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import * as ttg from "../../../dialects/ttg/ops/since-3-7.js";
import type { Operation } from "../../../ir/operation.js";
import type { Cluster, CoarseSchedule } from "./coarse-schedule.js";
import { bodyOf, getNestedOperands, isOuterLoop, loopHasDistGreaterThanOne } from "./pipelined-loops.js";

/** Whether rounds of a loop may overlap. */
export const isSafeToPipeline = (loop: ForView): boolean =>
  !loopHasDistGreaterThanOne(loop) && !isOuterLoop(loop) && barrierIn(loop) === undefined;

/** An op for which all threads meet, or since 3.7 one that stops or prints. */
export function barrierIn(loop: ForView): Operation | undefined {
  const ofVersion = loop.op.ctx.triton.keepsLoopsThatPrint ? [ttg.BarrierOp, AssertOp, PrintOp] : [BarrierOp];
  let barrier: Operation | undefined;
  loop.op.walk((op) => {
    if (ofVersion.some((def) => def.is(op))) barrier = op;
    return barrier ? "interrupt" : undefined;
  });
  return barrier;
}
/** Puts ops that an op needs from the previous round into the next stage, just before the op; a load goes with the op. */
export function scheduleDistanceOneDependencies(loop: ForView, schedule: CoarseSchedule): void {
  const { numStages } = schedule;
  const body = bodyOf(loop);
  const before = new Map<Cluster, Cluster>();
  for (const op of body.opsWithoutTerminator()) {
    const slot = schedule.slots.get(op);
    if (!slot || slot.stage === numStages - 1) continue;
    const { stage, cluster } = slot;
    for (const operand of getNestedOperands(op)) {
      if (operand.argOwner !== body || operand.index === 0) continue;
      const def = body.lastOp!.operand(operand.index - 1).definingOp;
      if (!def || schedule.has(def)) continue;
      const isLoad = LoadOp.is(def);
      let target = isLoad ? cluster : before.get(cluster);
      if (!target) before.set(cluster, (target = schedule.newClusterBefore(cluster)));
      const targetStage = isLoad ? stage : stage + 1;
      schedule.insertIfAbsent(def, targetStage, target);
      schedule.insertDepsOfOp(def, targetStage, target, true);
    }
  }
}

/** Puts the remaining ops into the last stage, as early in a round as their operands allow. */
export function scheduleRemainingToLastStage(loop: ForView, schedule: CoarseSchedule, afterPrologue: Cluster): void {
  const lastStage = schedule.numStages - 1;
  const rest = new Map<Operation, Cluster>();
  for (const op of bodyOf(loop).opsWithoutTerminator()) if (!schedule.has(op)) rest.set(op, afterPrologue);
  const work = schedule
    .getOpsInOrder(loop)
    .filter(({ stage }) => stage === lastStage)
    .map(({ op }) => op);
  for (let op = work.pop(); op; op = work.pop()) {
    const own = schedule.slots.get(op)?.cluster ?? rest.get(op)!;
    for (const result of op.results)
      for (const user of result.users()) {
        const known = rest.get(user);
        if (!known || known.index >= own.index) continue;
        rest.set(user, own);
        work.push(user);
      }
  }
  for (const [op, cluster] of rest) schedule.insert(op, lastStage, cluster);
}
