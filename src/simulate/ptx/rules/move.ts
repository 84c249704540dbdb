/** Moves, packing, conversions of types and of address spaces. */

import type { Operand } from "../../../ptx/instruction.js";
import { byName } from "../../../support/by-name.js";
import type { Rounding, SmallFloatKind } from "../../numbers/small-float.js";
import { type InstructionCompiler, NotModelled, type Rule } from "../instruction-compiler.js";
import { lanes, laneType } from "../lanes.js";
import { bitsOfType } from "../scope.js";
import { WINDOWS } from "../windows.js";
import { movePredicate } from "./compare.js";

/** `mov`, also of vectors: `mov.b64 %rd, {%r1, %r2}` packs, `mov.b64 {%r1, %r2}, %rd` unpacks. */
export const mov: Rule = (c) => {
  if (c.type === "pred") return movePredicate(c);
  const bits = bitsOfType(c.type);
  const [to, from] = [c.operand(0), c.operand(1)];
  if (from.kind === "vector") return pack(c, to, from.elements, bits);
  if (to.kind === "vector") return unpack(c, to.elements, from, bits);
  const a = c.source(from, bits);
  copy(c, c.dest(to, bits), a, bits);
};

export function copy(c: InstructionCompiler, d: number, a: number, bits: number): void {
  c.emit(
    bits === 64 ? lanes("const j = 2 * l; I[d + j] = I[a + j]; I[d + j + 1] = I[a + j + 1]", d, a) : lanes("I[d + l] = I[a + l]", d, a),
  );
}

function pack(c: InstructionCompiler, to: Operand, elements: readonly Operand[], bits: number): void {
  const part = bits / elements.length;
  if (bits === 128) throw new NotModelled("128-bit registers");
  const rows = elements.map((e) => c.source(e, Math.max(part, 8)));
  const [a = 0, b = 0, x = 0, y = 0] = rows;
  const d = c.dest(to, bits);
  if (bits === 64 && part === 32) return c.emit(lanes("const hi = I[b + l]; I[d + 2 * l] = I[a + l]; I[d + 2 * l + 1] = hi", d, a, b));
  if (bits === 64 && part === 16)
    return c.emit(
      lanes(
        "const h = (I[c + l] & 65535) | (I[e + l] << 16); I[d + 2 * l] = (I[a + l] & 65535) | (I[b + l] << 16); I[d + 2 * l + 1] = h",
        d,
        a,
        b,
        x,
        y,
      ),
    );
  if (bits === 32 && part === 16) return c.emit(lanes("I[d + l] = (I[a + l] & 65535) | (I[b + l] << 16)", d, a, b));
  if (bits === 32 && part === 8)
    return c.emit(
      lanes("I[d + l] = (I[a + l] & 255) | ((I[b + l] & 255) << 8) | ((I[c + l] & 255) << 16) | (I[e + l] << 24)", d, a, b, x, y),
    );
  if (bits === 16 && part === 8) return c.emit(lanes("I[d + l] = (I[a + l] & 255) | ((I[b + l] & 255) << 8)", d, a, b));
  throw new NotModelled(`${elements.length} parts of ${bits} bits`);
}

function unpack(c: InstructionCompiler, elements: readonly Operand[], from: Operand, bits: number): void {
  const part = bits / elements.length;
  if (bits === 128) throw new NotModelled("128-bit registers");
  let a = c.source(from, bits);
  if (elements.length > 1) {
    // A part may be the register that is taken apart.
    const kept = c.temp(bits);
    copy(c, kept, a, bits);
    a = kept;
  }
  elements.forEach((element, i) => {
    if (element.kind === "name" && element.name === "_") return;
    const at = i * part;
    const word = bits === 64 ? `I[a + 2 * l + ${at >> 5}]` : "I[a + l]";
    const value = part === 32 ? word : `(${word} >>> ${at & 31}) & ${2 ** part - 1}`;
    c.emit(lanes(`I[d + l] = ${value}`, c.dest(element, part), a));
  });
}

const SMALL: Readonly<Record<string, SmallFloatKind>> = byName({
  f16: "f16",
  bf16: "bf16",
  e4m3: "f8E4M3FN",
  e5m2: "f8E5M2",
  e2m1: "f4E2M1FN",
  e2m3: "f6E2M3FN",
  e3m2: "f6E3M2FN",
  ue8m0: "f8E8M0FNU",
});
const RANGES: Readonly<Record<string, readonly [number, number]>> = byName({
  s8: [-128, 127],
  u8: [0, 255],
  s16: [-32768, 32767],
  u16: [0, 65535],
  s32: [-(2 ** 31), 2 ** 31 - 1],
  u32: [0, 2 ** 32 - 1],
});
const isInteger = (type: string) => /^[sub]\d+$/.test(type);

export const cvt: Rule = (c) => {
  const [to = "", from = ""] = c.types;
  if (c.has("pack")) return packIntegers(c);
  // Inline assembly is not checked before it is executed.
  if (from === "") throw new NotModelled("cvt without a source type");
  if (/x[24]$/.test(to) || /x[24]$/.test(from)) return convertPacked(c, to, from);
  if (to === "tf32") {
    const d = c.dest(c.operand(0), 32);
    return c.emit(
      lanes(
        c.has("rna") ? "I[d + l] = R.roundToTf32(I[a + l])" : 'F[d + l] = R.decode("tf32", R.encode("tf32", F[a + l], "rn", false))',
        d,
        c.source(c.operand(1), 32),
      ),
    );
  }
  if (isInteger(from) && isInteger(to)) return integerToInteger(c, to, from);
  if (isInteger(from)) return integerToFloat(c, to, from);
  if (isInteger(to)) return floatToInteger(c, to, from);
  floatToFloat(c, to, from);
};

function integerToInteger(c: InstructionCompiler, to: string, from: string): void {
  const [toBits, fromBits] = [bitsOfType(to), bitsOfType(from)];
  const a = c.source(c.operand(1), fromBits);
  const d = c.dest(c.operand(0), toBits, to.startsWith("s"));
  const signed = from.startsWith("s");
  if (toBits === 64 && fromBits === 64 && !c.has("sat")) return copy(c, d, a, 64);
  if (toBits === 64)
    return c.emit(
      lanes(
        `const v = ${laneType(from)!.read("a")}; I[d + 2 * l] = ${fromBits === 64 ? "Number(BigInt.asIntN(32, v))" : "v"}; I[d + 2 * l + 1] = ${signed ? "v >> 31" : "0"}`,
        d,
        a,
      ),
    );
  const lane = laneType(to)!;
  if (fromBits === 64) {
    if (!c.has("sat")) return c.emit(lanes(lane.write("d", "I[a + 2 * l]"), d, a));
    const [low, high] = RANGES[to.replace("b", "u")]!;
    return c.emit(lanes(lane.write("d", `Math.min(Math.max(Number(${laneType(from)!.read("a")}), ${low}), ${high})`), d, a));
  }
  const value = laneType(from)!.read("a");
  const [low, high] = RANGES[to.replace("b", "u")]!;
  c.emit(lanes(lane.write("d", c.has("sat") ? `Math.min(Math.max(${value}, ${low}), ${high})` : value), d, a));
}

function integerToFloat(c: InstructionCompiler, to: string, from: string): void {
  const fromBits = bitsOfType(from);
  const a = c.source(c.operand(1), fromBits);
  const d = c.dest(c.operand(0), bitsOfType(to));
  const value = laneType(from)!.read("a");
  const mode = c.oneOf("rz", "rm", "rp");
  const lane = laneType(to)!;
  if (to === "f64" || to === "f32") {
    if (mode !== undefined) return c.emit(lanes(lane.write("d", `R.directedInteger(${value}, "${to}", "${mode}")`), d, a));
    const nearest = to === "f32" ? `R.bigToF32(${value})` : `Number(${value})`;
    return c.emit(lanes(lane.write("d", fromBits === 64 ? nearest : value), d, a));
  }
  c.emit(lanes(`I[d + l] = R.encode("${to}", ${fromBits === 64 ? `Number(${value})` : value}, "${mode ?? "rn"}", false)`, d, a));
}

function floatToInteger(c: InstructionCompiler, to: string, from: string): void {
  const toBits = bitsOfType(to);
  const a = c.source(c.operand(1), bitsOfType(from));
  const d = c.dest(c.operand(0), toBits, to.startsWith("s"));
  const value = laneType(from, c.has("ftz"))!.read("a");
  const rounding = c.oneOf("rni", "rzi", "rmi", "rpi") ?? "rzi";
  if (toBits === 64) return c.emit(lanes(`B[d2 + l] = R.clampToInt64(${value}, "${rounding}", ${to.startsWith("s")})`, d, a));
  const [low, high] = RANGES[to]!;
  c.emit(lanes(laneType(to)!.write("d", `R.clampToInteger(${value}, "${rounding}", ${low}, ${high})`), d, a));
}

function floatToFloat(c: InstructionCompiler, to: string, from: string): void {
  const a = c.source(c.operand(1), bitsOfType(from));
  const d = c.dest(c.operand(0), bitsOfType(to));
  const plain = !["rni", "rzi", "rmi", "rpi", "sat", "relu", "rz", "rm", "rp", "satfinite", "ftz"].some((m) => c.has(m));
  if (plain && from === "f32" && (to === "f16" || to === "bf16")) return c.emit(lanes(`I[d + l] = R.${to}OfF32(I[a + l])`, d, a));
  let value = laneType(from, c.has("ftz"))!.read("a");
  const integral = c.oneOf("rni", "rzi", "rmi", "rpi");
  if (integral !== undefined) value = `R.roundToIntegral(${value}, "${integral}")`;
  if (c.has("sat")) value = `R.saturate01(${value})`;
  if (c.has("relu")) value = `R.relu(${value})`;
  const mode = c.oneOf("rz", "rm", "rp");
  if (to === "f32" || to === "f64") {
    const directed = to === "f32" && from === "f64" && mode !== undefined;
    return c.emit(lanes(laneType(to, c.has("ftz"))!.write("d", directed ? `R.directedF32(${value}, 0, "${mode}")` : value), d, a));
  }
  c.emit(lanes(`I[d + l] = R.encode("${to}", ${value}, "${mode ?? "rn"}", ${c.has("satfinite")})`, d, a));
}

/** `cvt.rn.f16x2.f32 d, a, b` (a above), `cvt.rn.f16x2.e4m3x2 d, a`, `cvt.rn.satfinite.e4m3x2.f16x2 d, a`, ... */
function convertPacked(c: InstructionCompiler, to: string, from: string): void {
  const kind = SMALL[to.replace(/x[24]$/, "")];
  const rounding: Rounding = c.oneOf("rz", "rm", "rp") ?? "rn";
  if (kind === undefined) throw new NotModelled(`.${to}`);
  const width = packedWidth(kind);
  const outBits = Math.max(2 * width, 8);
  const saturate = c.has("satfinite");
  // A fast path, on bits, for the conversions that kernels execute most.
  if (from === "f32" && (kind === "f16" || kind === "bf16") && rounding === "rn" && !saturate && !c.has("relu")) {
    const [a, b] = [c.source(c.operand(1), 32), c.source(c.operand(2), 32)];
    return c.emit(
      lanes(`const lo = R.${kind}OfF32(I[b + l]); I[d + l] = lo | (R.${kind}OfF32(I[a + l]) << 16)`, c.dest(c.operand(0), 32), a, b),
    );
  }
  const encode = (value: string) => `R.encode("${kind}", ${c.has("relu") ? `R.relu(${value})` : value}, "${rounding}", ${saturate})`;
  const d = c.dest(c.operand(0), outBits);
  if (from === "f32") {
    if (to.endsWith("x4")) throw new NotModelled(`.${to}`);
    return c.emit(
      lanes(
        `const lo = ${encode("F[b + l]")}, hi = ${encode("F[a + l]")}; I[d + l] = lo | (hi << ${width})`,
        d,
        c.source(c.operand(1), 32),
        c.source(c.operand(2), 32),
      ),
    );
  }
  const source = SMALL[from.replace(/x2$/, "")];
  if (source === undefined) throw new NotModelled(`.${from}`);
  const sourceWidth = packedWidth(source);
  const a = c.source(c.operand(1), Math.max(2 * sourceWidth, 8));
  const read = (i: number) => `R.decode("${source}", (I[a + l] >>> ${i * sourceWidth}) & ${2 ** sourceWidth - 1})`;
  c.emit(lanes(`const lo = ${encode(read(0))}, hi = ${encode(read(1))}; I[d + l] = lo | (hi << ${width})`, d, a));
}

/** Bits of an element in a packed pair: the 6-bit kinds take a byte each. */
const packedWidth = (kind: SmallFloatKind): number => (kind === "f16" || kind === "bf16" ? 16 : kind === "f4E2M1FN" ? 4 : 8);

/** `cvt.pack.sat.u8.s32.b32 d, a, b, c` and the form of two 16-bit results. */
function packIntegers(c: InstructionCompiler): void {
  const [to = "s16"] = c.types;
  const [low, high] = RANGES[to]!;
  const bits = bitsOfType(to);
  const clamp = (x: string) => `(Math.min(Math.max(${x}, ${low}), ${high}) & ${2 ** bits - 1})`;
  const rows = [c.source(c.operand(1), 32), c.source(c.operand(2), 32)];
  const d = c.dest(c.operand(0), 32);
  const pair = `(${clamp("I[a + l]")} << ${bits}) | ${clamp("I[b + l]")}`;
  if (c.op.operands.length > 3) return c.emit(lanes(`I[d + l] = (I[c + l] << 16) | ${pair}`, d, ...rows, c.source(c.operand(3), 32)));
  c.emit(lanes(`I[d + l] = ${pair}`, d, ...rows));
}

/** `cvta.SPACE`, `cvta.to.SPACE`: global addresses are generic ones; the others have windows. */
export const cvta: Rule = (c) => {
  const bits = bitsOfType(c.type);
  const space = (c.oneOf("global", "shared", "shared::cta", "shared::cluster", "local", "const", "param") ?? "global").split("::")[0]!;
  const window = WINDOWS[space];
  const a = c.source(c.operand(1), bits);
  const d = c.dest(c.operand(0), bits);
  if (window === undefined || bits === 32) return copy(c, d, a, bits);
  // A window's number is the high word.
  c.emit(lanes(`I[d + 2 * l] = I[a + 2 * l]; I[d + 2 * l + 1] = ${c.has("to") ? 0 : window / 2 ** 32}`, d, a));
};

/** `isspacep.SPACE p, a` */
export const isspacep: Rule = (c) => {
  const space = (c.oneOf("global", "shared", "shared::cta", "shared::cluster", "local", "const", "param") ?? "global").split("::")[0]!;
  const window = WINDOWS[space];
  const high = "I[a + 2 * l + 1]";
  const test =
    window === undefined
      ? Object.values(WINDOWS)
          .map((w) => `${high} !== ${w / 2 ** 32}`)
          .join(" && ")
      : `${high} === ${window / 2 ** 32}`;
  const row = c.source(c.operand(1), 64);
  c.emit(lanes(`const bit = (${test}) ? 1 : 0; P[d] = (P[d] & ~(1 << l)) | (bit << l)`, c.predicateDest(c.operand(0)), row));
};
