/** The operands that a branch hands to its successors. Source: mlir/include/mlir/Interfaces/ControlFlowInterfaces.h, SuccessorOperands. */
import { i32ArrayAttr, intsOf } from "../ir/builtin-attrs.js";
import { BranchOp } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { Bug } from "../support/assert.js";

/** The arguments that successor `index` gets. */
export function successorOperands(op: Operation, index: number): Value[] {
  const branch = op.def.interface(BranchOp);
  if (!branch) throw new Bug(`${op.name} is no branch`);
  const { start, size } = branch.successorOperandRange(op, index);
  return Array.from({ length: size }, (_, i) => op.operand(start + i));
}

/** Hands other values to successor `index`; sizes of operand groups are adjusted. */
export function setSuccessorOperands(op: Operation, index: number, values: readonly Value[]): void {
  const { start, size } = op.def.interface(BranchOp)!.successorOperandRange(op, index);
  const operands = op.operands;
  operands.splice(start, size, ...values);
  const change = values.length - size;
  if (change !== 0) {
    const indirect = intsOf(op.attr("indbr_operand_segments"));
    if (indirect) op.setAttr("indbr_operand_segments", i32ArrayAttr(op.ctx, resized(indirect, index, change)));
    // Switches keep their case operands in one group, split up by a second attribute.
    const cases = intsOf(op.attr("case_operand_segments"));
    const inCase = cases !== undefined && index > 0;
    if (inCase) op.setAttr("case_operand_segments", i32ArrayAttr(op.ctx, resized(cases, index - 1, change)));
    const sizes = intsOf(op.attr("operandSegmentSizes"));
    if (sizes) {
      const group = cases === undefined ? groupOf(op, sizes, index) : sizes.length - (inCase ? 1 : 2);
      op.setAttr("operandSegmentSizes", i32ArrayAttr(op.ctx, resized(sizes, group, change)));
    }
  }
  op.setOperands(operands);
}

function resized(sizes: readonly number[], index: number, change: number): number[] {
  return sizes.map((size, i) => (i === index ? size + change : size));
}
/** The operand group of successor `index`: each successor has one, the last ones of the definition unless named after it. */
function groupOf(op: Operation, sizes: readonly number[], index: number): number {
  const { def } = op;
  const name = def.successors[index]?.name;
  const named = name === undefined ? -1 : def.operands.findIndex((o) => o.name === `${name}Operands`);
  return named >= 0 ? named : sizes.length - op.successors.length + index;
}
