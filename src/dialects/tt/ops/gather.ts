/** Ops that look up or count elements by value. */
import { type TensorType, withElementType } from "../../../ir/builtin-types.js";
import { I32Attr, optional, Unit } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { InferTypeOpInterface, Pure, TypesMatchWith } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { BoolLike, IntTensor, Tensor } from "../constraints.js";
import { ttTraits } from "../tt-op.js";
import { getI1SameShape } from "../types.js";

const paramsOf = (value: Value) => (value.type as TensorType).params;

/** Source: TritonOps.td, TT_HistogramOp. */
export const HistogramOp = defineOp("tt.histogram", () => ({
  summary: "return a histogram of the inputs.",
  operands: { src: IntTensor, mask: optional(BoolLike) },
  results: { result: IntTensor },
  traits: ttTraits(Pure, TypesMatchWith("mask type matches src type", "src", "mask", getI1SameShape)),
  format: "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)",
}));

/** Source: TritonOps.td, TT_GatherOp. */
export const GatherOp = defineOp("tt.gather", () => ({
  summary: "local gather operation",
  operands: { src: Tensor, indices: IntTensor },
  attrs: { axis: I32Attr, efficient_layout: Unit },
  results: { result: Tensor },
  traits: ttTraits(Pure, InferTypeOpInterface),
  format: "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)",
  inferTypes: ({ view }) => [withElementType(view.indices.type, paramsOf(view.src).elementType)],
  verifyDependsOn: "types and attributes",
  verify({ src, indices, result, axis }, report) {
    const [from, at, to] = [paramsOf(src), paramsOf(indices), paramsOf(result)];
    const error = (message: string) => void report.error(message, "tt.gather");
    if (at.shape.length !== to.shape.length || at.shape.some((extent, i) => extent !== to.shape[i]))
      return error("indices and output shapes must match");
    if (at.encoding !== to.encoding) return error("indices and output encodings must match");
    if (from.elementType !== to.elementType) return error("input and output element types must match");
    if (from.shape.length !== at.shape.length) return error("input and indices ranks must match");
    // The axis is unsigned upstream, so a negative one is too large.
    if (axis < 0 || axis >= from.shape.length) return error("gather dimension must be less than the input rank");
    const wrong = at.shape.findIndex((extent, dim) => dim !== axis && extent !== from.shape[dim]);
    if (wrong >= 0) error(`indices dimension ${wrong} must match the corresponding input dimension`);
  },
}));
