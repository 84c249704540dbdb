/** Ops that change the shape of a tensor, not its elements. */
import type { Attribute, Type } from "../../../ir/attribute.js";
import { type DenseAttr, DenseElementsAttr, FloatAttr, IntegerAttr, i32ArrayAttr, splatOf } from "../../../ir/builtin-attrs.js";
import { numElements, RankedTensorType, type TensorType, tensorType } from "../../../ir/builtin-types.js";
import { DenseI32ArrayAttr, I32Attr, Unit } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { implement } from "../../../ir/interfaces.js";
import { InferTypeOpInterface, Pure, SameOperandsAndResultElementType, SameTypeOperands, TypesMatchWith } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { Tensor, TritonType } from "../constraints.js";
import { inferLayoutOf, layoutRules, type ReportError } from "../infer-layout.js";
import { applyPermutation, isPermutation, TransposeOpInterface, TransposeOpTrait } from "../op-interfaces.js";
import { InferTypeOpWithLayoutEquivalence, SameOperandsAndResultEncoding } from "../traits.js";
import { ttTraits } from "../tt-op.js";

/** The type of an operand that the constraints make a ranked tensor. */
const tensorOf = (value: Value): TensorType => value.type as TensorType;
const sameNumbers = (a: readonly number[], b: readonly number[]) => a.length === b.length && a.every((n, i) => n === b[i]);

/** Source: TritonOps.td, TT_SplatOp. */
export const SplatOp = defineOp("tt.splat", () => ({
  summary: "splat",
  operands: { src: TritonType },
  results: { result: Tensor },
  traits: ttTraits(Pure, SameOperandsAndResultElementType, SameOperandsAndResultEncoding),
  format: "$src attr-dict `:` type($src) `->` type($result)",
  fold({ result }, [value]): FoldResult {
    return FloatAttr.is(value) || IntegerAttr.is(value) ? splatOf(result.type, value) : undefined;
  },
}));

/** Source: TritonOps.td, TT_UnsplatOp. */
export const UnsplatOp = defineOp("tt.unsplat", () => ({
  summary: "convert a tensor with a single element to a scalar",
  operands: { src: Tensor },
  results: { result: TritonType },
  traits: ttTraits(Pure, InferTypeOpInterface),
  format: "$src attr-dict `:` type($src)",
  inferTypes: ({ view }) => [tensorOf(view.src).params.elementType],
  verifyDependsOn: "types and attributes",
  verify({ src }, report) {
    if (numElements(tensorOf(src).params.shape) !== 1) report.plain("source tensor must have exactly one element", "tt.unsplat");
  },
}));

/** `shape` with a dimension of extent 1 before dimension `axis`. */
export const expandedShape = (shape: readonly number[], axis: number): number[] => [...shape.slice(0, axis), 1, ...shape.slice(axis)];

/** The type of `src` with a dimension of extent 1 at `axis`; undefined when its encoding cannot follow. */
export function expandedType(src: TensorType, axis: number, report: ReportError): TensorType | undefined {
  const { shape, elementType, encoding } = src.params;
  if (axis < 0 || axis > shape.length) return void report?.(`axis ${axis} is not within 0 to ${shape.length}`);
  if (!encoding) return tensorType(expandedShape(shape, axis), elementType);
  const expanded = inferLayoutOf(encoding, report)?.inferExpandDimsOpEncoding(encoding, axis, report);
  if (expanded) return tensorType(expandedShape(shape, axis), elementType, expanded);
  report?.("failed to infer layout for ExpandDimsOp");
  return undefined;
}

/** Source: TritonOps.td, TT_ExpandDimsOp. */
export const ExpandDimsOp = defineOp("tt.expand_dims", () => ({
  summary: "expand_dims",
  operands: { src: Tensor },
  attrs: { axis: I32Attr },
  results: { result: Tensor },
  traits: ttTraits(Pure, InferTypeOpInterface, SameOperandsAndResultElementType),
  format: "$src attr-dict `:` type($src) `->` type($result)",
  inferTypes: ({ view, report }) => one(expandedType(tensorOf(view.src), view.axis, report)),
  fold: ({ result }, [value]): FoldResult => reshaped(value, result.type),
}));

/** Source: TritonOps.td, TT_ReshapeOp. */
export const ReshapeOp = defineOp("tt.reshape", () => ({
  summary: "reinterpret a tensor to a different shape. It may change elements order if the attribute is set.",
  operands: { src: Tensor },
  attrs: { allow_reorder: Unit, efficient_layout: Unit },
  results: { result: Tensor },
  traits: ttTraits(Pure, SameOperandsAndResultElementType),
  format: "$src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict `:` type($src) `->` type($result)",
  verifyDependsOn: "types and attributes",
  verify({ src, result, allow_reorder }, report) {
    const from = tensorOf(src).params;
    const to = tensorOf(result).params;
    const error = (message: string) => void report.plain(message, "tt.reshape");
    if (numElements(from.shape) !== numElements(to.shape)) return error("number of src and dst elements of reshape must be the same");
    if (!from.encoding !== !to.encoding) return error("Op requires that either (a) src and dst both have encodings, or (b) neither does.");
    if (!from.encoding || allow_reorder) return;
    const rules = inferLayoutOf(from.encoding, error);
    const inferred = rules?.inferReshapeOpEncoding(from.shape, from.encoding, to.shape, error);
    if (rules && inferred) rules.verifyLayoutsAreEqual(to.shape, inferred, to.encoding, error);
  },
  fold({ src, result, allow_reorder }, [value]): FoldResult {
    if (src.type === result.type && !allow_reorder) return src;
    return reshaped(value, result.type);
  },
}));

/** Source: TritonOps.td, TT_BroadcastOp. */
export const BroadcastOp = defineOp("tt.broadcast", () => ({
  summary: "broadcast a tensor",
  operands: { src: Tensor },
  results: { result: Tensor },
  traits: ttTraits(Pure, SameOperandsAndResultElementType, SameOperandsAndResultEncoding),
  format: "$src attr-dict `:` type($src) `->` type($result)",
  verifyDependsOn: "types and attributes",
  verify({ src, result }, report) {
    const from = tensorOf(src).params.shape;
    const to = tensorOf(result).params.shape;
    if (from.length !== to.length) return void report.plain("rank of source must be same as rank of result", "tt.broadcast");
    const wrong = from.findIndex((extent, i) => extent !== 1 && extent !== to[i]);
    if (wrong >= 0)
      report.plain(
        `Different dimensions at index ${wrong} between source and result.  Broadcast requires the source dimension to be 1.`,
        "tt.broadcast",
      );
  },
  fold({ src, result }, [value]): FoldResult {
    if (src.type === result.type) return src;
    return DenseElementsAttr.is(value) && value.params.splat ? reshaped(value, result.type) : undefined;
  },
}));

/** Not pure: it may reorder elements. Source: TritonOps.td, TT_CatOp. */
export const CatOp = defineOp("tt.cat", () => ({
  summary: "concatenate 2 tensors",
  operands: { lhs: Tensor, rhs: Tensor },
  results: { result: Tensor },
  traits: ttTraits(SameTypeOperands, SameOperandsAndResultElementType),
  format: "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)",
  verify({ op, lhs, result }, report) {
    if (!op.ctx.triton.catsKeepElements) return;
    const [part, whole] = [tensorOf(lhs), tensorOf(result)];
    const [expected, got] = [2 * numElements(part.params.shape), numElements(whole.params.shape)];
    const error = (message: string) => void report.error(message, "tt.cat");
    if (expected !== got)
      return error(`result element count must equal the sum of the operand element counts, expected ${expected} but got ${got}`);
    const { encoding } = whole.params;
    if (!encoding !== !part.params.encoding)
      return error("requires that either (a) operands and result all have encodings, or (b) none do.");
    const problem = encoding && layoutRules(encoding).catProblem(part, whole);
    if (problem !== undefined) report.plain(problem, "tt.cat");
  },
  effects: () => [],
}));

/** Source: TritonOps.td, TT_JoinOp. */
export const JoinOp = defineOp("tt.join", () => ({
  summary: "join two tensors along a new, minor dimension",
  operands: { lhs: Tensor, rhs: Tensor },
  results: { result: Tensor },
  traits: ttTraits(Pure, SameTypeOperands),
  format: "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)",
  verifyDependsOn: "types and attributes",
  verify({ lhs, result }, report) {
    const from = tensorOf(lhs).params;
    const to = tensorOf(result).params;
    const error = (message: string) => void report.error(message, "tt.join");
    const shape = [...from.shape, 2];
    if (!sameNumbers(shape, to.shape)) return error(`result shape must be (${shape.join(", ")}), but got ${to.shape.join(", ")}`);
    if (to.elementType !== from.elementType) return error("result element type must match the input element type");
    if (!to.encoding) return from.encoding && error("result encoding must be specified");
    // Several result layouts fit one source layout, but only one the other way round.
    const plain = (message: string) => void report.plain(message, "tt.join");
    const src = inferLayoutOf(to.encoding, plain)?.inferSplitOpEncoding(to.encoding, shape, plain);
    if (src && !layoutRules(src).verifyLayoutsAreEqual(from.shape, src, from.encoding, undefined)) error("incompatible join layout");
  },
}));
/** The type of joining two tensors of type `src`, in the layout upstream's builder picks. */
export function joinedType(src: TensorType): TensorType {
  const { shape, elementType, encoding } = src.params;
  const joined = encoding && layoutRules(encoding).inferDefaultJoinOpEncoding(encoding, shape, undefined);
  return tensorType([...shape, 2], elementType, joined);
}

/** Source: TritonOps.td, TT_SplitOp. */
export const SplitOp = defineOp("tt.split", () => ({
  summary: "splits a tensor into two, along its last dimension",
  operands: { src: Tensor },
  results: { outLHS: Tensor, outRHS: Tensor },
  traits: ttTraits(
    Pure,
    InferTypeOpWithLayoutEquivalence,
    TypesMatchWith("outLHS and outRHS types match", "outLHS", "outRHS", (type) => type),
  ),
  format: "$src attr-dict `:` type($src) `->` type($outLHS)",
  inferTypes({ view, report }) {
    const { shape, elementType, encoding } = tensorOf(view.src).params;
    if (shape.at(-1) !== 2) {
      report("last dimension of input tensor must be 2");
      return undefined;
    }
    const half = encoding && inferLayoutOf(encoding, report)?.inferSplitOpEncoding(encoding, shape, report);
    if (encoding && !half) return undefined;
    const type = tensorType(shape.slice(0, -1), elementType, half);
    return [type, type];
  },
}));

/** Renames dimensions: threads keep what they hold. Source: TritonOps.td, TT_TransOp. */
export const TransOp = defineOp("tt.trans", () => ({
  summary: "rearrange the dimensions of a tensor",
  operands: { src: Tensor },
  attrs: { order: DenseI32ArrayAttr },
  results: { result: Tensor },
  traits: ttTraits(Pure, TransposeOpTrait, InferTypeOpWithLayoutEquivalence, SameOperandsAndResultElementType),
  interfaces: [
    implement(TransposeOpInterface, {
      src: (op) => op.operand(0),
      order: (op): readonly number[] => TransOp.match(op)!.order,
    }),
  ],
  format: "$src attr-dict `:` type($src) `->` type($result)",
  inferTypes({ view, report }) {
    const { shape, elementType, encoding } = tensorOf(view.src).params;
    const { order } = view;
    if (order.length !== shape.length || !isPermutation(order)) return undefined;
    const permuted = encoding && inferLayoutOf(encoding, report)?.inferTransOpEncoding(encoding, shape, order, report);
    if (encoding && !permuted) return undefined;
    return [tensorType(applyPermutation(shape, order), elementType, permuted)];
  },
  verifyDependsOn: "types and attributes",
  verify({ src, order, result }, report) {
    const { shape } = tensorOf(src).params;
    if (order.length !== shape.length) report.plain("order must have the same size as the source tensor", "tt.trans");
    else if (!isPermutation(order)) report.plain("order must be a permutation of 0..n-1", "tt.trans");
    else if (!sameNumbers(applyPermutation(shape, order), tensorOf(result).params.shape))
      report.plain("result shape must match the permutation of the source shape", "tt.trans");
  },
  fold({ op, src, order, result }, [value]): FoldResult {
    // With different layouts for the same elements a convert_layout is needed, which a fold cannot make.
    if (order.every((dim, i) => dim === i) && src.type === result.type) return src;
    // trans(trans(x, a), b) -> trans(x, a[b])
    const inner = TransOp.match(src.definingOp);
    if (inner) {
      op.setAttr("order", i32ArrayAttr(op.ctx, applyPermutation(inner.order, order)));
      op.setOperand(0, inner.src);
      return "inPlace";
    }
    return DenseElementsAttr.is(value) && value.params.splat ? reshaped(value, result.type) : undefined;
  },
}));

/** The same dense elements under another shape; a splat may also change their number. */
function reshaped(value: Attribute | undefined, type: Type): DenseAttr | undefined {
  if (!DenseElementsAttr.is(value) || !RankedTensorType.is(type)) return undefined;
  return DenseElementsAttr.get(type.ctx, { ...value.params, type });
}
const one = (type: Type | undefined): readonly Type[] | undefined => type && [type];
