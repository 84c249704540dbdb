/**
 * Functions of ROCm's device library by calls (ocml), of the hardware by intrinsics, and arithmetic on bf16, which is done in f32.
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/ElementwiseOpToLLVM.cpp; mlir/lib/Conversion/MathToROCDL/MathToROCDL.cpp, GPUToROCDL.
 */
import { FPToSIOp, SIToFPOp } from "../../../dialects/arith/ops/cast.js";
import * as div from "../../../dialects/arith/ops/division.js";
import * as float from "../../../dialects/arith/ops/float.js";
import * as ll from "../../../dialects/llvm/ops/index.js";
import * as math from "../../../dialects/math/ops/index.js";
import { MulhiUIOp, PreciseDivFOp, PreciseSqrtOp } from "../../../dialects/tt/ops/arithmetic.js";
import { isRdna } from "../../../gpu/amd.js";
import type { Type } from "../../../ir/attribute.js";
import { f32, floatKind, floatType, isFloat, isInteger, RankedTensorType } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Value } from "../../../ir/value.js";
import { elementwise, withoutFloat8 } from "../../ttg-to-llvm/elementwise.js";
import { COPY_UNCONVERTED } from "../../ttg-to-llvm/lowering.js";
import { callExtern, declareExtern, MATH } from "../../ttg-to-llvm/math.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";
import { f32ToBf16 } from "./fp-conversions.js";
import { bf16ToF32 } from "./fp8-conversions.js";

/** The functions of the library by op, without the type at the end of their names. */
const LIBRARY: readonly (readonly [OpDef, string])[] = [
  [math.AcosOp, "acos"],
  [math.AcoshOp, "acosh"],
  [math.AsinOp, "asin"],
  [math.AsinhOp, "asinh"],
  [math.AtanOp, "atan"],
  [math.Atan2Op, "atan2"],
  [math.AtanhOp, "atanh"],
  [math.CbrtOp, "cbrt"],
  [math.CeilOp, "ceil"],
  [math.CosOp, "cos"],
  [math.CoshOp, "cosh"],
  [math.ErfOp, "erf"],
  [math.ErfcOp, "erfc"],
  [math.ExpM1Op, "expm1"],
  [math.FloorOp, "floor"],
  [math.Log10Op, "log10"],
  [math.Log1pOp, "log1p"],
  [math.Log2Op, "log2"],
  [math.PowFOp, "pow"],
  [math.SinOp, "sin"],
  [math.SinhOp, "sinh"],
  [math.TanOp, "tan"],
  [math.TanhOp, "tanh"],
];
/** Calls a function of the library, which has no bf16. */
function callLibrary(lo: Lowering, name: string, operands: readonly Value[], type: Type): Value {
  const { b } = lo;
  const computed = isFloat(type, "bf16") ? f32(lo.ctx) : type;
  const args = operands.map((v) => (v.type === computed ? v : b.fpext(v, computed)));
  const callee = `__ocml_${name}_${floatKind(computed)}`;
  const params = args.map(() => computed);
  declareExtern(lo, callee, computed, params, []);
  const result = b.call(callee, computed, args)!;
  return computed === type ? result : b.fptrunc(result, type);
}
/** An intrinsic of LLVM's that upstream calls as a function. */
const callF32 = (lo: Lowering, name: string, operand: Value): Value => callExtern(lo, name, f32(lo.ctx), [operand]);

/** The library's function, but for f32, and for bf16 where LLVM has an intrinsic. */
const exceptF32 = (def: OpDef, name: string, onF32: (lo: Lowering, x: Value, type: Type) => Value, onBf16?: OpDef): LoweringRule =>
  elementwise(def, (lo: Lowering, _op, [operands], type) => {
    if (isFloat(type, "f32")) return onF32(lo, operands![0]!, type);
    return onBf16 && isFloat(type, "bf16") ? lo.b.op(onBf16, operands!, type) : callLibrary(lo, name, operands!, type);
  });
const intrinsic = (def: OpDef, to: OpDef): LoweringRule => elementwise(def, ({ b }, _op, [operands], type) => b.op(to, operands!, type));

/** The square root to the last bit, which flushes denormals: `x * rsq(x)`, refined by Newton's method. */
function preciseSqrt(lo: Lowering, x: Value): Value {
  const { b } = lo;
  const type = f32(lo.ctx);
  const fma = (p: Value, q: Value, r: Value): Value => b.op(ll.FMAOp, [p, q, r], type);
  const neg = (v: Value): Value => b.op(ll.FNegOp, [v], type);
  const r = callF32(lo, "llvm.amdgcn.rsq.f32", x);
  const s0 = b.fmul(x, r);
  const h0 = b.fmul(r, b.f32(0.5));
  const e = fma(neg(h0), s0, b.f32(0.5));
  const h1 = fma(h0, e, h0);
  const s1 = fma(s0, e, s0);
  const d = fma(neg(s1), s1, x);
  const root = fma(d, h1, s1);
  const isZeroOrInfinity = b.value(ll.IsFPClass, { in: x, bit: 0x0200 | 0x0020 | 0x0040 }, b.int1());
  return b.select(isZeroOrInfinity, x, root);
}

/** Arithmetic on bf16 is that of f32, rounded. */
const arithmetic = (def: OpDef, to: OpDef): LoweringRule =>
  withoutFloat8(
    elementwise(def, (lo: Lowering, _op, [operands], type) => {
      const { b } = lo;
      if (!isFloat(type, "bf16")) return b.op(to, operands!, type);
      if (to === ll.FMulOp && isRdna(lo.target.family)) return multiplyBf16(lo, operands!);
      const [x, y] = operands!.map((v) => bf16ToF32(b, v));
      return f32ToBf16(b, b.op(to, [x!, y!], f32(lo.ctx)));
    }),
  );
/** RDNA has a dot product of bf16: the second elements are 0. */
function multiplyBf16({ b, ctx }: Lowering, operands: readonly Value[]): Value {
  const type = floatType(ctx, "bf16");
  const zero = b.float(type, 0);
  const [x, y] = operands.map((v) => b.packVector([v, zero]));
  return b.intrinsic("llvm.amdgcn.fdot2.bf16.bf16", type, [x!, y!, zero])!;
}

const ROUNDED_DIVISIONS: readonly OpDef[] = [div.CeilDivSIOp, div.CeilDivUIOp, div.FloorDivSIOp];
/** Those of scalars stay until `convert-arith-to-llvm`. */
const roundedDivisions: readonly LoweringRule[] = MATH.filter(({ def }) => ROUNDED_DIVISIONS.includes(def)).map(({ def, lower }) => ({
  def,
  lower: (op, lo) => (RankedTensorType.is(op.result(0).type) ? lower : COPY_UNCONVERTED)(op, lo),
}));

export const AMD_MATH: readonly LoweringRule[] = [
  ...roundedDivisions,
  ...LIBRARY.map(([def, name]) => elementwise(def, (lo: Lowering, _op, [operands], type) => callLibrary(lo, name, operands!, type))),
  exceptF32(math.ExpOp, "exp", (lo, x) => callF32(lo, "llvm.exp2.f32", lo.b.fmul(x, lo.b.f32(Math.LOG2E))), ll.ExpOp),
  exceptF32(math.Exp2Op, "exp2", (lo, x) => callF32(lo, lo.target.ftz ? "llvm.amdgcn.exp2.f32" : "llvm.exp2.f32", x)),
  exceptF32(math.LogOp, "log", ({ b }, x, type) => b.op(ll.LogOp, [x], type), ll.LogOp),
  exceptF32(math.RsqrtOp, "rsqrt", (lo, x, type) =>
    lo.target.ftz ? callF32(lo, "llvm.amdgcn.rsq.f32", x) : callLibrary(lo, "rsqrt", [x], type),
  ),
  elementwise(math.SqrtOp, (lo: Lowering, _op, [operands], type) => {
    const { b } = lo;
    const [x] = operands as readonly [Value];
    if (!isFloat(type, "f32")) return b.op(ll.SqrtOp, [x], type);
    if (lo.target.ftz) return callF32(lo, "llvm.amdgcn.sqrt.f32", x);
    // The instruction flushes denormals: they are made larger before, and the root smaller.
    const isSmall = b.fcmp("ogt", b.f32(2 ** -96), x);
    const root = callF32(lo, "llvm.amdgcn.sqrt.f32", b.select(isSmall, b.fmul(x, b.f32(2 ** 32)), x));
    return b.select(isSmall, b.fmul(root, b.f32(2 ** -16)), root);
  }),
  elementwise(PreciseSqrtOp, (lo: Lowering, _op, [operands], type) =>
    isFloat(type, "f32") && lo.target.ftz ? preciseSqrt(lo, operands![0]!) : lo.b.op(ll.SqrtOp, operands!, type),
  ),
  intrinsic(math.RoundOp, ll.RoundOp),
  intrinsic(math.RoundEvenOp, ll.RoundEvenOp),
  intrinsic(math.TruncOp, ll.FTruncOp),
  intrinsic(math.CopySignOp, ll.CopySignOp),
  intrinsic(PreciseDivFOp, ll.FDivOp),
  withoutFloat8(intrinsic(float.DivFOp, ll.FDivOp)),
  arithmetic(float.AddFOp, ll.FAddOp),
  arithmetic(float.SubFOp, ll.FSubOp),
  arithmetic(float.MulFOp, ll.FMulOp),
  elementwise(FPToSIOp, ({ b }, _op, [operands], type) => {
    const [x] = operands as readonly [Value];
    return b.op(ll.FPToSIOp, [isFloat(x.type, "bf16") ? bf16ToF32(b, x) : x], type);
  }),
  // Four bytes at once are left to LLVM.
  elementwise(SIToFPOp, ({ b, ctx }, _op, operands, type) => {
    const toFloat = (x: Value, to: Type): Value => b.op(ll.SIToFPOp, [x], to);
    const first = operands[0]![0]!;
    if (!isFloat(type, "bf16")) return toFloat(first, type);
    if (isInteger(first.type, 8) && operands.length >= 4) return operands.slice(0, 4).map(([x]) => toFloat(x!, type));
    return f32ToBf16(b, toFloat(first, f32(ctx)));
  }),
  elementwise(MulhiUIOp, (lo, _op, [operands], type) =>
    callExtern(lo, isInteger(type, 32) ? "__ockl_mul_hi_u32" : "__ockl_mul_hi_u64", type, operands!),
  ),
];
