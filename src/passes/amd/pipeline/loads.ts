/** The loads that a loop starts ahead, and what is known of each. Source: third_party/amd/lib/TritonAMDGPUTransforms/PipelineUtility.h, ScheduleLoops.cpp. */
import type { ModuleAxisInfo } from "../../../analysis/module-axis-info.js";
import { getForwardSlice } from "../../../analysis/slices.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { DotOp } from "../../../dialects/tt/ops/dot.js";
import { isRdna } from "../../../gpu/amd.js";
import type { Attribute } from "../../../ir/attribute.js";
import type { Operation } from "../../../ir/operation.js";
import { type Indirection, loadOpsToIndirectionLevel } from "../../ttg/software-pipelining/indirection-levels.js";
import { bodyOf, NUM_STAGES } from "../../ttg/software-pipelining/pipelined-loops.js";
import { familyOfModule } from "../module-target.js";

/** Marks a load whose value goes to the dot in registers. */
export const BYPASS_LDS = "amdg.bypass_lds_load";

export interface PipelinedLoad extends Indirection {
  /** The layout in shared memory; none for what stays in registers. */
  readonly encoding: Attribute | undefined;
}
export type PipelinedLoads = ReadonlyMap<Operation, PipelinedLoad>;

/** The loads of a loop that are worth starting ahead. */
export function loadsOf(loop: ForView, axes: ModuleAxisInfo, numStages: number): ReadonlyMap<Operation, Indirection> {
  const family = familyOfModule(loop.op);
  return loadOpsToIndirectionLevel(loop, loop.op.hasAttr(NUM_STAGES), axes, numStages, family !== "CDNA4" && !isRdna(family));
}

export const largestDistance = (loads: PipelinedLoads): number =>
  [...loads.values()].reduce((most, { distance }) => Math.max(most, distance), 0);

/** The two dots of a loop in which the first feeds the second, as in attention; undefined for any other loop. */
export function chainedDots(loop: ForView, numStages: number, loads: PipelinedLoads): readonly [Operation, Operation] | undefined {
  const [first, second, ...more] = bodyOf(loop)
    .opsWithoutTerminator()
    .filter((op) => DotOp.is(op));
  if (numStages !== 4 || !first || !second || more.length > 0) return undefined;
  if (!getForwardSlice(first.result(0)).includes(second)) return undefined;
  return [...loads.values()].every(({ distance }) => distance === 0) ? [first, second] : undefined;
}

/** The clusters of a loop with chained dots, in order: `_1` is for the first dot, `_2` for the second. */
export const CHAINED_CLUSTERS = [
  "dot1",
  "afterDot1",
  "asyncWait2",
  "localWrite1",
  "localLoad2",
  "globalLoad1",
  "dot2",
  "afterDot2",
  "asyncWait1",
  "localWrite2",
  "localLoad1",
  "globalLoad2",
] as const;
export type ChainedCluster = (typeof CHAINED_CLUSTERS)[number];
export const CHAINED_STAGES = {
  dot1: 2,
  dot2: 3,
  globalLoad1: 0,
  localWrite1: 1,
  localLoad1: 1,
  globalLoad2: 1,
  localWrite2: 2,
  localLoad2: 3,
} as const;
