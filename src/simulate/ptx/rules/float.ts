/** Float arithmetic in every type, rounding and saturation. */
import { byName } from "../../../support/by-name.js";
import { type InstructionCompiler, NotModelled, type Rule } from "../instruction-compiler.js";
import { type LaneType, lanes, laneType } from "../lanes.js";
import { bitsOfType } from "../scope.js";

/** A lane's value, from its operands; `mode` is "rz", "rm" or "rp" when rounding is directed. */
type Value = (operands: readonly string[], c: InstructionCompiler, type: string, mode: string | undefined) => string;

/** `R.addF32(x, y, "rz")` where rounding is directed; else the operator's own rounding to nearest, finished by the store. */
const rounded =
  (nearest: (o: readonly string[]) => string, directed: string): Value =>
  (o, _c, type, mode) => {
    if (mode === undefined) return nearest(o);
    if (type !== "f32" && type !== "f64") throw new NotModelled(`.${mode} in .${type}`);
    return `R.${directed}${type.toUpperCase()}(${o.join(", ")}, "${mode}")`;
  };

const extreme =
  (name: "min" | "max"): Value =>
  (o, c) => {
    const nan = c.has("NaN");
    const pick = (x: string, y: string) => (nan ? `Math.${name}(${x}, ${y})` : `R.f${name}(${x}, ${y})`);
    if (c.has("xorsign"))
      return `R.copysign(R.copysign(${o[0]}, 1) * R.copysign(${o[1]}, 1), ${pick(`Math.abs(${o[0]})`, `Math.abs(${o[1]})`)})`;
    return o.length === 3 ? pick(pick(o[0]!, o[1]!), o[2]!) : pick(o[0]!, o[1]!);
  };

const VALUES: Readonly<Record<string, Value>> = byName({
  add: rounded(([x, y]) => `${x} + ${y}`, "add"),
  sub: (o, c, type, mode) => (mode === undefined ? `${o[0]} - ${o[1]}` : VALUES["add"]!([o[0]!, `-${o[1]}`], c, type, mode)),
  mul: rounded(([x, y]) => `${x} * ${y}`, "mul"),
  fma: (o, _c, type, mode) => {
    if (mode !== undefined) return `R.fmaDirected${type.toUpperCase()}(${o.join(", ")}, "${mode}")`;
    if (type === "f32") return `R.fmaF32(${o.join(", ")})`;
    return type === "f64" ? `R.fmaF64(${o.join(", ")})` : `${o[0]} * ${o[1]} + ${o[2]}`;
  },
  div: rounded(([x, y]) => `${x} / ${y}`, "div"),
  rcp: (o, c, type, mode) => VALUES["div"]!(["1", o[0]!], c, type, mode),
  sqrt: rounded(([x]) => `Math.sqrt(${x})`, "sqrt"),
  rsqrt: ([x]) => `R.rsqrt(${x})`,
  ex2: ([x]) => `R.ex2(${x})`,
  lg2: ([x]) => `R.lg2(${x})`,
  sin: ([x]) => `R.sin(${x})`,
  cos: ([x]) => `R.cos(${x})`,
  tanh: ([x]) => `R.tanh(${x})`,
  min: extreme("min"),
  max: extreme("max"),
});
const SOURCES: Readonly<Record<string, number>> = byName({ fma: 3, rcp: 1, sqrt: 1, rsqrt: 1, ex2: 1, lg2: 1, sin: 1, cos: 1, tanh: 1 });

export const floatArithmetic: Rule = (c) => {
  const name = c.op.opcode === "mad" ? "fma" : c.op.opcode;
  const value = VALUES[name];
  const [type = ""] = c.types;
  if (value === undefined) throw new NotModelled("no such operation on floats is known");
  const count = Math.min(c.op.operands.length - 1, SOURCES[name] ?? 3);
  const mode = c.oneOf("rz", "rm", "rp");
  if (type === "f32x2") {
    const half = (at: string) =>
      finish(
        c,
        value(
          ["a", "b", "c"].slice(0, count).map((r) => `F[${r} + 2 * l + ${at}]`),
          c,
          "f32",
          mode,
        ),
      );
    return c.emit(
      lanes(
        `const lo = ${half("0")}, hi = ${half("1")}; F[d + 2 * l] = lo; F[d + 2 * l + 1] = hi`,
        c.dest(c.operand(0), 64),
        ...sources(c, count, 64),
      ),
    );
  }
  if (type === "f16x2" || type === "bf16x2") {
    const single = type === "f16x2" ? "f16" : "bf16";
    const half = (shift: number) => {
      const read = (row: string) =>
        single === "f16" ? `H[(I[${row} + l] >>> ${shift}) & 65535]` : `R.fromBf16(I[${row} + l] >>> ${shift})`;
      return `R.${single === "f16" ? "toF16" : "toBf16"}(${finish(c, value(["a", "b", "c"].slice(0, count).map(read), c, single, mode))})`;
    };
    return c.emit(
      lanes(`const lo = ${half(0)}, hi = ${half(16)}; I[d + l] = lo | (hi << 16)`, c.dest(c.operand(0), 32), ...sources(c, count, 32)),
    );
  }
  const bits = bitsOfType(type);
  const lane = floatLane(c, type);
  const text = finish(c, value(["a", "b", "c"].slice(0, count).map(lane.read), c, type, mode));
  c.emit(lanes(lane.write("d", text), c.dest(c.operand(0), bits), ...sources(c, count, bits)));
};

function finish(c: InstructionCompiler, value: string): string {
  if (c.has("sat")) return `R.saturate01(${value})`;
  return c.has("relu") ? `R.relu(${value})` : value;
}

const sources = (c: InstructionCompiler, count: number, bits: number): number[] =>
  [1, 2, 3].slice(0, count).map((i) => c.source(c.operand(i), bits));

function floatLane(c: InstructionCompiler, type: string): LaneType {
  const lane = laneType(type, c.has("ftz"));
  if (lane === undefined) throw new NotModelled(`no form for .${type} is known`);
  return lane;
}

/** `neg`, `abs`: the sign bit, so that NaNs and zeros keep their bits. */
export const signBit: Rule = (c) => {
  const { type } = c;
  const bits = bitsOfType(type);
  const negate = c.op.opcode === "neg";
  const d = c.dest(c.operand(0), bits);
  const a = c.source(c.operand(1), bits);
  const mask = /x2$/.test(type) ? 0x80008000 | 0 : bits === 16 ? 0x8000 : 0x80000000 | 0;
  const change = (value: string) => (negate ? `${value} ^ ${mask}` : `${value} & ~${mask}`);
  if (bits === 64)
    return c.emit(lanes(`const hi = I[a + 2 * l + 1]; I[d + 2 * l] = I[a + 2 * l]; I[d + 2 * l + 1] = ${change("hi")}`, d, a));
  c.emit(lanes(`I[d + l] = ${change("I[a + l]")}`, d, a));
  if (c.has("ftz") && type === "f32") c.emit(lanes("F[d + l] = R.flush(F[a + l])", d, d));
};

/** `copysign d, a, b`: b with the sign of a. */
export const copySign: Rule = (c) => {
  const bits = bitsOfType(c.type);
  const [d, a, b] = [c.dest(c.operand(0), bits), c.source(c.operand(1), bits), c.source(c.operand(2), bits)];
  const merge = (x: string, y: string) => `(${x} & -2147483648) | (${y} & 2147483647)`;
  if (bits === 64)
    return c.emit(
      lanes(`const hi = ${merge("I[a + 2 * l + 1]", "I[b + 2 * l + 1]")}; I[d + 2 * l] = I[b + 2 * l]; I[d + 2 * l + 1] = hi`, d, a, b),
    );
  c.emit(lanes(`I[d + l] = ${merge("I[a + l]", "I[b + l]")}`, d, a, b));
};
