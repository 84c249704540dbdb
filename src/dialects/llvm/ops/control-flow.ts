/** Terminators. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMOps.td, LLVMDialect.cpp. */

import { DenseElementsAttr, IntegerAttr, intsOf } from "../../../ir/builtin-attrs.js";
import { shapedParams } from "../../../ir/builtin-types.js";
import {
  AnySignlessInteger,
  AnySuccessor,
  AnyType,
  DenseI32ArrayAttr,
  I1,
  optional,
  optionalAttr,
  VariadicSuccessor,
  variadic,
  variadicOfVariadic,
} from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { BranchOp, implement } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { AttrSizedOperandSegments, Pure, ReturnLike, SameVariadicOperandSize, Terminator } from "../../../ir/traits.js";
import { IntElements, LoopAnnotationC } from "../constraints.js";
import { LLVMType, Pointer } from "../type-constraints.js";
import { LLVMFunctionType, LLVMVoidType } from "../types/types.js";

export const BrOp = defineOp("llvm.br", () => ({
  operands: { destOperands: variadic(LLVMType) },
  attrs: { loop_annotation: optionalAttr(LoopAnnotationC) },
  successors: { dest: AnySuccessor },
  traits: [Pure, Terminator],
  interfaces: [implement(BranchOp, { successorOperandRange: (op) => ({ start: 0, size: op.numOperands }) })],
  format: "$dest (`(` $destOperands^ `:` type($destOperands) `)`)? attr-dict",
}));

/** Start and size of the groups of an op with segment sizes. */
function segment(op: Operation, index: number): { start: number; size: number } {
  const sizes = intsOf(op.attr("operandSegmentSizes")) ?? [];
  return { start: sizes.slice(0, index).reduce((a, b) => a + b, 0), size: sizes[index] ?? 0 };
}

export const CondBrOp = defineOp("llvm.cond_br", () => ({
  operands: { condition: I1, trueDestOperands: variadic(LLVMType), falseDestOperands: variadic(LLVMType) },
  attrs: { branch_weights: optionalAttr(DenseI32ArrayAttr), loop_annotation: optionalAttr(LoopAnnotationC) },
  successors: { trueDest: AnySuccessor, falseDest: AnySuccessor },
  traits: [AttrSizedOperandSegments, Pure, Terminator],
  interfaces: [
    implement(BranchOp, {
      successorOperandRange: (op, index) => segment(op, 1 + index),
      successorForOperands: (op, [condition]) =>
        IntegerAttr.is(condition) ? op.successors[condition.params.value === 0n ? 1 : 0]!.block : undefined,
    }),
  ],
  format:
    "$condition ( `weights` `(` $branch_weights^ `)` )? `,` $trueDest (`(` $trueDestOperands^ `:` type($trueDestOperands) `)`)? `,` $falseDest (`(` $falseDestOperands^ `:` type($falseDestOperands) `)`)? attr-dict",
}));

export const SwitchOp = defineOp("llvm.switch", () => ({
  operands: {
    value: AnySignlessInteger,
    defaultOperands: variadic(AnyType),
    caseOperands: variadicOfVariadic(AnyType, "case_operand_segments"),
  },
  attrs: {
    case_values: optionalAttr(IntElements),
    case_operand_segments: DenseI32ArrayAttr,
    branch_weights: optionalAttr(DenseI32ArrayAttr),
  },
  successors: { defaultDestination: AnySuccessor, caseDestinations: VariadicSuccessor },
  traits: [AttrSizedOperandSegments, Pure, Terminator],
  interfaces: [
    implement(BranchOp, {
      successorOperandRange(op, index) {
        if (index === 0) return segment(op, 1);
        const sizes = intsOf(op.attr("case_operand_segments")) ?? [];
        const before = sizes.slice(0, index - 1).reduce((a, b) => a + b, 0);
        return { start: segment(op, 2).start + before, size: sizes[index - 1] ?? 0 };
      },
    }),
  ],
  format:
    "$value `:` type($value) `,` $defaultDestination (`(` $defaultOperands^ `:` type($defaultOperands) `)`)? custom<SwitchOpCases>(ref(type($value)), $case_values, $caseDestinations, $caseOperands, type($caseOperands)) attr-dict",
  verify({ value, case_values, caseDestinations }, report) {
    if (!DenseElementsAttr.is(case_values)) {
      if (caseDestinations.length > 0) report.error("expects number of case values to match number of case destinations");
      return;
    }
    const { shape, elementType } = shapedParams(case_values.params.type);
    if (shape.reduce((a, b) => a * b, 1) !== caseDestinations.length)
      report.error("expects number of case values to match number of case destinations");
    else if (elementType !== value.type) report.plain("expects case value type to match condition value type");
  },
}));

export const IndirectBrOp = defineOp("llvm.indirectbr", () => ({
  operands: { addr: Pointer, succOperands: variadicOfVariadic(AnyType, "indbr_operand_segments") },
  attrs: { indbr_operand_segments: DenseI32ArrayAttr },
  successors: { successors: VariadicSuccessor },
  traits: [SameVariadicOperandSize, Pure, Terminator],
  interfaces: [
    implement(BranchOp, {
      successorOperandRange(op, index) {
        const sizes = intsOf(op.attr("indbr_operand_segments")) ?? [];
        return { start: 1 + sizes.slice(0, index).reduce((a, b) => a + b, 0), size: sizes[index] ?? 0 };
      },
    }),
  ],
  format:
    "$addr `:` type($addr) `,` custom<IndirectBrOpSucessors>(ref(type($addr)), $successors, $succOperands, type($succOperands)) attr-dict",
}));

export const ReturnOp = defineOp("llvm.return", () => ({
  operands: { arg: optional(LLVMType) },
  traits: [Pure, ReturnLike, Terminator],
  format: "attr-dict ($arg^ `:` type($arg))?",
  verify({ op, arg }, report) {
    let func = op.parentOp;
    while (func && func.name !== "llvm.func") func = func.parentOp;
    const type = func && (func.def.viewOf(func) as { readonly function_type?: object }).function_type;
    if (!func || !LLVMFunctionType.is(type as never)) return;
    const { returnType } = (type as { readonly params: { readonly returnType: object } }).params;
    const isVoid = LLVMVoidType.is(returnType as never);
    const wrong = (message: string) => report.error(message).note("when returning from function", func.locRef);
    if (isVoid) {
      if (arg) wrong("expected no operands");
    } else if (!arg) wrong("expected 1 operand");
    else if (arg.type !== returnType) wrong("mismatching result types");
  },
}));
export const ResumeOp = defineOp("llvm.resume", () => ({
  operands: { value: LLVMType },
  traits: [Terminator],
  format: "$value attr-dict `:` type($value)",
}));
export const UnreachableOp = defineOp("llvm.unreachable", () => ({ traits: [Terminator], format: "attr-dict" }));
export const VaArgOp = defineOp("llvm.va_arg", () => ({
  operands: { arg: Pointer },
  results: { res: LLVMType },
  format: "$arg attr-dict `:` functional-type($arg, $res)",
}));
