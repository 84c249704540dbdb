/** Reductions and scans with a region that combines two elements. */
import type { Type } from "../../../ir/attribute.js";
import { elementTypeOrSelf, RankedTensorType, type TensorType, tensorType } from "../../../ir/builtin-types.js";
import { AnyType, BoolAttr, I32Attr, SizedRegion1, variadic } from "../../../ir/constraints.js";
import { defineOp, type OpDef, type OpReport } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { opText, typeText } from "../../../ir/text-hook.js";
import {
  HasParent,
  InferTypeOpInterface,
  Pure,
  ReturnLike,
  SameOperandsAndResultShape,
  SameOperandsShape,
  SingleBlock,
  Terminator,
} from "../../../ir/traits.js";
import { Tensor, TritonType } from "../constraints.js";
import { inferLayoutOf, type ReportError } from "../infer-layout.js";
import { SameOperandsAndResultEncoding, SameOperandsEncoding } from "../traits.js";
import { ttTraits } from "../tt-op.js";

/** The type of reducing `src` along `axis` with elements of `element`: a scalar when no dimension is left. */
export function reducedType(src: TensorType, element: Type, axis: number, report: ReportError): Type | undefined {
  const { encoding } = src.params;
  const shape = src.params.shape.filter((_, dim) => dim !== axis);
  if (shape.length === 0) return element;
  const reduced = encoding && inferLayoutOf(encoding, report)?.inferReduceOpEncoding(encoding, axis, report);
  return encoding && !reduced ? undefined : tensorType(shape, element, reduced);
}

/** Source: TritonOps.td, TT_ReduceOp. */
export const ReduceOp = defineOp("tt.reduce", () => ({
  summary: "Reduction using generic combination algorithm",
  operands: { srcs: variadic(Tensor) },
  attrs: { axis: I32Attr },
  results: { result: variadic(TritonType) },
  regions: { combineOp: SizedRegion1 },
  traits: ttTraits(Pure, SameOperandsShape, SameOperandsEncoding, SingleBlock, InferTypeOpInterface),
  inferTypes({ operands, view, report }) {
    const types: Type[] = [];
    for (const { type } of operands) {
      if (!RankedTensorType.is(type)) return undefined;
      const reduced = reducedType(type, type.params.elementType, view.axis, report);
      if (!reduced) return undefined;
      types.push(reduced);
    }
    return types;
  },
  verify: ({ op, axis }, report) => verifyReduceScan(op, axis, report),
  verifyRegions: ({ op }, report) => verifyCombine(op, ReduceReturnOp, report),
}));

/** Source: TritonOps.td, TT_ReduceReturnOp. */
export const ReduceReturnOp = defineOp("tt.reduce.return", () => ({
  summary: "terminator for reduce operator",
  operands: { result: variadic(AnyType) },
  traits: ttTraits(HasParent("tt.reduce"), Pure, Terminator, ReturnLike),
  format: "$result attr-dict `:` type($result)",
}));

/** Source: TritonOps.td, TT_ScanOp. */
export const ScanOp = defineOp("tt.scan", () => ({
  summary: "Associative scan using generic combination algorithm",
  operands: { srcs: variadic(Tensor) },
  attrs: { axis: I32Attr, reverse: BoolAttr },
  results: { result: variadic(Tensor) },
  regions: { combineOp: SizedRegion1 },
  traits: ttTraits(Pure, SameOperandsAndResultEncoding, SameOperandsAndResultShape, SingleBlock, InferTypeOpInterface),
  inferTypes: ({ operands }) => operands.map((operand) => operand.type),
  verify: ({ op, axis }, report) => verifyReduceScan(op, axis, report),
  verifyRegions: ({ op }, report) => verifyCombine(op, ScanReturnOp, report),
}));

/** Source: TritonOps.td, TT_ScanReturnOp. */
export const ScanReturnOp = defineOp("tt.scan.return", () => ({
  summary: "terminator for scan operator",
  operands: { result: variadic(AnyType) },
  traits: ttTraits(HasParent("tt.scan"), Pure, Terminator, ReturnLike),
  format: "$result attr-dict `:` type($result)",
}));

/**
 * The op that combines two elements, when the region of a reduction of one tensor is that op on its two arguments and the
 * return. Source: Ops.cpp, ReduceOp::getSingleCombiner.
 */
export function singleCombiner(reduce: Operation): Operation | undefined {
  if (reduce.numOperands !== 1 || reduce.numResults !== 1) return undefined;
  const block = reduce.regions[0]!.firstBlock!;
  const combiner = block.lastOp!.operand(0).definingOp;
  if (combiner?.numOperands !== 2 || combiner.numResults !== 1) return undefined;
  return combiner.operand(0) === block.args[0] && combiner.operand(1) === block.args[1] ? combiner : undefined;
}

/** Before 3.8 Triton does not check the axis, and crashes or prints wrong IR where there is no such dimension. */
function verifyReduceScan(op: Operation, axis: number, report: OpReport): void {
  const type = op.operands[0]?.type;
  if (type && RankedTensorType.is(type) && !(axis in type.params.shape))
    report.error(
      op.ctx.triton.checksMemory
        ? `axis out of bounds for operand rank ${type.params.shape.length}`
        : `axis ${axis} is out of range for a tensor of rank ${type.params.shape.length}`,
      "tt.reduce",
    );
  else if (op.numOperands === 0) report.error("must have at least 1 operand", "tt.reduce");
  else if (op.numOperands !== op.numResults) report.error("must have the same number of inputs as outputs", "tt.reduce");
  else if (op.operands.some((v, i) => elementTypeOrSelf(v.type) !== elementTypeOrSelf(op.result(i).type)))
    report.error("operand types and result types must agree", "tt.reduce");
}

/** The region takes the elements of two places, and returns as many as one has. */
function verifyCombine(op: Operation, returnOp: OpDef, report: OpReport): void {
  const elements = op.operands.map((v) => elementTypeOrSelf(v.type));
  const block = op.regions[0]!.firstBlock!;
  const error = (message: string) => void report.error(message, "tt.reduce");
  const mismatch = (i: number, wanted: Type, got: Type) =>
    error(`type mismatch on combine operation. Expected argument ${i} to have type '${typeText(wanted)}' but got '${typeText(got)}'`);
  const { args } = block;
  if (args.length !== 2 * elements.length)
    return error(`nested block must take ${2 * elements.length} arguments, but given block with ${args.length} arguments`);
  for (let i = 0; i < args.length; i++) {
    const wanted = elements[i % elements.length]!;
    if (args[i]!.type !== wanted) return mismatch(i, wanted, args[i]!.type);
  }
  const last = block.lastOp!;
  if (last.def !== returnOp) return error(`combine operation must be terminated with a ReduceReturnOp but got ${opText(last)}`);
  if (last.numOperands !== elements.length)
    return error(`expected combine operation to return ${elements.length} values but got ${last.numOperands}`);
  for (let i = 0; i < elements.length; i++) {
    const { type } = last.operand(i);
    if (type !== elements[i]) return mismatch(i, elements[i]!, type);
  }
}
