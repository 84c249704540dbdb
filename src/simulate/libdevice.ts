/**
 * libdevice's functions as expressions of operands a, b, c, d and of the functions in ELEMENTARY, as `H.erf(a)`; results are those
 * of doubles, rounded once. `__nv_tanhf` (f32) and `__nv_tanh` (f64) are the same one.
 */

import { byName } from "../support/by-name.js";

/** Functions of floats, by name without `__nv_` and the `f` of the f32 version. */
const FLOATS: Readonly<Record<string, string>> = byName({
  fabs: "Math.abs(a)",
  acos: "Math.acos(a)",
  acosh: "Math.acosh(a)",
  asin: "Math.asin(a)",
  asinh: "Math.asinh(a)",
  atan: "Math.atan(a)",
  atan2: "Math.atan2(a, b)",
  atanh: "Math.atanh(a)",
  cbrt: "Math.cbrt(a)",
  ceil: "Math.ceil(a)",
  copysign: "H.copySign(a, b)",
  cos: "Math.cos(a)",
  cosh: "Math.cosh(a)",
  cospi: "H.cospi(a)",
  cyl_bessel_i0: "H.besselI(0, a)",
  cyl_bessel_i1: "H.besselI(1, a)",
  erf: "H.erf(a)",
  erfc: "H.erfc(a)",
  erfcinv: "H.erfcinv(a)",
  erfcx: "H.erfcx(a)",
  erfinv: "H.erfinv(a)",
  exp: "Math.exp(a)",
  exp10: "10 ** a",
  exp2: "H.exp2(a)",
  expm1: "Math.expm1(a)",
  fast_cos: "Math.cos(a)",
  fast_exp: "Math.exp(a)",
  fast_exp10: "10 ** a",
  fast_fdivide: "a / b",
  fast_log: "Math.log(a)",
  fast_log10: "Math.log10(a)",
  fast_log2: "Math.log2(a)",
  fast_pow: "H.exp2(b * Math.log2(a))",
  fast_sin: "Math.sin(a)",
  fast_tan: "Math.tan(a)",
  fast_tanh: "Math.tanh(a)",
  fdim: "a > b ? a - b : a <= b ? 0 : NaN",
  floor: "Math.floor(a)",
  fmax: "H.maxnum(a, b)",
  fmin: "H.minnum(a, b)",
  fmod: "a % b",
  frsqrt_rn: "1 / Math.sqrt(a)",
  hypot: "Math.hypot(a, b)",
  j0: "H.besselJ(0, a)",
  j1: "H.besselJ(1, a)",
  jn: "H.besselJ(a, b)",
  ldexp: "H.ldexp(a, b)",
  lgamma: "H.lgamma(a)",
  log: "Math.log(a)",
  log10: "Math.log10(a)",
  log1p: "Math.log1p(a)",
  log2: "Math.log2(a)",
  logb: "H.logb(a)",
  nearbyint: "H.roundEven(a)",
  norm3d: "Math.hypot(a, b, c)",
  norm4d: "Math.hypot(a, b, c, d)",
  normcdf: "H.erfc(-a * Math.SQRT1_2) / 2",
  normcdfinv: "0 - Math.SQRT2 * H.erfcinv(2 * a)",
  pow: "H.pow(a, b)",
  powi: "H.pow(a, Number(b))",
  rcbrt: "1 / Math.cbrt(a)",
  rcp64h: "1 / a",
  remainder: "H.remainder(a, b)",
  rhypot: "1 / Math.hypot(a, b)",
  rint: "H.roundEven(a)",
  rnorm3d: "1 / Math.hypot(a, b, c)",
  rnorm4d: "1 / Math.hypot(a, b, c, d)",
  round: "H.round(a)",
  rsqrt: "1 / Math.sqrt(a)",
  saturate: "H.minnum(H.maxnum(a, 0), 1)",
  scalbn: "H.ldexp(a, b)",
  sin: "Math.sin(a)",
  sinh: "Math.sinh(a)",
  sinpi: "H.sinpi(a)",
  sqrt: "Math.sqrt(a)",
  tan: "Math.tan(a)",
  tanh: "Math.tanh(a)",
  tgamma: "H.tgamma(a)",
  trunc: "Math.trunc(a)",
  y0: "H.besselY(0, a)",
  y1: "H.besselY(1, a)",
  yn: "H.besselY(a, b)",
});

const BIG = "-9223372036854775808n, 9223372036854775807n";
/** Functions of floats with an integer result; tests give 1 for yes. */
const TO_INTEGERS: Readonly<Record<string, string>> = byName({
  finite: "Number.isFinite(a) ? 1 : 0",
  isfinited: "Number.isFinite(a) ? 1 : 0",
  isinf: "Math.abs(a) === Infinity ? 1 : 0",
  isinfd: "Math.abs(a) === Infinity ? 1 : 0",
  isnan: "a !== a ? 1 : 0",
  isnand: "a !== a ? 1 : 0",
  signbit: "a < 0 || Object.is(a, -0) ? 1 : 0",
  signbitd: "a < 0 || Object.is(a, -0) ? 1 : 0",
  ilogb: "H.ilogb(a)",
  llrint: `H.toBigInt(H.roundEven(a), ${BIG})`,
  llround: `H.toBigInt(H.round(a), ${BIG})`,
  float_as_int: "H.bits32(a)",
  float_as_uint: "H.bits32(a)",
  double_as_longlong: "H.bits64(a)",
  double2hiint: "Number(H.bits64(a) >> 32n)",
  double2loint: "Number(BigInt.asIntN(32, H.bits64(a)))",
});
/** Functions of integers with a float result. */
const FROM_INTEGERS: Readonly<Record<string, string>> = byName({
  int_as_float: "H.float32(a)",
  uint_as_float: "H.float32(a)",
  longlong_as_double: "H.float64(a)",
  hiloint2double: "H.float64((BigInt(a) << 32n) | BigInt(b >>> 0))",
});
/** Functions of integers; 64-bit values are bigints. */
const INTEGERS: Readonly<Record<string, string>> = byName({
  abs: "a < 0 ? -a : a",
  llabs: "a < 0n ? -a : a",
  min: "Math.min(a, b)",
  max: "Math.max(a, b)",
  umin: "Math.min(a >>> 0, b >>> 0)",
  umax: "Math.max(a >>> 0, b >>> 0)",
  llmin: "a < b ? a : b",
  llmax: "a > b ? a : b",
  ullmin: "BigInt.asUintN(64, a) < BigInt.asUintN(64, b) ? a : b",
  ullmax: "BigInt.asUintN(64, a) > BigInt.asUintN(64, b) ? a : b",
  brev: "Number(H.reverse(BigInt(a), 32))",
  brevll: "H.reverse(a, 64)",
  clz: "Math.clz32(a)",
  clzll: "H.clz64(a)",
  ffs: "a === 0 ? 0 : 32 - Math.clz32(a & -a)",
  ffsll: "a === 0n ? 0 : 64 - H.clz64(a & -a)",
  popc: "H.popcount(a)",
  popcll: "Number(H.bigPopcount(BigInt.asUintN(64, a)))",
  mulhi: "H.mulhi32s(a, b)",
  umulhi: "H.mulhi32u(a, b)",
  mul64hi: "(a * b) >> 64n",
  umul64hi: "BigInt.asIntN(64, (BigInt.asUintN(64, a) * BigInt.asUintN(64, b)) >> 64n)",
  mul24: "Math.imul((a << 8) >> 8, (b << 8) >> 8)",
  umul24: "Math.imul(a & 0xffffff, b & 0xffffff)",
  sad: "Math.abs(a - b) + c",
  usad: "Math.abs((a >>> 0) - (b >>> 0)) + c",
  hadd: "Math.floor((a + b) / 2)",
  rhadd: "Math.floor((a + b + 1) / 2)",
  uhadd: "Math.floor(((a >>> 0) + (b >>> 0)) / 2)",
  urhadd: "Math.floor(((a >>> 0) + (b >>> 0) + 1) / 2)",
  byte_perm:
    "(() => { let r = 0; for (let k = 0; k < 4; k++) { const s = (c >>> (4 * k)) & 15; const x = ((s & 4 ? b : a) >>> (8 * (s & 3))) & 255; r |= (s & 8 ? (x & 128 ? 255 : 0) : x) << (8 * k); } return r; })()",
});
/** Roundings to integers, and the letters of the directed ones of basic operations as PTX has them. */
const ROUNDED: Readonly<Record<string, string>> = { rn: "H.roundEven", rz: "Math.trunc", rd: "Math.floor", ru: "Math.ceil" };
const DIRECTION: Readonly<Record<string, string>> = { rz: "rz", rd: "rm", ru: "rp" };
const NEAREST: Readonly<Record<string, string>> = {
  add: "a + b",
  sub: "a - b",
  mul: "a * b",
  div: "a / b",
  sqrt: "Math.sqrt(a)",
  rcp: "1 / a",
};

/** The expression of a libdevice function by its symbol; undefined when it is not known. */
export function libdeviceExpression(symbol: string): string | undefined {
  const name = symbol.replace(/^__nv_/, "");
  const stem = name.replace(/f$/, "");
  const tables = [INTEGERS, FROM_INTEGERS, TO_INTEGERS, FLOATS];
  const known = tables.map((table) => table[name]).find((e) => e) ?? TO_INTEGERS[stem] ?? FLOATS[stem];
  if (known !== undefined) return known;
  if (stem === "nextafter") return `H.nextAfter${name === stem ? "F64" : "F32"}(a, b)`;
  return arithmetic(name) ?? conversion(name);
}

/** `fma`, `fmaf_rz`, `dadd_rn`, `frcp_ru`. */
function arithmetic(name: string): string | undefined {
  const fused = /^fma(f?)(?:_(rn|rz|rd|ru))?$/.exec(name);
  if (fused) {
    const kind = fused[1] ? "F32" : "F64";
    const mode = DIRECTION[fused[2] ?? "rn"];
    return mode ? `H.fmaDirected${kind}(a, b, c, "${mode}")` : `H.fma${kind}(a, b, c)`;
  }
  const found = /^([fd])(add|sub|mul|div|sqrt|rcp)_(rn|rz|rd|ru)$/.exec(name);
  if (!found) return undefined;
  const [, letter, op, rounding] = found as unknown as [string, string, string, string];
  const mode = DIRECTION[rounding];
  if (!mode) return NEAREST[op];
  const args = { sqrt: "a", rcp: "1, a", sub: "a, -b" }[op] ?? "a, b";
  return `H.${{ sub: "add", rcp: "div" }[op] ?? op}F${letter === "f" ? 32 : 64}(${args}, "${mode}")`;
}

/** `float2int_rz`, `ull2double_ru`, `double2float_rd`. */
function conversion(name: string): string | undefined {
  const toInt = /^(?:float|double)2(u?)(int|ll)_(rn|rz|rd|ru)$/.exec(name);
  if (toInt) {
    const [, unsigned, type, mode] = toInt;
    const bits = type === "ll" ? 64n : 32n;
    const [low, high] = unsigned ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
    const rounded = `${ROUNDED[mode!]}(a)`;
    return type === "ll" ? `H.toBigInt(${rounded}, ${low}n, ${high}n)` : `H.toInt(${rounded}, ${low}, ${high})`;
  }
  const toFloat = /^(u?)(int|ll)2(float|double)_(rn|rz|rd|ru)$/.exec(name);
  if (toFloat) {
    const [, unsigned, type, kind, rounding] = toFloat as unknown as [string, string, string, string, string];
    const value = unsigned ? `BigInt.asUintN(${type === "ll" ? 64 : 32}, BigInt(a))` : "a";
    const mode = DIRECTION[rounding];
    if (mode) return `H.directedInteger(${value}, "${kind === "float" ? "f32" : "f64"}", "${mode}")`;
    return kind === "float" ? `H.bigToF32(BigInt(${value}))` : `Number(${value})`;
  }
  if (name === "float2double_rn" || name === "double2float_rn") return "Number(a)";
  const mode = DIRECTION[/^double2float_(rz|rd|ru)$/.exec(name)?.[1] ?? ""];
  return mode && `H.directedF32(a, 0, "${mode}")`;
}

/** The kinds of a function's arguments and result: float or integer. */
export function libdeviceKinds(symbol: string): { readonly args: readonly ("float" | "int")[]; readonly result: "float" | "int" } {
  const name = symbol.replace(/^__nv_/, "");
  const stem = name.replace(/f$/, "");
  if (name in INTEGERS) return { args: ["int", "int", "int"], result: "int" };
  if (name in FROM_INTEGERS || /^(?:u?int|u?ll)2/.test(name)) return { args: ["int", "int"], result: "float" };
  const isInteger = name in TO_INTEGERS || stem in TO_INTEGERS || /^(?:float|double)2u?(?:int|ll)_/.test(name);
  const first = stem === "jn" || stem === "yn" ? "int" : "float";
  const second = ["ldexp", "scalbn", "powi"].includes(stem) ? "int" : "float";
  return { args: [first, second, "float", "float"], result: isInteger ? "int" : "float" };
}
