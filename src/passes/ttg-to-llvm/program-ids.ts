/** Which program of the grid this is. Source: SPMDOpToLLVM.cpp (both), Utility.cpp, llGetPid. */
import * as nvvm from "../../dialects/nvvm/ops/registers.js";
import { GetNumProgramsOp, GetProgramIdOp } from "../../dialects/tt/ops/program.js";
import { i32 } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";

// With clusters a program is a cluster of CTAs.
const IDS = [nvvm.BlockIdXOp, nvvm.BlockIdYOp, nvvm.BlockIdZOp] as const;
const CLUSTER_IDS = [nvvm.ClusterIdXOp, nvvm.ClusterIdYOp, nvvm.ClusterIdZOp] as const;
const DIMS = [nvvm.GridDimXOp, nvvm.GridDimYOp, nvvm.GridDimZOp] as const;
const CLUSTER_DIMS = [nvvm.ClusterDimXOp, nvvm.ClusterDimYOp, nvvm.ClusterDimZOp] as const;
const AXES = ["x", "y", "z"] as const;

export function getProgramId(lo: Lowering, axis: number): Value {
  return lo.b.value((lo.target.numCTAs === 1 ? IDS : CLUSTER_IDS)[axis]!, {}, i32(lo.ctx));
}
export function getNumPrograms(lo: Lowering, axis: number): Value {
  return lo.b.value((lo.target.numCTAs === 1 ? DIMS : CLUSTER_DIMS)[axis]!, {}, i32(lo.ctx));
}

export const PROGRAM_IDS: readonly LoweringRule[] = [
  rule(GetProgramIdOp, ({ axis, result }, lo) => lo.setValue(result, getProgramId(lo, AXES.indexOf(axis)))),
  rule(GetNumProgramsOp, ({ axis, result }, lo) => lo.setValue(result, getNumPrograms(lo, AXES.indexOf(axis)))),
];
