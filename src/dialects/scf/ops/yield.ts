import { AnyType, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { HasParent, Pure, ReturnLike, Terminator } from "../../../ir/traits.js";

/** Ends a region and hands its operands on. Source: mlir/include/mlir/Dialect/SCF/IR/SCFOps.td, YieldOp. */
export const YieldOp = defineOp("scf.yield", () => ({
  summary: "loop yield and termination operation",
  operands: { results: variadic(AnyType) },
  traits: [Pure, ReturnLike, Terminator, HasParent("scf.execute_region", "scf.for", "scf.if", "scf.index_switch", "scf.while")],
  format: "attr-dict ($results^ `:` type($results))?",
}));
