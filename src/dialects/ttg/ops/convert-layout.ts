import { defineOp } from "../../../ir/define-op.js";
import { Pure, SameOperandsAndResultElementType, SameOperandsAndResultShape } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { Tensor } from "../../tt/constraints.js";
import { ttgTraits } from "../ttg-op.js";

/** Moves the elements of a tensor to the threads of another layout. Source: TritonGPUOps.td, TTG_ConvertLayoutOp. */
export const ConvertLayoutOp = defineOp("ttg.convert_layout", () => ({
  summary: "convert layout",
  operands: { src: Tensor },
  results: { result: Tensor },
  traits: ttgTraits(SameOperandsAndResultShape, SameOperandsAndResultElementType, Pure),
  format: "$src attr-dict `:` type($src) `->` type($result)",
}));

/** The value before conversions of its layout. */
export const throughConversions = (value: Value): Value => {
  let at = value;
  for (let cvt = ConvertLayoutOp.match(at.definingOp); cvt; cvt = ConvertLayoutOp.match(at.definingOp)) at = cvt.src;
  return at;
};
