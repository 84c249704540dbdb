/** math: the functions of libm, in double; narrow results are rounded once. Hardware's approximations stay within the tolerances. */
import * as math from "../../../dialects/math/ops/index.js";
import { PackedArithOp } from "../../../dialects/ttng/ops/packed-arith.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Rule } from "../instructions.js";
import { type Elementwise, elementwise, unsigned } from "./elementwise.js";

const f = (expression: string): Rule => elementwise(() => expression);
/** An integer function on numbers, or through bigints. */
const bits = (small: (t: Elementwise) => string, big: (width: number) => string): Rule =>
  elementwise((t) => (t.out.big ? big(t.out.width) : small(t)));

/** The expression of an operation on pairs of elements. */
const PACKED: Readonly<Record<string, string>> = {
  add: "a + b",
  sub: "a - b",
  mul: "a * b",
  min: "H.minnum(a, b)",
  max: "H.maxnum(a, b)",
};
const packedArith: Rule = (instruction, program) => {
  const kind = PackedArithOp.match(instruction.op)!.op_kind;
  return elementwise(({ out }) => PACKED[kind] ?? (out.name === "f32" ? "H.fmaF32(a, b, c)" : "a * b + c"))(instruction, program);
};

export const MATH: readonly (readonly [OpDef, Rule])[] = [
  [math.AbsFOp, f("Math.abs(a)")],
  [math.AcosOp, f("Math.acos(a)")],
  [math.AcoshOp, f("Math.acosh(a)")],
  [math.AsinOp, f("Math.asin(a)")],
  [math.AsinhOp, f("Math.asinh(a)")],
  [math.AtanOp, f("Math.atan(a)")],
  [math.AtanhOp, f("Math.atanh(a)")],
  [math.CbrtOp, f("Math.cbrt(a)")],
  [math.CeilOp, f("Math.ceil(a)")],
  [math.CosOp, f("Math.cos(a)")],
  [math.CoshOp, f("Math.cosh(a)")],
  [math.SinOp, f("Math.sin(a)")],
  [math.SinhOp, f("Math.sinh(a)")],
  [math.ErfOp, f("H.erf(a)")],
  [math.ErfcOp, f("H.erfc(a)")],
  [math.ExpOp, f("Math.exp(a)")],
  [math.Exp2Op, f("H.exp2(a)")],
  [math.ExpM1Op, f("Math.expm1(a)")],
  [math.FloorOp, f("Math.floor(a)")],
  [math.LogOp, f("Math.log(a)")],
  [math.Log10Op, f("Math.log10(a)")],
  [math.Log1pOp, f("Math.log1p(a)")],
  [math.Log2Op, f("Math.log2(a)")],
  [math.RsqrtOp, f("1 / Math.sqrt(a)")],
  [math.SqrtOp, f("Math.sqrt(a)")],
  [math.TanOp, f("Math.tan(a)")],
  [math.TanhOp, f("Math.tanh(a)")],
  [math.RoundEvenOp, f("H.roundEven(a)")],
  [math.RoundOp, f("H.round(a)")],
  [math.TruncOp, f("Math.trunc(a)")],
  [math.Atan2Op, f("Math.atan2(a, b)")],
  [math.CopySignOp, f("H.copySign(a, b)")],
  [math.PowFOp, f("H.pow(a, b)")],
  [
    math.FmaOp,
    elementwise(({ out }) => (out.name === "f32" ? "H.fmaF32(a, b, c)" : out.name === "f64" ? "H.fmaF64(a, b, c)" : "a * b + c")),
  ],
  [PackedArithOp, packedArith],
  [math.ClampFOp, f("H.minnum(H.maxnum(a, b), c)")],
  [math.FPowIOp, f("H.pow(a, Number(b))")],
  [math.IsFiniteOp, f("Number.isFinite(a) ? -1 : 0")],
  [math.IsInfOp, f("Math.abs(a) === Infinity ? -1 : 0")],
  [math.IsNaNOp, f("a !== a ? -1 : 0")],
  [
    math.IsNormalOp,
    elementwise(({ ins: [e] }) => {
      const least = { f64: 2 ** -1022, f16: 2 ** -14, f8E5M2: 2 ** -14, f8E4M3FN: 2 ** -6 }[e!.name] ?? 2 ** -126;
      return `Math.abs(a) >= ${least} && Math.abs(a) < Infinity ? -1 : 0`;
    }),
  ],
  [math.AbsIOp, f("a < 0 ? -a : a")],
  [
    math.CountLeadingZerosOp,
    bits(
      ({ out }) => `Math.clz32(${unsigned(out, "a")}) - ${32 - out.width}`,
      (width) => `a === 0n ? ${width}n : BigInt(${width} - BigInt.asUintN(${width}, a).toString(2).length)`,
    ),
  ],
  [
    math.CountTrailingZerosOp,
    bits(
      ({ out }) => `a === 0 ? ${out.width} : 31 - Math.clz32(a & -a)`,
      (width) => `a === 0n ? ${width}n : H.bigPopcount(BigInt.asUintN(${width}, (a & -a) - 1n))`,
    ),
  ],
  [
    math.CtPopOp,
    bits(
      ({ out }) => `H.popcount(${unsigned(out, "a")})`,
      (width) => `H.bigPopcount(BigInt.asUintN(${width}, a))`,
    ),
  ],
  [
    math.IPowIOp,
    bits(
      () => "Number(BigInt.asIntN(32, H.ipow(BigInt(a), BigInt(b))))",
      () => "H.ipow(a, b)",
    ),
  ],
];
