import * as ll from "../../../dialects/llvm/ops/index.js";
import { floatAttr } from "../../../ir/builtin-attrs.js";
import { f32 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

const constant = (rw: Rewriter, value: number): Value =>
  rw.value(ll.ConstantOp, { value: floatAttr(f32(rw.ctx), value) }, { types: [f32(rw.ctx)] });
const intrinsic = (rw: Rewriter, intrin: string, args: readonly Value[]): Value =>
  rw.value(ll.CallIntrinsicOp, { intrin, args, op_bundle_operands: [], op_bundle_sizes: [] }, { types: [args[0]!.type] });

function exp(rw: Rewriter, x: Value, ftz: boolean): Value {
  const scaled = rw.value(ll.FMulOp, { lhs: x, rhs: constant(rw, Math.LOG2E) });
  return intrinsic(rw, ftz ? "llvm.amdgcn.exp2.f32" : "llvm.exp2.f32", [scaled]);
}
/** `1 - 2 / (exp(2|x|) + 1)` with the sign of x, which no large x makes overflow. */
function tanh(rw: Rewriter, x: Value, ftz: boolean): Value {
  const abs = rw.value(ll.FAbsOp, { in: x }, { types: [x.type] });
  const power = exp(rw, rw.value(ll.FMulOp, { lhs: abs, rhs: constant(rw, 2) }), ftz);
  const sum = rw.value(ll.FAddOp, { lhs: power, rhs: constant(rw, 1) });
  const two = constant(rw, 2);
  const ratio = rw.value(ll.FDivOp, { lhs: two, rhs: sum });
  const one = constant(rw, 1);
  return intrinsic(rw, "llvm.copysign.f32", [rw.value(ll.FSubOp, { lhs: one, rhs: ratio }), x]);
}

const convertCalls = (ftz: boolean) =>
  pattern("convert-hip-builtin-calls", ll.CallOp, ({ op, callee }, rw) => {
    if (!callee?.startsWith("__triton_hip_")) return rw.noMatch("no builtin of Triton's");
    const [x, y] = op.operands as [Value, Value];
    const types = op.resultTypes;
    switch (callee.slice("__triton_hip_".length)) {
      case "iabs":
        return rw.replace(op, rw.value(ll.AbsOp, { in: x, is_int_min_poison: false }, { types }));
      case "fabs":
        return rw.replace(op, rw.value(ll.FAbsOp, { in: x }, { types }));
      case "llrint":
        return rw.replace(op, rw.value(ll.FPToSIOp, { arg: rw.value(ll.RintOp, { in: x }, { types: [x.type] }) }, { types }));
      case "fast_fdividef":
        return rw.replace(op, rw.value(ll.FMulOp, { lhs: x, rhs: intrinsic(rw, "llvm.amdgcn.rcp.f32", [y]) }));
      case "fast_expf":
        return rw.replace(op, exp(rw, x, ftz));
      case "fast_tanhf":
        return rw.replace(op, tanh(rw, x, ftz));
      default:
        return rw.noMatch("a builtin that nothing is known of");
    }
  });

export const convertBuiltinFuncToLLVM = definePass("convert-builtin-func-to-llvm", {
  name: "ConvertBuiltinFuncToLLVM",
  summary: "Convert Builtin Func to LLVM",
  source: "third_party/amd/lib/TritonAMDGPUToLLVM/BuiltinFuncToLLVM.cpp",
  options: { ftz: option.bool({ default: true, summary: "flush denorms for math functions" }) },
  run(root, { options, listener }) {
    applyPatternsGreedily(root, [convertCalls(options.ftz)], { listener, regionSimplification: "aggressive" });
  },
});
