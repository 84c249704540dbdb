/** Interfaces of nvws ops. Source: third_party/nvidia/include/Dialect/NVWS/IR/NVWSOpInterfaces.td. */
import { i32ArrayAttr, intsOf } from "../../ir/builtin-attrs.js";
import { groupRange } from "../../ir/define-op.js";
import { defineInterface, type InterfaceImpl, implement } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";

/** Ops on one stage of an aref; which one may still be undecided. */
export interface ArefStageInterface {
  stage(op: Operation): Value | undefined;
  setStage(op: Operation, stage: Value): void;
}
export const ArefStageInterface = defineInterface<ArefStageInterface>("ArefStageInterface");

/** Ops that load through a tensor descriptor into shared memory: `txCount` is the number of bytes. */
export interface DescriptorLoadOpInterface {
  desc(op: Operation): Value;
  txCount(op: Operation): number;
}
export const DescriptorLoadOpInterface = defineInterface<DescriptorLoadOpInterface>("DescriptorLoadOpInterface");

/** For ops with an optional operand `stage`. */
export const hasStage: InterfaceImpl = implement(ArefStageInterface, {
  stage: (op) => stageRange(op).value,
  setStage(op, stage) {
    const { group, start, value } = stageRange(op);
    if (value) return op.setOperand(start, stage);
    const operands = op.operands;
    operands.splice(start, 0, stage);
    op.setOperands(operands);
    const sizes = intsOf(op.attr("operandSegmentSizes"));
    if (sizes)
      op.setAttr(
        "operandSegmentSizes",
        i32ArrayAttr(
          op.ctx,
          sizes.map((size, i) => (i === group ? 1 : size)),
        ),
      );
  },
});
function stageRange(op: Operation): { readonly group: number; readonly start: number; readonly value: Value | undefined } {
  const group = op.def.operands.findIndex((operand) => operand.name === "stage");
  const { start, size } = groupRange(op.def.operands, group, op.numOperands, intsOf(op.attr("operandSegmentSizes")));
  return { group, start, value: size > 0 ? op.operand(start) : undefined };
}
