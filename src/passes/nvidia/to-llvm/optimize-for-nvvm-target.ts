import { ConstantOp } from "../../../dialects/llvm/ops/constants.js";
import * as ll from "../../../dialects/llvm/ops/index.js";
import { RcpApproxFtzF32Op } from "../../../dialects/nvvm/ops/warp.js";
import { intAttr } from "../../../ir/builtin-attrs.js";
import { f32, i32, isFloat } from "../../../ir/builtin-types.js";
import { definePass } from "../../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { pattern } from "../../../rewrite/pattern.js";

/**
 * A quotient of f16 as a product with the reciprocal, in f32, and one step of Newton's method unless the quotient is zero, infinite
 * or NaN, where the step would spoil it:
 *
 *     approx = lhs * rcp(rhs);  refined = fma(fma(approx, -rhs, lhs), rcp(rhs), approx)
 */
const expandDivF16 = pattern("expand-div-f16", ll.FDivOp, ({ op, lhs, rhs, res }, rw) => {
  if (!isFloat(res.type, "f16")) return rw.noMatch("not a quotient of f16");
  const { ctx } = op;
  const [float, word] = [f32(ctx), i32(ctx)];
  const a = rw.value(ll.FPExtOp, { arg: lhs }, { types: [float] });
  const b = rw.value(ll.FPExtOp, { arg: rhs }, { types: [float] });
  const reciprocal = rw.value(RcpApproxFtzF32Op, { arg: b }, { types: [float] });
  const approx = rw.value(ll.FMulOp, { lhs: a, rhs: reciprocal });
  const negated = rw.value(ll.FNegOp, { operand: b });
  const error = rw.value(ll.FMAOp, { a: approx, b: negated, c: a }, { types: [float] });
  const refined = rw.value(ll.FMAOp, { a: error, b: reciprocal, c: approx }, { types: [float] });
  const mask = rw.value(ConstantOp, { value: intAttr(word, 0x7f800000) }, { types: [word] });
  const bits = rw.value(ll.BitcastOp, { arg: approx }, { types: [word] });
  const exponent = rw.value(ll.AndOp, { lhs: bits, rhs: mask });
  const zero = rw.value(ConstantOp, { value: intAttr(word, 0) }, { types: [word] });
  const isZero = rw.value(ll.ICmpOp, { predicate: "eq", lhs: exponent, rhs: zero });
  const isSpecial = rw.value(ll.ICmpOp, { predicate: "eq", lhs: exponent, rhs: mask });
  const keep = rw.value(ll.OrOp, { lhs: isZero, rhs: isSpecial });
  const result = rw.value(ll.SelectOp, { condition: keep, trueValue: approx, falseValue: refined });
  return rw.replace(op, rw.value(ll.FPTruncOp, { arg: result }, { types: [res.type] }));
});

export const optimizeForNVVMTarget = definePass("llvm-optimize-for-nvvm-target", {
  name: "NVVMOptimizeForTarget",
  summary: "Optimize NVVM IR",
  source: "mlir/lib/Dialect/LLVMIR/Transforms/OptimizeForNVVM.cpp",
  run(root, { listener }) {
    applyPatternsGreedily(root, [expandDivF16], { listener });
  },
});
