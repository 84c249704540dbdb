/**
 * How encodings go through shape operations: tt's questions answered by the layout algebra.
 * Source: lib/Dialect/TritonGPU/IR/Dialect.cpp, TritonGPUInferLayoutInterface.
 */
import type { Attribute } from "../../ir/attribute.js";
import { RankedTensorType } from "../../ir/builtin-types.js";
import { attrText } from "../../ir/text-hook.js";
import type { DistributedParams } from "../../layout/encoding-params.js";
import { areLayoutsEquivalent, getUniqueElemsPerThread } from "../../layout/encoding-queries.js";
import { verifyDotOpEncodingCompatibility, verifyDotOperandEncoding } from "../../layout/infer/dot.js";
import type { Inferred } from "../../layout/infer/inferred.js";
import { inferDefaultJoinOpEncoding, inferFp4ToFpOpEncoding, inferSplitOpEncoding } from "../../layout/infer/join-split.js";
import { inferReshapeOpEncoding } from "../../layout/infer/reshape.js";
import { inferExpandDimsOpEncoding, inferReduceOpEncoding } from "../../layout/infer/slice-dims.js";
import { inferTransOpEncoding } from "../../layout/infer/trans.js";
import { LayoutError } from "../../layout/layout-error.js";
import { layoutProblem } from "../../layout/verify-encoding.js";
import type { EquivalentTypes, InferLayout, ReportError } from "../tt/infer-layout.js";
import { distributedParams, encodingAttr, encodingParams } from "./encodings/define-encoding.js";
import { supportMMA } from "./support-mma.js";
import { MemDescType, sameShape } from "./types.js";

export const inferLayout: InferLayout = {
  inferTransOpEncoding(operand, shape, order, report) {
    const params = encodingParams(operand);
    return params && answer(operand, report, () => inferTransOpEncoding(params, shape, order));
  },
  inferReduceOpEncoding: (operand, axis, report) =>
    distributed(operand, report, (params) => ({ encoding: inferReduceOpEncoding(params, axis) })),
  inferExpandDimsOpEncoding(operand, axis, report) {
    const params = encodingParams(operand);
    return params && answer(operand, report, () => inferExpandDimsOpEncoding(params, axis));
  },
  inferDotOpEncoding(operand, opIdx, result, report) {
    const [params, resultParams] = [encodingParams(operand), encodingParams(result)];
    if (!params || !resultParams) return false;
    const [error] = verifyDotOperandEncoding(params, opIdx, resultParams);
    if (error !== undefined) report?.(error);
    return error === undefined;
  },
  inferReshapeOpEncoding(srcShape, src, dstShape, report) {
    const params = encodingParams(src);
    return params && answer(src, report, () => inferReshapeOpEncoding(srcShape, params, dstShape));
  },
  verifyLayoutsAreEqual(shape, expected, got, report) {
    if (expected === got) return true;
    const [params, other] = [encodingParams(expected), encodingParams(got)];
    if (!params || !other) return false;
    const problem = layoutProblem(shape, params) ?? layoutProblem(shape, other);
    if (problem === undefined && areLayoutsEquivalent(shape, params, other)) return true;
    report?.(`Expected result encoding ${attrText(expected)} but was ${attrText(got!)}`);
    return false;
  },
  inferDefaultJoinOpEncoding: (src, shape, report) =>
    distributed(src, report, (params) => ({ encoding: inferDefaultJoinOpEncoding(params, shape) })),
  inferSplitOpEncoding: (src, shape, report) => distributed(src, report, (params) => inferSplitOpEncoding(params, shape)),
  verifyDotOpEncodingCompatibility(op, a, b, report) {
    const resultType = op.result(0).type;
    const result = RankedTensorType.is(resultType) ? resultType.params.encoding : undefined;
    const [aParams, bParams, resultParams] = [encodingParams(a), encodingParams(b), encodingParams(result)];
    if (!aParams || !bParams || !resultParams) return false;
    const [error] = verifyDotOpEncodingCompatibility(aParams, bParams, resultParams, (version) => supportMMA(op, version));
    if (error !== undefined) report(error);
    return error === undefined;
  },
  catProblem(part, result) {
    const [wanted, got] = [result, part].map(({ params: { encoding, shape } }) =>
      getUniqueElemsPerThread(distributedParams(encoding)!, shape),
    );
    return wanted === 2 * got!
      ? undefined
      : `tt.cat result encoding requires ${wanted} non-broadcast register values, but operands provide ${2 * got!}`;
  },
  inferFp4ToFpOpEncoding: (shape, axis, input, forward, report) =>
    distributed(input, report, (params) => inferFp4ToFpOpEncoding(shape, axis, params, forward, input.ctx.triton.pairsFp4First)),
};

/** The attribute that was inferred. Where there is no layout for a shape upstream aborts; here that is an error. */
function answer(known: Attribute, report: ReportError, infer: () => Inferred): Attribute | undefined {
  try {
    const inferred = infer();
    if ("encoding" in inferred) return encodingAttr(known.ctx, inferred.encoding);
    report?.(inferred.error);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    report?.(error.message);
  }
  return undefined;
}
function distributed(known: Attribute, report: ReportError, infer: (params: DistributedParams) => Inferred): Attribute | undefined {
  const params = distributedParams(known);
  if (params) return answer(known, report, () => infer(params));
  report?.(`${attrText(known)} is no distributed layout`);
  return undefined;
}

/** Buffers that differ only in how their layouts are called. Source: lib/Dialect/Triton/IR/Traits.cpp, verifyEquivalentType. */
export const equivalentTypes: EquivalentTypes = {
  areEquivalent(a, b) {
    if (!MemDescType.is(a) || !MemDescType.is(b)) return a === b;
    const [x, y] = [a.params, b.params];
    return (
      sameShape(x.shape, y.shape) &&
      sameShape(x.allocShape, y.allocShape) &&
      x.elementType === y.elementType &&
      x.memorySpace === y.memorySpace &&
      x.mutableMemory === y.mutableMemory &&
      inferLayout.verifyLayoutsAreEqual(x.shape, x.encoding, y.encoding, undefined)
    );
  },
};
