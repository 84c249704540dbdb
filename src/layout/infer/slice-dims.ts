/** Encodings of tt.reduce, tt.expand_dims. Source: Dialect.cpp, TritonGPUInferLayoutInterface. */
import type { DistributedParams, EncodingParams, SliceParams } from "../encoding-params.js";
import type { InferredDistributed } from "./inferred.js";

/** The result of reducing along `axis`: each thread keeps what it held, without that dimension. */
export function inferReduceOpEncoding(operand: DistributedParams, axis: number): SliceParams {
  return { kind: "slice", dim: axis, parent: operand };
}

/** The result of inserting a dimension at `axis` into a slice along it: the parent. */
export function inferExpandDimsOpEncoding(operand: EncodingParams, axis: number): InferredDistributed {
  if (operand.kind !== "slice") return { error: "ExpandDimsOp operand encoding must be SliceEncodingAttr" };
  if (operand.dim !== axis) return { error: "Incompatible slice dimension for ExpandDimsOp operand" };
  return { encoding: operand.parent };
}
