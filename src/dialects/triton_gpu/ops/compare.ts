/** Comparisons and selects on tensors with layouts: until 2.0 arith's own could not have them. Source: TritonGPUOps.td of 2.0. */
import { AnyType, I64Attr } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { Elementwise, Pure } from "../../../ir/traits.js";

const compare = (name: string) =>
  defineOp(name, () => ({
    operands: { lhs: AnyType, rhs: AnyType },
    attrs: { predicate: I64Attr },
    results: { result: AnyType },
    traits: [Pure, Elementwise],
  }));

/** `predicate` as arith.cmpi's. */
export const OldCmpIOp = compare("triton_gpu.cmpi");
/** `predicate` as arith.cmpf's. */
export const OldCmpFOp = compare("triton_gpu.cmpf");
export const OldSelectOp = defineOp("triton_gpu.select", () => ({
  operands: { condition: AnyType, true_value: AnyType, false_value: AnyType },
  results: { result: AnyType },
  traits: [Pure, Elementwise],
}));
