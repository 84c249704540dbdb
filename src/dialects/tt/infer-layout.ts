/**
 * Interfaces of the dialect that a tensor's encoding belongs to, used by tt ops: how encodings go through shape operations, and
 * whether a layout fits its tensor. ttg implements them: `defineDialect("ttg", { interfaces: [implement(InferLayout, {...}),
 * implement(VerifyTensorLayout, {...})] })`.
 * Source: include/triton/Dialect/Triton/IR/Dialect.h, DialectInferLayoutInterface, DialectVerifyTensorLayoutInterface.
 */
import type { Attribute, Type } from "../../ir/attribute.js";
import type { TensorType } from "../../ir/builtin-types.js";
import { dialectOf } from "../../ir/define-dialect.js";
import { defineInterface } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import { Bug } from "../../support/assert.js";

/** Takes the text of an error (upstream's emitOptionalError); absent where upstream hands over no location. */
export type ReportError = ((message: string) => void) | undefined;

/** Shapes are in elements. An undefined encoding means that none could be inferred, which was reported. */
export interface InferLayout {
  inferTransOpEncoding(operand: Attribute, shape: readonly number[], order: readonly number[], report: ReportError): Attribute | undefined;
  inferReduceOpEncoding(operand: Attribute, axis: number, report: ReportError): Attribute | undefined;
  inferExpandDimsOpEncoding(operand: Attribute, axis: number, report: ReportError): Attribute | undefined;
  /** Only checks the encoding of operand `opIdx` (0: a, 1: b) of a dot whose result has encoding `result`. */
  inferDotOpEncoding(operand: Attribute, opIdx: number, result: Attribute, report: ReportError): boolean;
  /** The encoding that makes the reshape a no-op. */
  inferReshapeOpEncoding(
    srcShape: readonly number[],
    src: Attribute,
    dstShape: readonly number[],
    report: ReportError,
  ): Attribute | undefined;
  /** Whether two encodings place the elements of that shape alike, whatever they are called. */
  verifyLayoutsAreEqual(shape: readonly number[], expected: Attribute, got: Attribute | undefined, report: ReportError): boolean;
  inferDefaultJoinOpEncoding(src: Attribute, shape: readonly number[], report: ReportError): Attribute | undefined;
  inferSplitOpEncoding(src: Attribute, shape: readonly number[], report: ReportError): Attribute | undefined;
  /** `report` gives errors about `op` (upstream's emitError on it). */
  verifyDotOpEncodingCompatibility(op: Operation, a: Attribute, b: Attribute, report: (message: string) => void): boolean;
  /** Since 3.8: why a tensor cannot be tt.cat of two tensors of the type `part`. */
  catProblem(part: TensorType, result: TensorType): string | undefined;
  inferFp4ToFpOpEncoding(
    shape: readonly number[],
    axis: number,
    input: Attribute,
    forward: boolean,
    report: ReportError,
  ): Attribute | undefined;
}
export const InferLayout = defineInterface<InferLayout>("DialectInferLayoutInterface");

export interface VerifyTensorLayout {
  /** Why the layout of `type` does not fit it at `op` (what follows "has an invalid layout: "); undefined where it does. */
  verifyTensorLayout(type: TensorType, op: Operation): string | undefined;
}
export const VerifyTensorLayout = defineInterface<VerifyTensorLayout>("DialectVerifyTensorLayoutInterface");

/** The rules for an encoding. Without any (an unknown dialect's encoding) `report` says so and undefined is answered. */
export function inferLayoutOf(encoding: Attribute, report: ReportError): InferLayout | undefined {
  const rules = dialectOf(encoding)?.interface(InferLayout);
  if (!rules) report?.(`encodings of ${encoding.def.name} have no rules of inference`);
  return rules;
}
/** The rules for an encoding that is known to have them. */
export function layoutRules(encoding: Attribute): InferLayout {
  const rules = dialectOf(encoding)?.interface(InferLayout);
  if (!rules) throw new Bug(`encodings of ${encoding.def.name} have no rules of inference`);
  return rules;
}

/** For a dialect with types that carry layouts (ttg's memdesc): equal but for the names of the layouts. */
export interface EquivalentTypes {
  areEquivalent(a: Type, b: Type): boolean;
}
export const EquivalentTypes = defineInterface<EquivalentTypes>("EquivalentTypes");
