/** The place of a program in its grid, and ranges. */
import { splatOf } from "../../../ir/builtin-attrs.js";
import { isInteger, type TensorType } from "../../../ir/builtin-types.js";
import { I32, I32Attr } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { Pure } from "../../../ir/traits.js";
import { IntTensor } from "../constraints.js";
import { ProgramDim } from "../enums.js";
import { ttTraits } from "../tt-op.js";

/** Source: TritonOps.td, TT_GetProgramIdOp. */
export const GetProgramIdOp = defineOp("tt.get_program_id", () => ({
  attrs: { axis: ProgramDim },
  results: { result: I32 },
  traits: ttTraits(Pure),
  format: "$axis attr-dict `:` type($result)",
}));

/** Source: TritonOps.td, TT_GetNumProgramsOp. */
export const GetNumProgramsOp = defineOp("tt.get_num_programs", () => ({
  attrs: { axis: ProgramDim },
  results: { result: I32 },
  traits: ttTraits(Pure),
  format: "$axis attr-dict `:` type($result)",
}));

/** start, start + 1, ..., end - 1. Source: TritonOps.td, TT_MakeRangeOp. */
export const MakeRangeOp = defineOp("tt.make_range", () => ({
  summary: "make range",
  attrs: { start: I32Attr, end: I32Attr },
  results: { result: IntTensor },
  traits: ttTraits(Pure),
  format: "attr-dict `:` type($result)",
  verifyDependsOn: "types and attributes",
  verify({ start, end, result }, report) {
    const { shape, elementType } = (result.type as TensorType).params;
    const error = (message: string) => void report.error(message, "tt.make_range");
    if (start >= end) return error("start must be less than end");
    if (shape.length !== 1) return error("return type must be a 1D tensor");
    if (end - start !== shape[0])
      return error(
        `number of elements in returned tensor, ${shape[0]}, must match size of range [${start}, ${end}), which has ${end - start} elements`,
      );
    if (!isInteger(elementType, 32)) error("returned tensor must have i32 elements");
  },
  fold({ op, start, end, result }): FoldResult {
    return start + 1 === end ? splatOf(result.type, op.attr("start")!) : undefined;
  },
}));
