/** Traits of tt ops, which ttg and ttng use too. Source: include/triton/Dialect/Triton/IR/Traits.h, lib/.../Traits.cpp. */
import type { Type } from "../../ir/attribute.js";
import { RankedTensorType } from "../../ir/builtin-types.js";
import { dialectOf } from "../../ir/define-dialect.js";
import type { OpReport } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import { opText, valueText } from "../../ir/text-hook.js";
import { defineTrait, InferTypeOpTrait } from "../../ir/traits.js";
import { EquivalentTypes, layoutRules, VerifyTensorLayout } from "./infer-layout.js";
import { PointerType } from "./types.js";

/** Larger tensors would make a compiler that keeps them in registers hang. */
const MAX_TENSOR_ELEMENTS = 1048576;

export const TensorSizeTrait = defineTrait("TensorSizeTrait", {
  dependsOn: "types",
  verify(op, report) {
    const { operandUses, results } = op;
    for (let i = 0; i < operandUses.length; i++) if (!checkSize(op, operandUses[i]!.value.type, report)) return;
    for (let i = 0; i < results.length; i++) if (!checkSize(op, results[i]!.type, report)) return;
  },
});
function checkSize(op: Operation, type: Type, report: OpReport): boolean {
  if (!RankedTensorType.is(type)) return true;
  let count = 1;
  for (const extent of type.params.shape) count *= extent;
  if (count > MAX_TENSOR_ELEMENTS) {
    report.plain(`Maximum allowed number of elements is ${MAX_TENSOR_ELEMENTS}, but ${opText(op)} has more than that`, "tt.tensor-size");
    return false;
  }
  // Dynamic extents, and so a negative product, pass as they do upstream.
  if (count <= 0 || (count & (count - 1)) === 0) return true;
  report.plain(`Number of elements must be power-of-two, but ${opText(op)} doesn't follow the rule (${count}) elements`, "tt.tensor-size");
  return false;
}

/** The layouts of operands and results fit their tensors and the module they are in. */
export const VerifyTensorLayoutsTrait = defineTrait("VerifyTensorLayoutsTrait", {
  dependsOn: "surroundings",
  verify: (op, report) => verifyLayouts(op, report, layoutProblem),
});
/** Reports the first operand or result whose type has a problem. */
export function verifyLayouts(op: Operation, report: OpReport, problemOf: (op: Operation, type: Type) => string | undefined): void {
  const { operandUses, results } = op;
  // Most operands have the type of the one before.
  let right: Type | undefined;
  for (let i = 0; i < operandUses.length; i++) {
    const { value } = operandUses[i]!;
    if (value.type === right) continue;
    right = value.type;
    const problem = problemOf(op, value.type);
    if (problem !== undefined)
      return void report.plain(`Operand ${i} (${valueText(value)}) has an invalid layout: ${problem}`, "tt.tensor-layout");
  }
  for (let i = 0; i < results.length; i++) {
    if (results[i]!.type === right) continue;
    right = results[i]!.type;
    const problem = problemOf(op, right);
    if (problem !== undefined)
      return void report.plain(`Result ${results.length === 1 ? "" : `${i} `}has an invalid layout: ${problem}`, "tt.tensor-layout");
  }
}
function layoutProblem(op: Operation, type: Type): string | undefined {
  if (!RankedTensorType.is(type) || !type.params.encoding) return undefined;
  return dialectOf(type.params.encoding)?.interface(VerifyTensorLayout)?.verifyTensorLayout(type, op);
}

// --- encodings --------------------------------------------------------------------------------

function sameEncoding(a: Type, b: Type): boolean {
  const left = RankedTensorType.is(a) ? a.params.encoding : undefined;
  const right = RankedTensorType.is(b) ? b.params.encoding : undefined;
  return !left || !right || left === right;
}
function checkOperandEncodings(op: Operation, report: OpReport): void {
  if (op.numOperands === 0) return void report.error("expected 1 or more operands, but found 0", "verify.operand-count");
  const { type } = op.operand(0);
  if (op.operandUses.some((use) => !sameEncoding(use.value.type, type)))
    report.error("requires the same encoding for all operands", "verify.same-encoding");
}
function checkAllEncodings(op: Operation, report: OpReport): void {
  if (op.numOperands === 0) return;
  if (op.numResults === 0) return void report.error("expected 1 or more results, but found 0", "verify.result-count");
  const { type } = op.operand(0);
  if (op.results.some((result) => !sameEncoding(result.type, type)))
    report.error("requires the same encoding for all operands and results", "verify.same-encoding");
  else checkOperandEncodings(op, report);
}
export const SameOperandsEncoding = defineTrait("SameOperandsEncoding", { dependsOn: "types", verify: checkOperandEncodings });
export const SameOperandsAndResultEncoding = defineTrait("SameOperandsAndResultEncoding", {
  dependsOn: "types",
  verify: checkAllEncodings,
});
/** As above; upstream's own trait because operands may be pointers to tensors. */
export const SameLoadStoreOperandsEncoding = defineTrait("SameLoadStoreOperandsEncoding", {
  dependsOn: "types",
  verify: checkOperandEncodings,
});
export const SameLoadStoreOperandsAndResultEncoding = defineTrait("SameLoadStoreOperandsAndResultEncoding", {
  dependsOn: "types",
  verify: checkAllEncodings,
});

// --- shapes -----------------------------------------------------------------------------------

/** The shape of a tensor or of the tensor pointed to; scalars have the empty one. */
function loadStoreShape(type: Type): readonly number[] {
  const pointee = PointerType.is(type) ? type.params.pointeeType : type;
  return RankedTensorType.is(pointee) ? pointee.params.shape : [];
}
function sameShape(a: Type, b: Type): boolean {
  const left = loadStoreShape(a);
  const right = loadStoreShape(b);
  return left.length === right.length && left.every((extent, i) => extent === right[i] || extent < 0 || right[i]! < 0);
}
function checkOperandShapes(op: Operation, report: OpReport): void {
  if (op.numOperands === 0) return void report.error("expected 1 or more operands, but found 0", "verify.operand-count");
  const { type } = op.operand(0);
  if (op.operandUses.some((use) => !sameShape(use.value.type, type)))
    report.error("requires the same shape for all operands", "verify.same-shape");
}
export const SameLoadStoreOperandsShape = defineTrait("SameLoadStoreOperandsShape", { dependsOn: "types", verify: checkOperandShapes });
export const SameLoadStoreOperandsAndResultShape = defineTrait("SameLoadStoreOperandsAndResultShape", {
  dependsOn: "types",
  verify(op, report) {
    if (op.numOperands === 0) return void report.error("expected 1 or more operands, but found 0", "verify.operand-count");
    if (op.numResults === 0) return void report.error("expected 1 or more results, but found 0", "verify.result-count");
    const { type } = op.operand(0);
    if (op.results.some((result) => !sameShape(result.type, type)))
      report.error("requires the same shape for all operands and results", "verify.same-shape");
    else checkOperandShapes(op, report);
  },
});

/** The op's regions may run at the same time as each other. */
export const AsyncRegions = defineTrait("AsyncRegions");

// --- types ------------------------------------------------------------------------------------

/** Whether two types are equal but for the names of their layouts. Source: Traits.cpp, verifyEquivalentType. */
export function areEquivalentTypes(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (!RankedTensorType.is(a) || !RankedTensorType.is(b))
    return a.def === b.def && (dialectOf(a)?.interface(EquivalentTypes)?.areEquivalent(a, b) ?? false);
  const { shape, elementType, encoding } = a.params;
  const other = b.params;
  if (shape.length !== other.shape.length || shape.some((extent, i) => extent !== other.shape[i])) return false;
  if (elementType !== other.elementType) return false;
  if (encoding === other.encoding) return true;
  if (!encoding || !other.encoding) return false;
  return layoutRules(encoding).verifyLayoutsAreEqual(shape, encoding, other.encoding, undefined);
}
/** InferTypeOpInterface that takes a result whose layout is the inferred one under another name. */
export const InferTypeOpWithLayoutEquivalence = InferTypeOpTrait("InferTypeOpWithLayoutEquivalence", areEquivalentTypes);

/** The runs and divisors of the first operand are those of the result. */
export const KeepsAxisInfo = defineTrait("KeepsAxisInfo");
