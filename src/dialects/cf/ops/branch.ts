import { intsOf } from "../../../ir/builtin-attrs.js";
import { AnySuccessor, AnyType, DenseI32ArrayAttr, I1, optionalAttr, variadic } from "../../../ir/constraints.js";
import { defineOp, type View } from "../../../ir/define-op.js";
import { BranchOp as BranchOpInterface, implement } from "../../../ir/interfaces.js";
import { constantInt } from "../../../ir/match.js";
import { AttrSizedOperandSegments, Pure, Terminator } from "../../../ir/traits.js";

/** Source: mlir/include/mlir/Dialect/ControlFlow/IR/ControlFlowOps.td, BranchOp. */
export const BranchOp = defineOp("cf.br", () => ({
  summary: "Branch operation",
  operands: { destOperands: variadic(AnyType) },
  successors: { dest: AnySuccessor },
  traits: [Pure, Terminator],
  interfaces: [
    implement(BranchOpInterface, {
      successorOperandRange: (op) => ({ start: 0, size: op.numOperands }),
      successorForOperands: (op) => op.successors[0]!.block,
    }),
  ],
  format: "$dest (`(` $destOperands^ `:` type($destOperands) `)`)? attr-dict",
}));
export type BranchView = View<typeof BranchOp>;

/** Source: mlir/include/mlir/Dialect/ControlFlow/IR/ControlFlowOps.td, CondBranchOp. */
export const CondBranchOp = defineOp("cf.cond_br", () => ({
  summary: "Conditional branch operation",
  operands: { condition: I1, trueDestOperands: variadic(AnyType), falseDestOperands: variadic(AnyType) },
  attrs: { branch_weights: optionalAttr(DenseI32ArrayAttr) },
  successors: { trueDest: AnySuccessor, falseDest: AnySuccessor },
  traits: [AttrSizedOperandSegments, Pure, Terminator],
  interfaces: [
    implement(BranchOpInterface, {
      successorOperandRange(op, index) {
        const sizes = intsOf(op.attr("operandSegmentSizes"))!;
        return index === 0 ? { start: 1, size: sizes[1]! } : { start: 1 + sizes[1]!, size: sizes[2]! };
      },
      successorForOperands(op, constants) {
        const known = constantInt(constants[0]);
        return known === undefined ? undefined : op.successors[known !== 0n ? 0 : 1]!.block;
      },
    }),
  ],
  format:
    "$condition (`weights` `(` $branch_weights^ `)` )? `,` " +
    "$trueDest (`(` $trueDestOperands^ `:` type($trueDestOperands) `)`)? `,` " +
    "$falseDest (`(` $falseDestOperands^ `:` type($falseDestOperands) `)`)? attr-dict",
}));
export type CondBranchView = View<typeof CondBranchOp>;
