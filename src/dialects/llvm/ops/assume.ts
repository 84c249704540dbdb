/** `llvm.intr.assume`, which TTIR has too. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td. */
import { ArrayAttrC, DenseI32ArrayAttr, I1, optionalAttr, variadicOfVariadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { LLVMType } from "../type-constraints.js";
import { verifyBundles } from "./op-bundles.js";

export const AssumeOp = defineOp("llvm.intr.assume", () => ({
  operands: { cond: I1, op_bundle_operands: variadicOfVariadic(LLVMType, "op_bundle_sizes") },
  attrs: { op_bundle_sizes: DenseI32ArrayAttr, op_bundle_tags: optionalAttr(ArrayAttrC) },
  format: "$cond ( custom<OpBundles>($op_bundle_operands, type($op_bundle_operands), $op_bundle_tags)^ )? `:` type($cond) attr-dict",
  verify: ({ op_bundle_sizes, op_bundle_tags }, report) => void verifyBundles(op_bundle_sizes, op_bundle_tags, report),
}));
