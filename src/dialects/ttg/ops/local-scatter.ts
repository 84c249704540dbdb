/**
 * Elements of shared memory by index: along one dimension each position names its element (since 3.7, atomics since 3.8).
 * Source: TritonGPUOps.td; Ops.cpp of 3.8.
 */
import { isInteger, type TensorType } from "../../../ir/builtin-types.js";
import { I1, I32Attr, optional, rankedTensorOf } from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import { TypesMatchWith } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { IntTensor, PtrTensor, Tensor } from "../../tt/constraints.js";
import { AtomicRMWAttr } from "../../tt/enums.js";
import { getI1SameShape } from "../../tt/types.js";
import { sharedParams } from "../encodings/define-encoding.js";
import { LocalLoadTrait, readsShared, ttgTraits, writesShared } from "../ttg-op.js";
import { AsyncToken, type MemDesc, MemDescOperand, sameShape } from "../types.js";

const paramsOf = (value: Value) => (value.type as TensorType).params;

/** The tensor and the indices name elements of the buffer. `buffer` and `tensor` are what messages call them. */
function verifyIndexed(
  parts: { readonly memory: Value; readonly indices: Value; readonly tensor: Value; readonly axis: number },
  names: { readonly buffer: string; readonly tensor: string },
  report: OpReport,
): void {
  const { shape, elementType, encoding } = (parts.memory.type as MemDesc).params;
  const [indices, tensor] = [paramsOf(parts.indices), paramsOf(parts.tensor)];
  const error = (message: string) => void report.plain(message, "ttg.memory");
  if (!sharedParams(encoding)) return error(`${names.buffer} must have shared memory encoding`);
  if (!isInteger(indices.elementType)) return error("indices must have integer element type");
  if (!sameShape(tensor.shape, indices.shape)) return error(`${names.tensor} shape must match indices shape`);
  if (shape.length !== indices.shape.length) return error(`${names.buffer} and indices must have the same rank`);
  if (parts.axis < 0 || parts.axis >= shape.length)
    return error(`axis ${parts.axis >>> 0} is out of bounds for ${names.buffer} rank ${shape.length}`);
  const isLoad = names.tensor === "result";
  if (isLoad && elementType !== tensor.elementType) return error("result element type must match source element type");
  if (tensor.encoding !== indices.encoding)
    return error(isLoad ? "indices and result must have the same layout" : "values must have the same layout as indices");
  if (elementType !== tensor.elementType) error("values element type must match destination element type");
}

export const LocalGatherOp = defineOp("ttg.local_gather", () => ({
  summary: "Gather elements from shared memory along a specified axis",
  operands: { src: MemDescOperand, indices: IntTensor, token: optional(AsyncToken) },
  attrs: { axis: I32Attr },
  results: { result: Tensor },
  traits: ttgTraits(LocalLoadTrait),
  format: "$src `[` $indices `]` (`token` $token^)? attr-dict `:` qualified(type($src)) `,` type($indices) `->` type($result)",
  verify: ({ src, indices, result, axis }, report) =>
    verifyIndexed({ memory: src, indices, tensor: result, axis }, { buffer: "source", tensor: "result" }, report),
  effects: ({ src }) => [readsShared(src)],
}));

export const LocalScatterOp = defineOp("ttg.local_scatter", () => ({
  summary: "Scatter elements to shared memory along a specified axis",
  operands: { dst: MemDescOperand, values: Tensor, indices: IntTensor, token: optional(AsyncToken) },
  attrs: { axis: I32Attr },
  traits: ttgTraits(),
  format: "$dst `[` $indices `]` `,` $values (`token` $token^)? attr-dict `:` qualified(type($dst)) `,` type($indices) `,` type($values)",
  verify: ({ dst, indices, values, axis }, report) =>
    verifyIndexed({ memory: dst, indices, tensor: values, axis }, { buffer: "destination", tensor: "values" }, report),
  effects: ({ dst }) => [writesShared(dst)],
}));

export const LocalAtomicScatterRMWOp = defineOp("ttg.local_atomic_scatter_rmw", () => ({
  summary: "Atomically scatter RMW elements into shared memory along a specified axis",
  operands: { dst: MemDescOperand, values: Tensor, indices: IntTensor, mask: optional(rankedTensorOf(I1)) },
  attrs: { atomic_rmw_op: AtomicRMWAttr, axis: I32Attr },
  results: { result: Tensor },
  traits: ttgTraits(
    TypesMatchWith("result type matches values type", "values", "result", (type) => type),
    TypesMatchWith("mask type matches values type", "values", "mask", getI1SameShape),
  ),
  format: "$atomic_rmw_op `,` $dst `[` $indices `]` `,` $values (`,` $mask^)? attr-dict `:` functional-type(operands, results)",
  verify({ dst, indices, values, axis }, report) {
    if (!(dst.type as MemDesc).params.mutableMemory) return void report.error("Cannot store into immutable memory", "ttg.memory");
    if (PtrTensor.test(values.type)) return void report.plain("values must have integer or floating element type", "ttg.memory");
    verifyIndexed({ memory: dst, indices, tensor: values, axis }, { buffer: "destination", tensor: "values" }, report);
  },
  effects: ({ dst }) => [readsShared(dst), writesShared(dst)],
}));
