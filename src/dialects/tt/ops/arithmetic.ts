/** Arithmetic that arith and math lack. */
import { defineOp } from "../../../ir/define-op.js";
import { Elementwise, Pure, SameOperandsAndResultType } from "../../../ir/traits.js";
import { FloatLike, IntLike } from "../constraints.js";
import { PropagateNanAttr } from "../enums.js";
import { ttTraits } from "../tt-op.js";

const traits = ttTraits(Elementwise, SameOperandsAndResultType, Pure);

/** Source: TritonOps.td, TT_ClampFOp. */
export const ClampFOp = defineOp("tt.clampf", () => ({
  summary: "Clamp operation for floating point types",
  operands: { x: FloatLike, min: FloatLike, max: FloatLike },
  attrs: { propagateNan: PropagateNanAttr },
  results: { result: FloatLike },
  traits,
  format: "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)",
}));

/** Source: TritonOps.td, TT_PreciseSqrtOp. */
export const PreciseSqrtOp = defineOp("tt.precise_sqrt", () => ({
  summary: "Precise sqrt for floating point types",
  operands: { x: FloatLike },
  results: { result: FloatLike },
  traits,
  format: "$x attr-dict `:` type($x)",
}));

/** Source: TritonOps.td, TT_PreciseDivFOp. */
export const PreciseDivFOp = defineOp("tt.precise_divf", () => ({
  summary: "Precise div for floating point types",
  operands: { x: FloatLike, y: FloatLike },
  results: { result: FloatLike },
  traits,
  format: "$x `,` $y attr-dict `:` type($x)",
}));

/** Source: TritonOps.td, TT_MulhiUIOp. */
export const MulhiUIOp = defineOp("tt.mulhiui", () => ({
  summary: "Most significant N bits of the 2N-bit product of two integers",
  operands: { x: IntLike, y: IntLike },
  results: { result: IntLike },
  traits,
  format: "$x `,` $y attr-dict `:` type($x)",
}));
