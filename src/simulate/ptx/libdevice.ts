/** NVIDIA's math library, by name: calls of `__nv_*` that were not inlined. Results are those of doubles, rounded once. */
import { ELEMENTARY } from "../tensor/elementary.js";
import type { Builtin } from "./builtins.js";
import { RUNTIME } from "./runtime.js";
import type { Warp } from "./warp.js";

const UNARY: Readonly<Record<string, (x: number) => number>> = {
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  exp10: (x) => 10 ** x,
  expm1: Math.expm1,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  sinpi: (x) => Math.sin(Math.PI * (x % 2)),
  cospi: (x) => Math.cos(Math.PI * (x % 2)),
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  sqrt: Math.sqrt,
  rsqrt: (x) => 1 / Math.sqrt(x),
  cbrt: Math.cbrt,
  rcbrt: (x) => 1 / Math.cbrt(x),
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  rint: (x) => RUNTIME.roundToIntegral(x, "rni"),
  nearbyint: (x) => RUNTIME.roundToIntegral(x, "rni"),
  round: (x) => (Math.abs(x) < 2 ** 52 ? Math.trunc(x + (x < 0 ? -0.5 : 0.5)) : x),
  fabs: Math.abs,
  erf: ELEMENTARY.erf,
  erfc: ELEMENTARY.erfc,
  lgamma: ELEMENTARY.lgamma,
  j0: ELEMENTARY.j0,
  j1: ELEMENTARY.j1,
};
const BINARY: Readonly<Record<string, (x: number, y: number) => number>> = {
  pow: Math.pow,
  atan2: Math.atan2,
  fmod: (x, y) => x % y,
  fmin: RUNTIME.fmin,
  fmax: RUNTIME.fmax,
  hypot: Math.hypot,
  fdim: (x, y) => (x > y ? x - y : x <= y ? 0 : Number.NaN),
  copysign: (x, y) => RUNTIME.copysign(y, x),
  div_rn: (x, y) => x / y,
};
const INTEGERS: Readonly<Record<string, (a: number, b: number) => number>> = {
  umulhi: RUNTIME.mulHighUnsigned,
  mulhi: RUNTIME.mulHighSigned,
  abs: (a) => Math.abs(a),
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
  umin: (a, b) => Math.min(a >>> 0, b >>> 0),
  umax: (a, b) => Math.max(a >>> 0, b >>> 0),
  popc: (a) => RUNTIME.popc(a),
  clz: (a) => Math.clz32(a),
  brev: (a) => RUNTIME.reverse(a),
  ffs: (a) => (a === 0 ? 0 : 32 - Math.clz32(a & -a)),
};
const TESTS: Readonly<Record<string, (x: number) => boolean>> = {
  isnan: Number.isNaN,
  isinf: (x) => Math.abs(x) === Infinity,
  finite: Number.isFinite,
  signbit: (x) => x < 0 || Object.is(x, -0),
};

/** The function of that name; undefined when it is none of the library's. */
export function libdevice(name: string): Builtin | undefined {
  const short = /^__nv_(.*)$/.exec(name)?.[1];
  if (short === undefined) return undefined;
  const integers = INTEGERS[short];
  if (integers !== undefined)
    return ([a = [], b = []], [d = []]) =>
      ({ I }, mask) => {
        for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) I[d[0]! + l] = integers(I[a[0]! + l]!, b[0] === undefined ? 0 : I[b[0] + l]!);
      };
  // `expf`, `fast_expf`, `fsqrt_rn`, `dsqrt_rn`, `exp`; tests end in d for doubles.
  const plain = short.replace(/^fast_/, "").replace(/^[fd](sqrt|div|add|mul|rcp)_rn$/, "$1_rn");
  const single = plain.endsWith("f") && plain !== "erf" ? true : /^f(?:sqrt|div|add|mul|rcp)_rn$/.test(short);
  const base = plain.replace(/_rn$/, (s) => (plain.startsWith("div") ? s : "")).replace(/(?<=\w)f$/, (s) => (plain === "erf" ? s : ""));
  const test = TESTS[base] ?? TESTS[base.replace(/d$/, "")];
  const unary = UNARY[base];
  const binary = BINARY[base];
  if (base === "fma") return floats(single, (x, y, z) => (single ? RUNTIME.fmaF32(x, y, z) : RUNTIME.fmaF64(x, y, z)));
  if (test !== undefined)
    return ([a = []], [d = []]) =>
      (warp, mask) => {
        for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) warp.I[d[0]! + l] = test(read(warp, a, l)) ? 1 : 0;
      };
  if (unary !== undefined) return floats(single, unary);
  return binary === undefined ? undefined : floats(single, binary);
}

type Registers = Pick<Warp, "I">;
const f64 = new Float64Array(1);
const i32 = new Int32Array(f64.buffer);
const f32 = new Float32Array(i32.buffer, 0, 1);

/** A float of one word or two. */
function read({ I }: Registers, words: readonly number[], lane: number): number {
  i32[0] = I[words[0]! + lane]!;
  if (words[1] === undefined) return f32[0]!;
  i32[1] = I[words[1] + lane]!;
  return f64[0]!;
}

function floats(single: boolean, value: (x: number, y: number, z: number) => number): Builtin {
  return ([a = [], b, c], [d = []]) =>
    (warp, mask) => {
      const { I } = warp;
      for (let l = 0; l < 32; l++) {
        if (((mask >>> l) & 1) === 0) continue;
        const result = value(read(warp, a, l), b === undefined ? 0 : read(warp, b, l), c === undefined ? 0 : read(warp, c, l));
        if (single) f32[0] = result;
        else f64[0] = result;
        I[d[0]! + l] = i32[0]!;
        if (d[1] !== undefined) I[d[1] + l] = i32[1]!;
      }
    };
}
