/** Arithmetic of floats. */
import { NotExecutable } from "../function-text.js";
import { each, type Family, type Lane } from "./rule.js";

const float =
  (name: string, modifiers: (type: string) => string = () => ""): Lane =>
  (f, { float: type }, d, operands) => {
    if (type === undefined) throw new NotExecutable(`${name} of integers`);
    f.put(`${name}${modifiers(type)}.${type} ${d}, ${operands.join(", ")}`);
  };
const nearest = (type: string): string => (type === "f32" || type === "f64" ? ".rn" : "");

/** Floats of 16 bits by way of f32, for instructions that have no such form. */
const inF32 = (name: string): Lane => viaF32((f, { float: type }, d, operands) => f.put(`${name}.${type} ${d}, ${operands.join(", ")}`));
const viaF32 =
  (compute: Lane): Lane =>
  (f, leaf, d, operands) => {
    if (leaf.float === "f32" || leaf.float === "f64") return compute(f, leaf, d, operands);
    const wide = operands.map((o) => {
      const w = f.fresh(32);
      f.put(`cvt.f32.${leaf.float} ${w}, ${o}`);
      return w;
    });
    const result = f.fresh(32);
    compute(f, { ...leaf, float: "f32", bits: 32 }, result, wide);
    f.put(`cvt.rn.${leaf.float}.f32 ${d}, ${result}`);
  };

/** As the PTX backend does it: x - trunc(x / y) * y in one, and x where y is infinite. */
const remainder: Lane = (f, { float: type, bits }, d, [x, y]) => {
  const [whole, rest, isInfinite] = [f.fresh(bits), f.fresh(bits), f.fresh(1)];
  f.put(`div.rn.${type} ${whole}, ${x}, ${y}`);
  f.put(`cvt.rzi.${type}.${type} ${whole}, ${whole}`);
  f.put(`neg.${type} ${whole}, ${whole}`);
  f.put(`fma.rn.${type} ${rest}, ${whole}, ${y}, ${x}`);
  f.put(`testp.infinite.${type} ${isInfinite}, ${y}`);
  f.put(`selp.b${bits} ${d}, ${x}, ${rest}, ${isInfinite}`);
};

const logarithm: Lane = (f, _leaf, d, [x]) => {
  f.put(`lg2.approx.f32 ${d}, ${x}`);
  f.put(`mul.rn.f32 ${d}, ${d}, 0f3F317218`);
};

export const FLOAT: Family = [
  ["llvm.fadd", each(float("add", nearest))],
  ["llvm.fsub", each(float("sub", nearest))],
  ["llvm.fmul", each(float("mul", nearest))],
  ["llvm.fdiv", each(inF32("div.rn"))],
  ["llvm.frem", each(viaF32(remainder))],
  ["llvm.fneg", each(float("neg"))],
  ["llvm.intr.fabs", each(float("abs"))],
  ["llvm.intr.fmuladd", each(float("fma", () => ".rn"))],
  ["llvm.intr.fma", each(float("fma", () => ".rn"))],
  ["llvm.intr.maxnum", each(float("max"))],
  ["llvm.intr.minnum", each(float("min"))],
  ["llvm.intr.maximum", each(float("max", () => ".NaN"))],
  ["llvm.intr.minimum", each(float("min", () => ".NaN"))],
  ["llvm.intr.sqrt", each(inF32("sqrt.rn"))],
  ["llvm.intr.floor", each((f, leaf, d, [a]) => f.put(`cvt.rmi.${leaf.float}.${leaf.float} ${d}, ${a}`))],
  ["llvm.intr.ceil", each((f, leaf, d, [a]) => f.put(`cvt.rpi.${leaf.float}.${leaf.float} ${d}, ${a}`))],
  ["llvm.intr.exp2", each(inF32("ex2.approx"))],
  ["llvm.intr.log2", each(inF32("lg2.approx"))],
  ["llvm.intr.log", each(viaF32(logarithm))],
  ["llvm.intr.sin", each(inF32("sin.approx"))],
  ["llvm.intr.cos", each(inF32("cos.approx"))],
  ["llvm.intr.copysign", each((f, leaf, d, [x, s]) => f.put(`copysign.${leaf.float} ${d}, ${s}, ${x}`))],
];
