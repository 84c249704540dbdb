/** Structs, arrays and vectors: taking out, putting in, shuffling. Source: LLVMOps.td, LLVMDialect.cpp. */

import type { Attribute, Type } from "../../../ir/attribute.js";
import { type DenseAttr, DenseElementsAttr, FloatAttr, IntegerAttr, i64ArrayAttr } from "../../../ir/builtin-attrs.js";
import { elementTypeOrSelf, FloatType } from "../../../ir/builtin-types.js";
import { AnySignlessInteger, DenseI32ArrayAttr, DenseI64ArrayAttr } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { typeText } from "../../../ir/text-hook.js";
import { AllTypesMatch, Pure, TypesMatchWith } from "../../../ir/traits.js";
import { Aggregate, LLVMType, LLVMVector, PrimitiveType } from "../type-constraints.js";
import { elementOrSelf, isCompatibleType, isScalableVector } from "../types/compatible.js";
import { LLVMArrayType, LLVMStructType, structElements } from "../types/types.js";
import { constantValueOf } from "./constants.js";

/** The type at `position` inside an aggregate; a text says why there is none. */
export function typeAtPosition(container: Type, position: readonly number[]): Type | string {
  let type = container;
  for (let i = 0; i < position.length; i++) {
    const index = position[i]!;
    let inner: Type | undefined;
    if (LLVMArrayType.is(type)) inner = index >= 0 && index < type.params.numElements ? type.params.elementType : undefined;
    else if (LLVMStructType.is(type)) inner = structElements(type)[index];
    else return `expected LLVM IR structure/array type, got: '${typeText(type)}'`;
    if (!inner) return `position out of bounds: ${index}`;
    type = inner;
  }
  return type;
}

export const ExtractValueOp = defineOp("llvm.extractvalue", () => ({
  operands: { container: Aggregate },
  attrs: { position: DenseI64ArrayAttr },
  results: { res: LLVMType },
  traits: [Pure],
  format:
    "$container `` $position attr-dict `:` type($container) custom<InsertExtractValueElementType>(type($res), ref(type($container)), ref($position))",
  inferTypes({ operands, view, report }) {
    const type = typeAtPosition(operands[0]!.type, view.position);
    return typeof type === "string" ? (report(type), undefined) : [type];
  },
  verifyDependsOn: "types and attributes",
  verify({ container, position, res }, report) {
    const type = elementAt(container.type, position);
    if (typeof type === "string") report.error(type);
    else if (res.type !== type)
      report.error(
        `Type mismatch: extracting from '${typeText(container.type)}' should produce '${typeText(type)}' but this op returns '${typeText(res.type)}'`,
      );
  },
  fold({ op, container, position, res }): FoldResult {
    const outer = ExtractValueOp.match(container.definingOp);
    if (outer) {
      op.setAttr("position", i64ArrayAttr(op.ctx, [...outer.position, ...position]));
      op.setOperand(0, outer.container);
      return "inPlace";
    }
    const constant = constantValueOf(container);
    const element = DenseElementsAttr.is(constant) ? elementOf(constant, position, res.type) : undefined;
    return element ?? foldThroughInserts(op, position);
  },
}));

function elementAt(container: Type, position: readonly number[]): Type | string {
  if (!isCompatibleType(container)) return `expected LLVM IR Dialect type, got '${typeText(container)}'`;
  return typeAtPosition(container, position);
}
/** The element of constant elements of that type. */
function elementOf({ ctx, params }: DenseAttr, position: readonly number[], type: Type): Attribute | undefined {
  const { elements, splat } = params;
  const elementType = elementTypeOrSelf(params.type);
  if (elementType !== type || (!splat && position.length !== 1)) return undefined;
  const element = elements[splat ? 0 : position[0]!];
  if (element === undefined) return undefined;
  return FloatType.is(type) ? FloatAttr.get(ctx, { bits: element, type }) : IntegerAttr.get(ctx, { value: element, type });
}

/**
 * Looks for the value at `position` up a chain of insertvalue ops; stops where a part of it, or something around it,
 * was inserted. The inserts passed on the way are no longer read.
 */
function foldThroughInserts(op: Operation, position: readonly number[]): FoldResult {
  const from = op.operand(0);
  let container = from;
  for (let insert = InsertValueOp.match(container.definingOp); insert; insert = InsertValueOp.match(container.definingOp)) {
    const at = insert.position;
    const common = commonPrefix(at, position);
    if (common === at.length && common === position.length) {
      op.setOperand(0, container);
      return insert.value;
    }
    if (common === Math.min(at.length, position.length)) break;
    container = insert.container;
  }
  if (container === from) return undefined;
  op.setOperand(0, container);
  return "inPlace";
}
function commonPrefix(a: readonly number[], b: readonly number[]): number {
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) n++;
  return n;
}

export const InsertValueOp = defineOp("llvm.insertvalue", () => ({
  operands: { container: Aggregate, value: PrimitiveType },
  attrs: { position: DenseI64ArrayAttr },
  results: { res: Aggregate },
  traits: [Pure, AllTypesMatch("container", "res")],
  format:
    "$value `,` $container `` $position attr-dict `:` type($container) custom<InsertExtractValueElementType>(type($value), ref(type($container)), ref($position))",
  verifyDependsOn: "types and attributes",
  verify({ container, value, position }, report) {
    const type = elementAt(container.type, position);
    if (typeof type === "string") report.error(type);
    else if (value.type !== type) report.error(`Type mismatch: cannot insert '${typeText(value.type)}' into '${typeText(container.type)}'`);
  },
}));

// --- vectors ---------------------------------------------------------------------------------

export const ExtractElementOp = defineOp("llvm.extractelement", () => ({
  operands: { vector: LLVMVector, position: AnySignlessInteger },
  results: { res: LLVMType },
  traits: [Pure, TypesMatchWith("result type matches vector element type", "vector", "res", elementOrSelf)],
  format: "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)",
}));
export const InsertElementOp = defineOp("llvm.insertelement", () => ({
  operands: { vector: LLVMVector, value: PrimitiveType, position: AnySignlessInteger },
  results: { res: LLVMVector },
  traits: [
    Pure,
    TypesMatchWith("argument type matches vector element type", "vector", "value", elementOrSelf),
    AllTypesMatch("res", "vector"),
  ],
  format: "$value `,` $vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)",
}));
export const ShuffleVectorOp = defineOp("llvm.shufflevector", () => ({
  operands: { v1: LLVMVector, v2: LLVMVector },
  attrs: { mask: DenseI32ArrayAttr },
  results: { res: LLVMVector },
  traits: [Pure, AllTypesMatch("v1", "v2")],
  format: "$v1 `,` $v2 $mask attr-dict `:` type($v1) custom<ShuffleType>(ref(type($v1)), type($res), ref($mask))",
  verify({ v1, mask }, report) {
    if (isScalableVector(v1.type) && mask.some((m) => m !== 0)) report.error("expected a splat operation for scalable vectors");
  },
}));
