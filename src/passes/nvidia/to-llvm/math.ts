/**
 * Functions of libdevice by calls, of the hardware by intrinsics.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ElementwiseOpToLLVM.cpp; mlir/lib/Conversion/GPUToNVVM/LowerGpuOpsToNVVMOps.cpp.
 */
import { isClip } from "../../../analysis/clip.js";
import { DivFOp } from "../../../dialects/arith/ops/float.js";
import * as math from "../../../dialects/math/ops/index.js";
import { ClampFOp, MulhiUIOp, PreciseDivFOp, PreciseSqrtOp } from "../../../dialects/tt/ops/arithmetic.js";
import type { Type } from "../../../ir/attribute.js";
import { f32, floatKind, isFloat, isInteger } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { elementwise, withoutFloat8 } from "../../ttg-to-llvm/elementwise.js";
import { callExtern, clamp, declareExtern } from "../../ttg-to-llvm/math.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";

/** The functions of libdevice by op: that of f32; that of f64 lacks the f at the end. */
const LIBDEVICE: readonly (readonly [OpDef, string])[] = [
  [math.AcosOp, "__nv_acosf"],
  [math.AcoshOp, "__nv_acoshf"],
  [math.AsinOp, "__nv_asinf"],
  [math.AsinhOp, "__nv_asinhf"],
  [math.AtanOp, "__nv_atanf"],
  [math.Atan2Op, "__nv_atan2f"],
  [math.AtanhOp, "__nv_atanhf"],
  [math.CbrtOp, "__nv_cbrtf"],
  [math.CeilOp, "__nv_ceilf"],
  [math.CopySignOp, "__nv_copysignf"],
  [math.CosOp, "__nv_cosf"],
  [math.CoshOp, "__nv_coshf"],
  [math.ErfOp, "__nv_erff"],
  [math.ErfcOp, "__nv_erfcf"],
  [math.ExpM1Op, "__nv_expm1f"],
  [math.Exp2Op, "__nv_exp2f"],
  [math.FloorOp, "__nv_floorf"],
  [math.LogOp, "__nv_logf"],
  [math.Log10Op, "__nv_log10f"],
  [math.Log1pOp, "__nv_log1pf"],
  [math.Log2Op, "__nv_log2f"],
  [math.PowFOp, "__nv_powf"],
  [math.RoundOp, "__nv_roundf"],
  [math.RoundEvenOp, "__nv_rintf"],
  [math.RsqrtOp, "__nv_rsqrtf"],
  [math.SinOp, "__nv_sinf"],
  [math.SinhOp, "__nv_sinhf"],
  [math.SqrtOp, "__nv_sqrtf"],
  [math.TanOp, "__nv_tanf"],
  [math.TanhOp, "__nv_tanhf"],
];
/** Calls a function of libdevice; narrower floats are computed as f32. */
function callLibdevice(lo: Lowering, name: string, operands: readonly Value[], type: Type): Value | undefined {
  const { b, ctx } = lo;
  const wide = isFloat(type, "f64") || isFloat(type, "f32") ? type : f32(ctx);
  if (!isFloat(type)) return undefined;
  const callee = isFloat(wide, "f64") ? name.slice(0, -1) : name;
  const args = operands.map((v) => (v.type === wide ? v : b.fpext(v, wide)));
  declareExtern(
    lo,
    callee,
    wide,
    args.map(() => wide),
    [],
  );
  const result = b.call(callee, wide, args)!;
  return wide === type ? result : b.fptrunc(result, type);
}
const libdevice = ([def, name]: readonly [OpDef, string]): LoweringRule =>
  elementwise(def, (lo, _op, [operands], type) => callLibdevice(lo, name, operands!, type));

/** A clamp to the same bound on both sides is one instruction on some GPUs. */
function clip(lo: Lowering, op: Operation, operands: readonly Value[], type: Type): Value {
  if (!lo.target.gpu.clips || !isClip(op)) return clamp(lo, op, operands, type);
  const [x, , high] = operands;
  const nan = ClampFOp.match(op)!.propagateNan === "all" ? ".nan" : "";
  const suffix = isFloat(type, "f32") ? ".f" : isFloat(type, "f16") ? ".f16" : "";
  return lo.b.intrinsic(`llvm.nvvm.fmin${nan}.xorsign.abs${suffix}`, type, [x!, high!])!;
}

export const NVIDIA_MATH: readonly LoweringRule[] = [
  ...LIBDEVICE.map(libdevice),
  // f32 by the hardware's power of two.
  elementwise(math.ExpOp, (lo: Lowering, _op, [operands], type) => {
    if (!isFloat(type, "f32")) return callLibdevice(lo, "__nv_expf", operands!, type);
    const scaled = lo.b.fmul(operands![0]!, lo.b.f32(Math.LOG2E));
    return lo.b.intrinsic(lo.forms.ex2, type, [scaled]);
  }),
  elementwise(PreciseSqrtOp, ({ b }, _op, [operands], type) => b.intrinsic("llvm.nvvm.sqrt.rn.f", type, operands!)),
  elementwise(PreciseDivFOp, ({ b }, _op, [operands], type) => b.intrinsic("llvm.nvvm.div.rn.f", type, operands!)),
  elementwise(ClampFOp, (lo: Lowering, op, [operands], type) => clip(lo, op, operands!, type)),
  elementwise(MulhiUIOp, (lo, _op, [operands], type) =>
    callExtern(lo, isInteger(type, 32) ? "__nv_umulhi" : "__nv_umul64hi", type, operands!),
  ),
  // The approximate division of the hardware; f64 has only the exact one.
  withoutFloat8(
    elementwise(DivFOp, ({ b }, _op, [operands], type) => {
      const kind = floatKind(type);
      if (kind === "f32") return b.intrinsic("llvm.nvvm.div.full", type, operands!);
      return kind === "f64" ? b.intrinsic("llvm.nvvm.div.rn.d", type, operands!) : undefined;
    }),
  ),
];
