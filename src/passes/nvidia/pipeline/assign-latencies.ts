/**
 * Says which loads of a loop are worth starting rounds ahead, and how many.
 * Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/AssignLatencies.cpp.
 */
import { type ModuleAxisInfo, moduleAxisInfo } from "../../../analysis/module-axis-info.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { DotOp } from "../../../dialects/tt/ops/dot.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { WARP_SPECIALIZE } from "../../ttg/fuse-nested-loops/fuse-one-level.js";
import { isAnyLoad, loadOpsToIndirectionLevel } from "../../ttg/software-pipelining/indirection-levels.js";
import {
  bodyOf,
  DISALLOW_ACC_MULTI_BUFFER,
  forLoops,
  getNumStagesOrDefault,
  isOuterLoop,
  LATENCY,
  loopHasDistGreaterThanOne,
  NUM_STAGES,
  SELF_LATENCY,
} from "../../ttg/software-pipelining/pipelined-loops.js";
import { explainLoads, explainLoopWithoutLatencies, explainUnfitLoop } from "./explain-pipelining.js";
import { hasAccReadModifyWrite, hasLoadsAfterMMA, isAccMultibufferingPossible, mmaOperands, requiresAccMultiBuffering } from "./mma-v5.js";

export const assignLatencies = definePass("tritongpu-assign-latencies", {
  name: "TritonGPUAssignLatencies",
  summary: "assign latencies to interesting ops ahead of pipelining",
  source: "lib/Dialect/TritonGPU/Transforms/Pipeliner/AssignLatencies.cpp",
  options: { numStages: option.int({ default: 3, summary: "number of pipeline stages" }) },
  statistics: { loads: "loads given a latency" },
  run(root, { options, analysis, count, explain }) {
    const latencies = new Map<Operation, number>();
    // Once for all loops: the attributes that are set meanwhile say nothing of axes.
    let axes: ModuleAxisInfo | undefined;
    for (const loop of forLoops(root)) {
      const numStages = getNumStagesOrDefault(loop, options.numStages);
      if (loopHasDistGreaterThanOne(loop) || isOuterLoop(loop) || numStages <= 1) {
        if (explain) explainUnfitLoop(explain, loop, numStages);
        continue;
      }
      // The user's own latencies are kept.
      if (
        bodyOf(loop)
          .opsWithoutTerminator()
          .some((op) => op.hasAttr(LATENCY))
      )
        continue;
      const withoutDot = loop.op.hasAttr(NUM_STAGES);
      axes ??= analysis(moduleAxisInfo);
      const loads = loadOpsToIndirectionLevel(loop, withoutDot, axes, numStages);
      const levels = new Map([...loads].map(([load, { distance }]) => [load, distance]));
      const deepest = [...levels.values()].reduce((a, b) => Math.max(a, b), 0);
      const latency = Math.trunc((numStages - 1) / (deepest + 1));
      for (const load of levels.keys()) latencies.set(load, latency);
      assignMMALatencies(loop, latencies);
      if (explain) {
        explainLoads(explain, loop, levels, { numStages, latency, withoutDot, axes });
        if (levels.size === 0) explainLoopWithoutLatencies(explain, loop, numStages);
      }
    }
    for (const [op, latency] of latencies) {
      op.setAttr(LATENCY, i32Attr(root.ctx, latency));
      if (isAnyLoad(op)) count("loads");
    }
  },
});

/** Lets instructions of Blackwell overlap with themselves, and what uses them come a round later. */
function assignMMALatencies(loop: ForView, latencies: Map<Operation, number>): void {
  const ops = bodyOf(loop).opsWithoutTerminator();
  // With other dots the last round would be masked, only for a wait.
  if (ops.some((op) => DotOp.is(op))) return;
  for (const op of ops) {
    if (!op.def.interface(MMAv5OpInterface)) continue;
    const operands = mmaOperands(op, loop, (load) => (latencies.get(load) ?? 0) > 0);
    if (!operands.isPipelineable && (!operands.isDetermined || hasLoadsAfterMMA(op, loop))) continue;
    op.setAttr(SELF_LATENCY, i32Attr(op.ctx, 1));
    const single = loop.op.hasAttr(DISALLOW_ACC_MULTI_BUFFER);
    if (!requiresAccMultiBuffering(op, loop) || (isAccMultibufferingPossible(op, loop) && !single)) latencies.set(op, 1);
    if (!isWarpSpecialized(loop)) continue;
    if (hasAccReadModifyWrite(op, loop)) latencies.delete(op);
    else latencies.set(op, (latencies.get(op) ?? 0) + 1);
    if (!op.ctx.triton.dividedDotsDoNotWait) continue;
    // Where other warps load all operands, the instruction does not wait for itself.
    const divided = mmaOperands(op, loop, (load) => !LoadOp.is(load) && (latencies.get(load) ?? 0) > 0);
    if (divided.isDetermined && !divided.unpipelineable.some((def) => LoadOp.is(def))) op.setAttr(SELF_LATENCY, i32Attr(op.ctx, 0));
  }
}
/** Is a loop, or one around it, marked? */
function isWarpSpecialized(loop: ForView): boolean {
  for (let op: Operation | null = loop.op; op; op = op.parentOp) if (ForOp.is(op) && op.hasAttr(WARP_SPECIALIZE)) return true;
  return false;
}
