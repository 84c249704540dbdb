/** Which program of the grid this is. Source: lib/Conversion/TritonGPUToLLVM/SPMDOpToLLVM.cpp. */
import { GetNumProgramsOp, GetProgramIdOp } from "../../dialects/tt/ops/program.js";
import { type LoweringRule, rule } from "./lowering.js";

const AXES = ["x", "y", "z"] as const;

export const PROGRAM_IDS: readonly LoweringRule[] = [
  rule(GetProgramIdOp, ({ axis, result }, lo) => lo.setValue(result, lo.code.programId(lo, AXES.indexOf(axis)))),
  rule(GetNumProgramsOp, ({ axis, result }, lo) => lo.setValue(result, lo.code.numPrograms(lo, AXES.indexOf(axis)))),
];
