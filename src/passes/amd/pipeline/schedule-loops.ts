import { type ModuleAxisInfo, moduleAxisInfo } from "../../../analysis/module-axis-info.js";
import { getForwardSlice } from "../../../analysis/slices.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { DotOpInterface, TransposeOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { ReshapeOp } from "../../../dialects/tt/ops/shape.js";
import { distributedParams, encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import type { Attribute } from "../../../ir/attribute.js";
import { boolAttr } from "../../../ir/builtin-attrs.js";
import { encodingOf, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { getContigPerThread, toLinearEncoding } from "../../../layout/encoding-queries.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import type { Explain } from "../../../pass/remark.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { convertDistributedOpEncoding } from "../../ttg/distributed-op-encoding.js";
import { inferSrcEncoding } from "../../ttg/remove-layout-conversions/infer-encoding.js";
import { type Cluster, CoarseSchedule } from "../../ttg/software-pipelining/coarse-schedule.js";
import {
  bodyOf,
  forLoops,
  getNumStagesOrDefault,
  isOuterLoop,
  loopHasDistGreaterThanOne,
} from "../../ttg/software-pipelining/pipelined-loops.js";
import { isSafeToPipeline } from "../../ttg/software-pipelining/schedule-rest.js";
import {
  BYPASS_LDS,
  CHAINED_CLUSTERS,
  CHAINED_STAGES,
  type ChainedCluster,
  chainedDots,
  largestDistance,
  loadsOf,
  type PipelinedLoad,
  type PipelinedLoads,
} from "./loads.js";

export const scheduleLoopsAmd = definePass("tritonamdgpu-schedule-loops", {
  name: "TritonAMDGPUScheduleLoops",
  summary: "Generate schedule for loops",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/ScheduleLoops.cpp",
  options: { numStages: option.int({ default: 2, summary: "number of pipeline stages", text: "num_stages" }) },
  statistics: { loops: "loops scheduled" },
  run(root, { options, analysis, listener, count, explain }) {
    const rw = new Rewriter(root.ctx, listener);
    for (const loop of forLoops(root)) {
      const numStages = getNumStagesOrDefault(loop, options.numStages);
      if (numStages <= 1 || !isSafeToPipeline(loop)) {
        explainUnfit(loop, numStages, explain);
        continue;
      }
      if (scheduleLoop(rw, loop, numStages, analysis(moduleAxisInfo))) count("loops");
      else decline(loop, "it has no load that feeds a dot and is wide enough to start ahead", explain);
    }
  },
});

function decline(loop: ForView, reason: string, explain: Explain | undefined): void {
  explain?.(loop.op, "pipeline.declined", { kind: "missed", message: `{0} is not pipelined: ${reason}`, fields: { reasons: [reason] } });
}
function explainUnfit(loop: ForView, numStages: number, explain: Explain | undefined): void {
  if (isOuterLoop(loop)) return;
  if (numStages <= 1) decline(loop, "it has one stage", explain);
  else if (loopHasDistGreaterThanOne(loop)) decline(loop, "a value that it carries is used more than one round later", explain);
  else decline(loop, "it has a barrier", explain);
}

function scheduleLoop(rw: Rewriter, loop: ForView, numStages: number, axes: ModuleAxisInfo): boolean {
  const loads = new Map<Operation, PipelinedLoad>();
  for (const [load, { distance, use }] of loadsOf(loop, axes, numStages))
    loads.set(loadInRegisters(rw, load, use) ?? load, { encoding: undefined, distance, use });
  if (loads.size === 0) return false;
  const dots = chainedDots(loop, numStages, loads);
  const schedule = dots ? scheduleChain(loop, numStages, loads, dots) : scheduleSingle(numStages, loads);
  if (schedule.empty) return false;
  schedule.serialize(loop);
  return true;
}

/** Loads first, then what uses them, in the last stage. */
function scheduleSingle(numStages: number, loads: PipelinedLoads): CoarseSchedule {
  const schedule = new CoarseSchedule(numStages);
  const [load, compute] = Array.from({ length: 5 }, () => schedule.newClusterAtBack()) as [Cluster, Cluster];
  const maxDistance = largestDistance(loads);
  const last = numStages - 1;
  const between = Math.ceil((numStages - 2) / (maxDistance + 1));
  for (const { use } of loads.values()) if (!LoadOp.is(use)) schedule.insert(use, last, compute);
  // As upstream: the stage that is computed is looked up in the list of stages for loads, stores to LDS, and so on.
  const stages = [0, maxDistance, last, last, last];
  for (const [op, { distance }] of loads) schedule.insert(op, stages[(maxDistance - distance) * between] ?? last, load);
  return schedule;
}

/** Two dots a stage apart, with what is between them divided: each part runs beside the other dot. */
function scheduleChain(loop: ForView, numStages: number, loads: PipelinedLoads, dots: readonly [Operation, Operation]): CoarseSchedule {
  const schedule = new CoarseSchedule(numStages);
  const clusters = Object.fromEntries(CHAINED_CLUSTERS.map((name) => [name, schedule.newClusterAtBack()])) as Record<
    ChainedCluster,
    Cluster
  >;
  const [first, second] = dots;
  schedule.insert(first, CHAINED_STAGES.dot1, clusters.dot1);
  schedule.insert(second, CHAINED_STAGES.dot2, clusters.dot2);
  for (const [load, { use }] of loads) {
    if (use === first) schedule.insert(load, CHAINED_STAGES.globalLoad1, clusters.globalLoad1);
    else if (use === second) schedule.insert(load, CHAINED_STAGES.globalLoad2, clusters.globalLoad2);
  }
  const slice = new Set(getForwardSlice(first.result(0)));
  for (const operand of second.operands) {
    const giver = operand.definingOp;
    if (!giver || !slice.has(giver)) continue;
    const work = [operand];
    for (let value = work.pop(); value; value = work.pop()) {
      const op = value.definingOp;
      if (!op || !slice.has(op) || schedule.has(op)) continue;
      // The cut is at a value with several users; before it, something would have to be computed twice.
      if (op.results.reduce((sum, result) => sum + result.numUses(), 0) > 1) {
        schedule.insert(op, CHAINED_STAGES.dot1, clusters.afterDot2);
        schedule.insertIfAbsent(giver, CHAINED_STAGES.dot2, clusters.afterDot1);
      } else work.push(...op.operands);
    }
  }
  for (const { definingOp } of bodyOf(loop).lastOp!.operands)
    if (definingOp && slice.has(definingOp)) schedule.insertIfAbsent(definingOp, CHAINED_STAGES.dot2, clusters.afterDot1);
  return schedule;
}

/**
 * Loads straight in the layout of the dot's operand, where memory was shuffled for that and accesses stay as wide. Returns the new load.
 */
function loadInRegisters(rw: Rewriter, load: Operation, use: Operation): Operation | undefined {
  if (!use.def.interface(DotOpInterface)) return undefined;
  const slice = new Set(getForwardSlice(load));
  const givers = use.operands.flatMap(({ definingOp }) => (definingOp && slice.has(definingOp) ? [definingOp] : []));
  if (givers.length !== 1) return undefined;
  let encoding = encodingOf(givers[0]!.result(0).type);
  let inferred = false;
  let op: Operation | undefined = givers[0];
  while (op && op !== load && encoding) {
    if (!ConvertLayoutOp.is(op)) {
      if (!ReshapeOp.is(op) && !op.def.interface(TransposeOpInterface)) return undefined;
      encoding = inferSrcEncoding(op, encoding);
      inferred = true;
    }
    op = op.operand(0).definingOp;
  }
  if (op !== load || !inferred || !encoding || !isCoalesced(load.result(0).type as TensorType, encoding)) return undefined;
  const made = convertDistributedOpEncoding(rw, load, encoding);
  made.setAttr(BYPASS_LDS, boolAttr(load.ctx, true));
  return made;
}
/** Whether a thread loads as much at once in the layout, and no two warps load the same. */
function isCoalesced(type: TensorType, encoding: Attribute): boolean {
  const { shape } = type.params;
  const blocked = encodingParams(type.params.encoding);
  const params = distributedParams(encoding);
  if (blocked?.kind !== "blocked" || !params) return false;
  const linear = toLinearEncoding(shape, params);
  const fastest = blocked.order[0]!;
  // As upstream, contiguity per warp is compared with itself.
  if (getContigPerThread(linear, shape)[fastest]! < blocked.sizePerThread[fastest]!) return false;
  return linear.layout.getInDimBases("warp").every((basis) => basis.some((n) => n !== 0));
}
