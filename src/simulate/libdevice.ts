/**
 * libdevice's functions as expressions of operands a, b, c and of the functions in ELEMENTARY, as `H.erf(a)`; results are those
 * of doubles, rounded once. `__nv_tanhf` (f32) and `__nv_tanh` (f64) are the same one.
 */

/** By name without `__nv_` and the `f` of the f32 version; operands a, b, c. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  abs: "a < 0 ? -a : a",
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
  cospi: "Math.cos(Math.PI * (a % 2))",
  erf: "H.erf(a)",
  erfc: "H.erfc(a)",
  erfcx: "Math.exp(a * a) * H.erfc(a)",
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
  fast_pow: "H.pow(a, b)",
  fast_sin: "Math.sin(a)",
  fast_tan: "Math.tan(a)",
  fdim: "a > b ? a - b : a <= b ? 0 : NaN",
  floor: "Math.floor(a)",
  fmax: "H.maxnum(a, b)",
  fmin: "H.minnum(a, b)",
  fmod: "a % b",
  hypot: "Math.hypot(a, b)",
  j0: "H.j0(a)",
  j1: "H.j1(a)",
  ldexp: "a * 2 ** Number(b)",
  lgamma: "H.lgamma(a)",
  log: "Math.log(a)",
  log10: "Math.log10(a)",
  log1p: "Math.log1p(a)",
  log2: "Math.log2(a)",
  nearbyint: "H.roundEven(a)",
  nextafter: "a + (b > a ? 1 : -1) * 2 ** (Math.floor(Math.log2(Math.abs(a))) - 23)",
  norm3d: "Math.hypot(a, b, c)",
  pow: "H.pow(a, b)",
  powi: "H.pow(a, Number(b))",
  rcbrt: "1 / Math.cbrt(a)",
  rcp: "1 / a",
  rhypot: "1 / Math.hypot(a, b)",
  rint: "H.roundEven(a)",
  round: "H.round(a)",
  rsqrt: "1 / Math.sqrt(a)",
  saturate: "H.minnum(H.maxnum(a, 0), 1)",
  sin: "Math.sin(a)",
  sinh: "Math.sinh(a)",
  sinpi: "Math.sin(Math.PI * (a % 2))",
  sqrt: "Math.sqrt(a)",
  tan: "Math.tan(a)",
  tanh: "Math.tanh(a)",
  tgamma: "(a < 0 && Math.floor(a) % 2 !== 0 ? -1 : 1) * Math.exp(H.lgamma(a))",
  trunc: "Math.trunc(a)",
  // What answers an integer says 1 for yes.
  finite: "Number.isFinite(a) ? 1 : 0",
  isfinited: "Number.isFinite(a) ? 1 : 0",
  isinf: "Math.abs(a) === Infinity ? 1 : 0",
  isinfd: "Math.abs(a) === Infinity ? 1 : 0",
  isnan: "a !== a ? 1 : 0",
  isnand: "a !== a ? 1 : 0",
  signbit: "a < 0 || Object.is(a, -0) ? 1 : 0",
  signbitd: "a < 0 || Object.is(a, -0) ? 1 : 0",
  ilogb: "Math.floor(Math.log2(Math.abs(a)))",
  // Integers.
  min: "Math.min(a, b)",
  max: "Math.max(a, b)",
  umin: "Math.min(a >>> 0, b >>> 0)",
  umax: "Math.max(a >>> 0, b >>> 0)",
  brev: "(() => { let r = 0; for (let k = 0; k < 32; k++) r |= ((a >>> k) & 1) << (31 - k); return r; })()",
  clz: "Math.clz32(a)",
  ffs: "a === 0 ? 0 : 32 - Math.clz32(a & -a)",
  popc: "H.popcount(a)",
  mulhi: "H.mulhi32s(a, b)",
  umulhi: "H.mulhi32u(a, b)",
  mul24: "Math.imul((a << 8) >> 8, (b << 8) >> 8)",
  umul24: "Math.imul(a & 0xffffff, b & 0xffffff)",
  sad: "Math.abs(a - b) + c",
  usad: "Math.abs((a >>> 0) - (b >>> 0)) + c",
  hadd: "Math.floor((a + b) / 2)",
  rhadd: "Math.floor((a + b + 1) / 2)",
  uhadd: "Math.floor(((a >>> 0) + (b >>> 0)) / 2)",
  urhadd: "Math.floor(((a >>> 0) + (b >>> 0) + 1) / 2)",
  byte_perm:
    "(() => { let r = 0; for (let k = 0; k < 4; k++) { const s = (c >>> (4 * k)) & 7; r |= (((s < 4 ? a : b) >>> (8 * (s & 3))) & 255) << (8 * k); } return r; })()",
};
/** Roundings to integers and of basic operations: the letters are cvt's. */
const ROUNDED: Readonly<Record<string, string>> = { rn: "H.roundEven", rz: "Math.trunc", rd: "Math.floor", ru: "Math.ceil" };

/** The expression of a libdevice function by its symbol; undefined when it is not known. */
export function libdeviceExpression(symbol: string): string | undefined {
  const name = symbol.replace(/^__nv_/, "");
  if (/^fmaf?(?:_rn)?$/.test(name)) return `H.fmaF${name.startsWith("fmaf") ? 32 : 64}(a, b, c)`;
  const known = FUNCTIONS[name] ?? (name.endsWith("f") ? FUNCTIONS[name.slice(0, -1)] : undefined);
  if (known !== undefined) return known;
  const arithmetic = /^[fd](add|sub|mul|div|sqrt|rcp)_rn$/.exec(name)?.[1];
  if (arithmetic) return { add: "a + b", sub: "a - b", mul: "a * b", div: "a / b", sqrt: "Math.sqrt(a)", rcp: "1 / a" }[arithmetic];
  const toInt = /^(?:float|double)2(u?)(int|ll)_(rn|rz|rd|ru)$/.exec(name);
  if (toInt) {
    const [, unsigned, type, mode] = toInt;
    const bits = type === "ll" ? 64n : 32n;
    const [low, high] = unsigned ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
    const rounded = `${ROUNDED[mode!]}(a)`;
    return type === "ll" ? `H.toBigInt(${rounded}, ${low}n, ${high}n)` : `H.toInt(${rounded}, ${low}, ${high})`;
  }
  const toFloat = /^(u?)(?:int|ll)2(?:float|double)_rn$/.exec(name);
  if (toFloat) return toFloat[1] ? "Number(BigInt.asUintN(64, BigInt(a)))" : "Number(a)";
  if (name === "int2double_rn" || name === "float2double_rn" || name === "double2float_rn") return "Number(a)";
  return undefined;
}

/** What a function takes and answers: floats or integers. */
export function libdeviceKinds(symbol: string): { readonly args: readonly ("float" | "int")[]; readonly result: "float" | "int" } {
  const name = symbol.replace(/^__nv_/, "");
  if (INTEGER_FUNCTIONS.has(name)) return { args: ["int", "int", "int"], result: "int" };
  if (/^(?:u?int|u?ll)2/.test(name)) return { args: ["int"], result: "float" };
  const result = /^(?:is(?:finite|inf|nan)|finite|signbit|ilogb|(?:float|double)2u?(?:int|ll)_)/.test(name) ? "int" : "float";
  return { args: ["float", /^(?:ldexp|powi)f?$/.test(name) ? "int" : "float", "float"], result };
}
const INTEGER_FUNCTIONS = new Set(
  "abs brev clz ffs popc mulhi umulhi mul24 umul24 sad usad hadd rhadd uhadd urhadd byte_perm min max umin umax".split(" "),
);
