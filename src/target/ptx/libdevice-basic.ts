/** Functions of libdevice that are a few instructions: of integers, conversions, roundings, tests, and what works on a float's bits. */
import type { BinaryKind, Node, Width } from "./graph.js";
import type { LibdeviceMath, LibdeviceRule } from "./libdevice-math.js";

/** One instruction. */
const own =
  (mnemonic: string, width: Width): LibdeviceRule =>
  (m, ...args) =>
    m.make(mnemonic, width, ...args);
const binary =
  (kind: BinaryKind): LibdeviceRule =>
  (m, a, b) =>
    m.s.binary(kind, a, b!);
/** (a + b) / 2 without overflow, rounded down or up. */
const mean =
  (shift: "sar" | "shr", up: boolean): LibdeviceRule =>
  (m, a, b) => {
    const { s } = m;
    const half = s[shift](s.xor(a, b!), m.int(1, 32));
    return up ? s.sub(s.or(a, b!), half) : s.add(s.and(a, b!), half);
  };
const lowestSet: LibdeviceRule = (m, a) => {
  const { s } = m;
  const lowest = m.make(`clz.b${a.width}`, 32, m.make(`brev.b${a.width}`, a.width, a));
  return s.select(s.icmp("eq", a, m.int(0, a.width)), m.int(0, 32), s.add(lowest, m.int(1, 32)));
};
const same: LibdeviceRule = (_m, a) => a;

const INTEGERS: Readonly<Record<string, LibdeviceRule>> = {
  mulhi: own("mul.hi.s32", 32),
  umulhi: own("mul.hi.u32", 32),
  mul64hi: own("mul.hi.s64", 64),
  umul64hi: own("mul.hi.u64", 64),
  mul24: own("mul24.lo.s32", 32),
  umul24: own("mul24.lo.u32", 32),
  clz: own("clz.b32", 32),
  clzll: own("clz.b64", 32),
  popc: own("popc.b32", 32),
  popcll: own("popc.b64", 32),
  brev: own("brev.b32", 32),
  brevll: own("brev.b64", 64),
  ffs: lowestSet,
  ffsll: lowestSet,
  byte_perm: own("prmt.b32", 32),
  sad: own("sad.s32", 32),
  usad: own("sad.u32", 32),
  abs: own("abs.s32", 32),
  llabs: own("abs.s64", 64),
  min: binary("smin"),
  llmin: binary("smin"),
  max: binary("smax"),
  llmax: binary("smax"),
  umin: binary("umin"),
  ullmin: binary("umin"),
  umax: binary("umax"),
  ullmax: binary("umax"),
  hadd: mean("sar", false),
  uhadd: mean("shr", false),
  rhadd: mean("sar", true),
  urhadd: mean("shr", true),
  float_as_int: same,
  float_as_uint: same,
  int_as_float: same,
  uint_as_float: same,
  double_as_longlong: same,
  longlong_as_double: same,
  double2hiint: (m, a) => m.s.high(a),
  double2loint: (m, a) => m.s.trunc(a, 32),
  hiloint2double: (m, a, b) => m.s.pack(b!, a),
  half2float: (m, a) => m.f.convert("f16", "f32", a),
  float2half_rn: (m, a) => m.f.convert("f32", "f16", a),
};

/** Functions that exist for f32 and f64 under one name, such as `__nv_floorf` and `__nv_floor`. */
export const LIBDEVICE_BASIC: Readonly<Record<string, LibdeviceRule>> = {
  fabs: (m, a) => m.op("abs", a),
  fmin: (m, a, b) => m.op("min", a, b!),
  fmax: (m, a, b) => m.op("max", a, b!),
  fma: (m, a, b, c) => m.op("fma.rn", a, b!, c!),
  floor: (m, a) => m.round("rmi", a),
  ceil: (m, a) => m.round("rpi", a),
  trunc: (m, a) => m.round("rzi", a),
  rint: (m, a) => m.round("rni", a),
  nearbyint: (m, a) => m.round("rni", a),
  round: (m, a) => m.f.roundHalfAway(m.kind, a),
  lrint: (m, a) => m.make(`cvt.rni.s32.${m.kind}`, 32, a),
  llrint: (m, a) => m.make(`cvt.rni.${m.flushes ? "ftz." : ""}s64.${m.kind}`, 64, a),
  lround: (m, a) => m.make(`cvt.rzi.s32.${m.kind}`, 32, m.f.roundHalfAway(m.kind, a)),
  llround: (m, a) => m.make(`cvt.rzi.s64.${m.kind}`, 64, m.f.roundHalfAway(m.kind, a)),
  copysign: (m, a, b) => m.copysign(a, b!),
  fdim: (m, a, b) => m.select(m.compare("le", a, b!), 0, m.sub(a, b!)),
  fmod: (m, a, b) => quotientRest(m, a, b!, false),
  remainder: (m, a, b) => quotientRest(m, a, b!, true),
  nextafter,
  ldexp,
  scalbn: ldexp,
  logb: (m, x) => {
    const e = m.make(`cvt.rn.${m.kind}.s32`, m.width, exponentOf(m, x));
    const special = m.select(m.equal(x, 0), Number.NEGATIVE_INFINITY, m.mul(x, x));
    return m.select(isRegular(m, x), e, special);
  },
  ilogb: (m, x) => {
    const { s } = m;
    const special = s.select(m.equal(m.abs(x), Number.POSITIVE_INFINITY), m.int(0x7fffffff, 32), m.int(-0x80000000, 32));
    return s.select(isRegular(m, x), exponentOf(m, x), special);
  },
};

// --- bits of floats -------------------------------------------------------------------------------------

/** Neither zero, infinite nor NaN. */
const isRegular = (m: LibdeviceMath, x: Node): Node => {
  const a = m.abs(x);
  return m.s.and(m.greater(a, 0), m.less(a, Number.POSITIVE_INFINITY));
};
/** The exponent of a finite number that is not zero. */
function exponentOf(m: LibdeviceMath, x: Node): Node {
  const { s } = m;
  const word = m.isFloat ? x : s.high(x);
  const biased = s.and(s.shr(word, m.int(m.by(23, 20), 32)), m.int(m.by(255, 2047), 32));
  const normal = s.add(biased, m.int(-m.bias, 32));
  if (m.flushes) return normal;
  const zeros = m.make(`clz.b${m.width}`, 32, m.abs(x));
  const below = s.sub(m.int(m.by(-118, -1011), 32), zeros);
  return s.select(s.icmp("eq", biased, m.int(0, 32)), below, normal);
}
/** A regular number's magnitude with its exponent taken away: in [1, 2). */
function mantissaOf(m: LibdeviceMath, x: Node, exponent: Node): Node {
  const { s } = m;
  const fraction = m.by<bigint>(0x7fffffn, 0xfffffffffffffn);
  const one = m.number(1);
  const plain = s.or(s.and(x, m.int(fraction)), one);
  if (m.flushes) return plain;
  const zeros = m.make(`clz.b${m.width}`, 32, m.abs(x));
  const shifted = s.or(s.and(s.shl(x, s.add(zeros, m.int(m.by(-8, -11), 32))), m.int(fraction)), one);
  return s.select(s.icmp("slt", exponent, m.int(1 - m.bias, 32)), shifted, plain);
}
function ldexp(m: LibdeviceMath, x: Node, n?: Node): Node {
  const { s } = m;
  const limit = m.by(1000, 5000);
  const clamped = s.binary("smin", s.binary("smax", n!, m.int(-limit, 32)), m.int(limit, 32));
  const exponent = exponentOf(m, x);
  const bound = 2 * m.bias - 2;
  const total = s.binary("smin", s.binary("smax", s.add(exponent, clamped), m.int(-bound, 32)), m.int(bound, 32));
  const made = m.timesPowerOfTwo(m.copysign(mantissaOf(m, x, exponent), x), total);
  return m.select(isRegular(m, x), made, m.add(x, x));
}
function nextafter(m: LibdeviceMath, x: Node, y?: Node): Node {
  const { s } = m;
  // By comparisons that see subnormals.
  const compare = (predicate: string, a: Node, b: Node) => m.make(`setp.${predicate}.${m.kind}`, 1, a, b);
  const zero = m.number(0);
  const up = s.xor(compare("lt", x, y!), m.isNegative(x));
  const moved = s.add(x, s.select(up, m.int(1), m.int(-1)));
  const fromZero = m.copysign(m.int(1), y!);
  const regular = s.select(compare("eq", x, zero), fromZero, moved);
  return s.select(compare("nan", x, y!), m.add(x, y!), s.select(compare("eq", x, y!), y!, regular));
}

/**
 * x - n y with n = x / y rounded to zero, or to nearest even: the mantissas are divided as many bits at a time as a quotient
 * by the reciprocal is right to one half, so that what is left over is exact.
 */
function quotientRest(m: LibdeviceMath, x: Node, y: Node, nearest: boolean): Node {
  const { s } = m;
  const [a, b] = [m.abs(x), m.abs(y)];
  const divide = (): readonly Node[] => {
    const [dividend, divisor] = [parts(m, a), parts(m, b)];
    const inverse = m.rcp(divisor.mantissa);
    const magic = m.by(12582912, 6755399441055744);
    const difference = s.sub(dividend.exponent, divisor.exponent);
    const [rest, odd] = m.loop([dividend.mantissa, m.int(0, 32), difference], (value, _odd, left) => {
      const count = s.binary("smin", left!, m.int(m.by(20, 49), 32));
      const raised = m.mul(value!, m.powerOfTwo(count));
      const sum = m.fma(raised, inverse, magic);
      const rest = m.fma(m.neg(m.add(sum, -magic)), divisor.mantissa, raised);
      const isBelow = m.less(rest, 0);
      const next = s.sub(left!, count);
      return {
        next: [m.select(isBelow, m.add(rest, divisor.mantissa), rest), s.xor(s.trunc(sum, 32), s.zext(isBelow, 32)), next],
        again: s.icmp("sgt", next, m.int(0, 32)),
      };
    });
    return [m.mul(m.mul(rest!, divisor.power), divisor.unit), odd!];
  };
  const [rest, odd] = m.branch(m.compare("ge", a, b), divide, () => [a, m.int(0, 32)]) as [Node, Node];
  let value = rest;
  if (nearest) {
    const other = m.sub(b, rest);
    const isOdd = s.icmp("ne", s.and(odd, m.int(1, 32)), m.int(0, 32));
    value = m.select(s.or(m.greater(rest, other), s.and(m.equal(rest, other), isOdd)), m.neg(other), rest);
  }
  const made = s.xor(value, s.and(x, m.int(-(1n << BigInt(m.width - 1)))));
  return m.select(s.and(m.less(a, Number.POSITIVE_INFINITY), m.greater(b, 0)), made, m.nan);
}
/** a = mantissa power unit with the mantissa in [1, 2) and the exponent of power times unit; `unit` is 1 but for subnormals. */
function parts(m: LibdeviceMath, a: Node): { readonly exponent: Node; readonly mantissa: Node; readonly power: Node; readonly unit: Node } {
  const { s } = m;
  const raise = m.by(24, 54);
  const isSmall = m.flushes ? m.int(0, 1) : m.less(a, 2 ** (1 - m.bias));
  const normal = m.select(isSmall, m.mul(a, 2 ** raise), a);
  const biased = s.shr(m.isFloat ? normal : s.high(normal), m.int(m.by(23, 20), 32));
  const fraction = m.int(m.by<bigint>(0x7fffffn, 0xfffffffffffffn));
  return {
    exponent: s.sub(biased, s.select(isSmall, m.int(raise, 32), m.int(0, 32))),
    mantissa: s.or(s.and(normal, fraction), m.number(1)),
    power: s.and(normal, s.not(fraction)),
    unit: m.select(isSmall, 2 ** -raise, 1),
  };
}

// --- names with types ------------------------------------------------------------------------------------------

const ROUNDING: Readonly<Record<string, string>> = { rn: "rn", rz: "rz", rd: "rm", ru: "rp" };
const TYPES: Readonly<Record<string, readonly [string, Width]>> = {
  int: ["s32", 32],
  uint: ["u32", 32],
  ll: ["s64", 64],
  ull: ["u64", 64],
  float: ["f32", 32],
  double: ["f64", 64],
};

/** `__nv_fadd_rz`, `__nv_fma_rn`, `__nv_frcp_rd`: one instruction for each rounding. */
function arithmetic(): [string, LibdeviceRule][] {
  return Object.entries(ROUNDING).flatMap(([suffix, mode]) => [
    ...["add", "sub", "mul", "div", "rcp", "sqrt"].flatMap((op) =>
      ["f", "d"].map((letter): [string, LibdeviceRule] => [`${letter}${op}_${suffix}`, (m, ...args) => m.op(`${op}.${mode}`, ...args)]),
    ),
    ...["fmaf", "fma"].map((name): [string, LibdeviceRule] => [`${name}_${suffix}`, (m, ...args) => m.op(`fma.${mode}`, ...args)]),
  ]);
}
/** `__nv_float2int_rz`, `__nv_ull2double_ru`, `__nv_float2double`. */
function conversions(): [string, LibdeviceRule][] {
  const names = Object.keys(TYPES);
  return names.flatMap((from) =>
    names.flatMap((to) =>
      ["", "_rn", "_rz", "_rd", "_ru"].map((suffix): [string, LibdeviceRule] => [
        `${from}2${to}${suffix}`,
        (m, a) => conversion(m, TYPES[from]![0], TYPES[to]!, ROUNDING[suffix.slice(1)] ?? "rn", a),
      ]),
    ),
  );
}
function conversion(m: LibdeviceMath, from: string, [to, width]: readonly [string, Width], mode: string, a: Node): Node {
  const ftz = (from === "f32" || to === "f32") && from.startsWith("f") && m.l.options.ftz ? "ftz." : "";
  if (!to.startsWith("f")) return m.make(`cvt.${mode}i.${ftz}${to}.${from}`, width, a);
  return m.make(`cvt.${from === "f32" ? "" : `${mode}.`}${ftz}${to}.${from}`, width, a);
}

const flag =
  (test: (m: LibdeviceMath, a: Node) => Node): LibdeviceRule =>
  (m, a) =>
    m.s.zext(test(m, a), 32);
const isNan = flag((m, a) => m.make(`setp.nan.${m.kind}`, 1, a, a));
const isInfinite = flag((m, a) => m.make(`testp.infinite.${m.kind}`, 1, a));
const isFinite = flag((m, a) => m.make(`testp.finite.${m.kind}`, 1, a));
const signBit = flag((m, a) => m.isNegative(a));

/** By the whole name. */
export const LIBDEVICE_NAMED: Readonly<Record<string, LibdeviceRule>> = {
  ...INTEGERS,
  ...Object.fromEntries(arithmetic()),
  ...Object.fromEntries(conversions()),
  isnanf: isNan,
  isnand: isNan,
  isinff: isInfinite,
  isinfd: isInfinite,
  finitef: isFinite,
  isfinited: isFinite,
  signbitf: signBit,
  signbitd: signBit,
  saturatef: (m, a) => m.make(`cvt.${m.flushes ? "ftz." : ""}sat.f32.f32`, 32, a),
  frsqrt_rn: (m, x) => {
    // One step of Newton's from a pair rounds right, where no part of the square is lost: far from 1 by a detour.
    const [tiny, huge] = [m.less(x, 2 ** -100), m.greater(x, 2 ** 100)];
    const raised = m.mul(x, m.select(tiny, 2 ** 48, m.select(huge, 2 ** -48, 1)));
    const y = m.op("rsqrt.approx", raised);
    const square = m.exactProduct(y, y);
    const rest = m.fma(m.neg(raised), square.l, m.fma(m.neg(raised), square.h, 1));
    const regular = m.s.and(m.greater(x, 0), m.less(x, Number.POSITIVE_INFINITY));
    const made = m.fma(m.mul(y, 0.5), rest, y);
    const value = m.mul(made, m.select(tiny, 2 ** 24, m.select(huge, 2 ** -24, 1)));
    return m.select(regular, value, y);
  },
  rcp64h: own("rcp.approx.ftz.f64", 64),
  fast_expf: (m, a) => m.op("ex2.approx", m.mul(a, Math.LOG2E)),
  fast_exp10f: (m, a) => m.op("ex2.approx", m.mul(a, Math.log2(10))),
  fast_log2f: (m, a) => m.op("lg2.approx", a),
  fast_logf: (m, a) => m.mul(m.op("lg2.approx", a), Math.LN2),
  fast_log10f: (m, a) => m.mul(m.op("lg2.approx", a), Math.log10(2)),
  fast_sinf: (m, a) => m.op("sin.approx", a),
  fast_cosf: (m, a) => m.op("cos.approx", a),
  fast_tanf: (m, a) => m.op("div.approx", m.op("sin.approx", a), m.op("cos.approx", a)),
  fast_tanhf: own("tanh.approx.f32", 32),
  fast_powf: (m, a, b) => m.op("ex2.approx", m.mul(b!, m.op("lg2.approx", a))),
  fast_fdividef: (m, a, b) => m.op("div.approx", a, b!),
};
