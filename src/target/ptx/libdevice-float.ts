/** Functions of float. Polynomials are minimax fits of our own, over the reduced ranges that the comments name. */
import type { Node } from "./graph.js";
import type { LibdeviceMath, LibdeviceRule } from "./libdevice-math.js";

const F = "f32";
const unary =
  (compute: (m: LibdeviceMath, x: Node) => Node): LibdeviceRule =>
  (m, [x]) =>
    compute(m, x!);
const binary =
  (compute: (m: LibdeviceMath, x: Node, y: Node) => Node): LibdeviceRule =>
  (m, [x, y]) =>
    compute(m, x!, y!);

export const LIBDEVICE_FLOAT: Readonly<Record<string, LibdeviceRule>> = {
  exp2f: unary((m, x) => m.make(`ex2.approx.${m.ftz}f32`, 32, x)),
  expf: unary(exp),
  exp10f: unary((m, x) => scaledExp(m, x, 3.321928094887362, 0.3010299956639812, Math.LN10)),
  expm1f: unary(expm1),
  logf: unary((m, x) => log(m, x, 1)),
  log2f: unary((m, x) => log(m, x, Math.LOG2E)),
  log10f: unary((m, x) => log(m, x, Math.LOG10E)),
  log1pf: unary(log1p),
  powf: binary(pow),
  sinf: unary((m, x) => trigonometric(m, x).sin),
  cosf: unary((m, x) => trigonometric(m, x).cos),
  tanf: unary((m, x) => {
    const { sin, cos } = trigonometric(m, x);
    return m.make("div.rn.f32", 32, sin, cos);
  }),
  asinf: unary((m, x) => m.f.copysign(F, asin(m, m.f.abs(F, x)), x)),
  acosf: unary(acos),
  atanf: unary((m, x) => m.f.copysign(F, atan(m, m.f.abs(F, x)), x)),
  atan2f: binary(atan2),
  sinhf: unary(sinh),
  coshf: unary((m, x) => {
    const e = m.mul(F, exp(m, m.f.sub(F, m.f.abs(F, x), m.number(Math.LN2, F))), m.number(1, F));
    return m.add(F, e, m.make("div.rn.f32", 32, m.number(0.25, F), e));
  }),
  tanhf: unary(tanh),
  erff: unary(erf),
  cbrtf: unary((m, x) => {
    // 2^(log2|x| / 3), and one step of Newton's.
    const a = m.f.abs(F, x);
    const y = m.make(`ex2.approx.${m.ftz}f32`, 32, m.mul(F, m.make(`lg2.approx.${m.ftz}f32`, 32, a), m.number(1 / 3, F)));
    const y2 = m.mul(F, y, y);
    const step = m.make("div.rn.f32", 32, m.fma(F, m.f.negate(F, y2), y, a), m.mul(F, y2, m.number(3, F)));
    const exact = m.f.compare("oeq", F, a, m.number(0, F));
    const special = m.s.or(exact, m.make("testp.infinite.f32", 1, a));
    return m.f.copysign(F, m.s.select(special, a, m.add(F, y, step)), x);
  }),
  hypotf: binary((m, x, y) => {
    const [a, b] = [m.f.abs(F, x), m.f.abs(F, y)];
    const [large, small] = [m.f.extremum("max", F, false, a, b), m.f.extremum("min", F, false, a, b)];
    const ratio = m.make("div.rn.f32", 32, small, large);
    const made = m.mul(F, large, m.make("sqrt.rn.f32", 32, m.fma(F, ratio, ratio, m.number(1, F))));
    const plain = m.s.or(m.f.compare("oeq", F, large, m.number(0, F)), m.make("testp.infinite.f32", 1, large));
    return m.s.select(plain, large, made);
  }),
};

/** exp x = 2^(x log2 e), the product in two parts. */
function exp(m: LibdeviceMath, x: Node): Node {
  return scaledExp(m, x, Math.LOG2E, Math.LN2, 1);
}
/** e^(scale x): x = n step + r, e^(scale r) by ex2, 2^n by the exponent (in two halves, so that neither overflows). */
function scaledExp(m: LibdeviceMath, x: Node, perStep: number, step: number, scale: number): Node {
  const clamped = m.f.extremum("min", F, false, m.f.extremum("max", F, false, x, m.number(-105 / scale, F)), m.number(105 / scale, F));
  const n = m.make("cvt.rni.f32.f32", 32, m.mul(F, clamped, m.number(perStep, F)));
  const high = Math.fround(step);
  const r = m.fma(F, n, m.number(-(step - high), F), m.fma(F, n, m.number(-high, F), clamped));
  const power = m.make(`ex2.approx.${m.ftz}f32`, 32, m.mul(F, r, m.number(perStep, F)));
  const isNan = m.f.compare("uno", F, x, x);
  return m.s.select(isNan, x, timesPowerOfTwo(m, power, m.make("cvt.rzi.s32.f32", 32, n)));
}
/** x 2^n for |n| up to 252. */
function timesPowerOfTwo(m: LibdeviceMath, x: Node, n: Node): Node {
  const half = m.s.sar(n, m.s.constant(32, 1));
  const bits = (e: Node) => m.s.shl(m.s.add(e, m.s.constant(32, 127)), m.s.constant(32, 23));
  return m.mul(F, m.mul(F, x, bits(half)), bits(m.s.sub(n, half)));
}
/** For |x| <= 0.35 x + x^2 q(x); elsewhere exp x - 1 with the exponent's part subtracted exactly. */
function expm1(m: LibdeviceMath, x: Node): Node {
  const clamped = m.f.extremum("min", F, false, m.f.extremum("max", F, false, x, m.number(-30, F)), m.number(90, F));
  const n = m.make("cvt.rni.f32.f32", 32, m.mul(F, clamped, m.number(Math.LOG2E, F)));
  const high = Math.fround(Math.LN2);
  const r = m.fma(F, n, m.number(high - Math.LN2, F), m.fma(F, n, m.number(-high, F), clamped));
  const q = m.polynomial(F, r, [0.5000000049, 0.1666666682, 0.04166634203, 0.008333271758, 0.001394204794, 0.0001991500993]);
  const p = m.fma(F, m.mul(F, r, r), q, r);
  const whole = m.make("cvt.rzi.s32.f32", 32, n);
  // 2^n p + (2^n - 1)
  const power = timesPowerOfTwo(m, m.number(1, F), whole);
  const made = m.fma(F, power, p, m.f.sub(F, power, m.number(1, F)));
  const special = m.s.or(m.f.compare("uno", F, x, x), m.f.compare("oeq", F, x, m.number(0, F)));
  const large = m.f.compare("ogt", F, x, m.number(88.8, F));
  return m.s.select(special, x, m.s.select(large, m.number(Number.POSITIVE_INFINITY, F), made));
}

const LOG1P = [
  -0.500000019, 0.3333333817, -0.2499964898, 0.1999941785, -0.1668430498, 0.1430886525, -0.1214466765, 0.1071029561, -0.1303500779,
  0.121609951,
];
/** x = 2^e m with m in [2/3, 4/3]: e log 2 + log1p(m - 1), times `scale`. */
function log(m: LibdeviceMath, x: Node, scale: number): Node {
  const { s } = m;
  const tiny = m.less(F, x, 1.17549435e-38);
  const normal = s.select(tiny, m.mul(F, x, m.number(8388608, F)), x);
  const exponent = s.and(s.sub(normal, s.constant(32, 0x3f2aaaab)), s.constant(32, 0xff800000 | 0));
  const mantissa = s.sub(normal, exponent);
  const bias = s.select(tiny, m.number(-23, F), m.number(0, F));
  const e = m.fma(F, m.make("cvt.rn.f32.s32", 32, exponent), m.number(1 / 8388608, F), bias);
  const f = m.f.sub(F, mantissa, m.number(1, F));
  const r = m.fma(F, m.mul(F, f, f), m.polynomial(F, f, LOG1P), f);
  const made =
    scale === 1 ? m.fma(F, e, m.number(Math.LN2, F), r) : m.fma(F, r, m.number(scale, F), m.mul(F, e, m.number(Math.LN2 * scale, F)));
  return logLimits(m, x, made);
}
/** -infinity at 0, NaN below, infinity and NaN as they are. */
function logLimits(m: LibdeviceMath, x: Node, made: Node): Node {
  const { s } = m;
  const zero = m.f.compare("oeq", F, x, m.number(0, F));
  const positive = m.f.compare("ogt", F, x, m.number(0, F));
  const finite = m.less(F, x, Number.POSITIVE_INFINITY);
  // x + x is NaN or infinity for what is neither; below zero NaN.
  const odd = s.select(positive, x, m.number(Number.NaN, F));
  return s.select(zero, m.number(Number.NEGATIVE_INFINITY, F), s.select(s.and(positive, finite), made, odd));
}
/** log(1 + x) with 1 + x rounded, corrected by what the rounding lost. */
function log1p(m: LibdeviceMath, x: Node): Node {
  const u = m.add(F, x, m.number(1, F));
  const lost = m.f.sub(F, x, m.f.sub(F, u, m.number(1, F)));
  const made = m.add(F, log(m, u, 1), m.make("div.rn.f32", 32, lost, u));
  const small = m.less(F, m.f.abs(F, x), 0.25);
  const near = m.fma(F, m.mul(F, x, x), m.polynomial(F, x, LOG1P), x);
  const infinite = m.f.compare("oge", F, x, m.number(Number.POSITIVE_INFINITY, F));
  const minusOne = m.f.compare("oeq", F, x, m.number(-1, F));
  return m.s.select(small, near, m.s.select(infinite, x, m.s.select(minusOne, m.number(Number.NEGATIVE_INFINITY, F), made)));
}

/** |x|^y = 2^(y log2 |x|) with the logarithm and the product in double; signs and limits as C's pow. */
function pow(m: LibdeviceMath, x: Node, y: Node): Node {
  const { s, f } = m;
  const a = f.abs(F, x);
  const D = "f64";
  const wide = f.convert(F, D, a);
  // log2 of the mantissa by atanh's series: m in [sqrt(1/2), sqrt 2], t = (m - 1) / (m + 1).
  const exponent = s.and(s.sub(wide, s.constant(64, 0x3fe6a09e667f3bcdn)), s.constant(64, -0x10000000000000n));
  const mantissa = s.sub(wide, exponent);
  const e = m.make("cvt.rn.f64.s64", 64, s.sar(exponent, s.constant(64, 52)));
  const one = m.number(1, D);
  const t = m.make("div.rn.f64", 64, f.sub(D, mantissa, one), m.add(D, mantissa, one));
  const t2 = m.mul(D, t, t);
  const series = m.polynomial(
    D,
    t2,
    [0, 1, 2, 3, 4, 5, 6].map((k) => 2 / (2 * k + 1) / Math.LN2),
  );
  const product = m.mul(D, f.convert(F, D, y), m.fma(D, series, t, e));
  const clamped = f.extremum("min", D, false, f.extremum("max", D, false, product, m.number(-200, D)), m.number(200, D));
  const n = m.make("cvt.rni.f64.f64", 64, clamped);
  const r = f.convert(D, F, f.sub(D, clamped, n));
  const power = timesPowerOfTwo(m, m.make("ex2.approx.f32", 32, r), m.make("cvt.rzi.s32.f64", 32, n));

  const whole = m.make("cvt.rzi.f32.f32", 32, y);
  const isWhole = f.compare("oeq", F, whole, y);
  const half = m.mul(F, y, m.number(0.5, F));
  const isOdd = s.and(isWhole, f.compare("une", F, m.make("cvt.rzi.f32.f32", 32, half), half));
  const negative = s.icmp("slt", x, s.constant(32, 0));
  const zero = m.number(0, F);
  const yNegative = f.compare("olt", F, y, zero);
  const infinity = m.number(Number.POSITIVE_INFINITY, F);
  // 0 and infinity: to a positive power themselves, to a negative one each other.
  const xZero = f.compare("oeq", F, a, zero);
  const xInfinite = f.compare("oeq", F, a, infinity);
  const limit = s.select(s.xor(xInfinite, yNegative), infinity, zero);
  const yInfinite = f.compare("oeq", F, f.abs(F, y), infinity);
  const above = f.compare("ogt", F, a, m.number(1, F));
  const yLimit = s.select(f.compare("oeq", F, a, m.number(1, F)), m.number(1, F), s.select(s.xor(above, yNegative), infinity, zero));
  const magnitude = s.select(yInfinite, yLimit, s.select(s.or(xZero, xInfinite), limit, power));
  const signed = s.select(s.and(negative, isOdd), f.negate(F, magnitude), magnitude);
  const invalid = s.and(s.and(f.compare("olt", F, x, zero), s.not(isWhole)), s.and(s.not(xInfinite), s.not(yInfinite)));
  const isNan = s.or(f.compare("uno", F, x, y), invalid);
  const isOne = s.or(f.compare("oeq", F, x, m.number(1, F)), f.compare("oeq", F, y, zero));
  return s.select(isOne, m.number(1, F), s.select(isNan, m.number(Number.NaN, F), signed));
}

/** x = q pi/2 + r: in float where 2 steps of pi/2 suffice, in double beyond. */
function trigonometric(m: LibdeviceMath, x: Node): { readonly sin: Node; readonly cos: Node } {
  const { s, f } = m;
  const D = "f64";
  const wide = f.convert(F, D, x);
  const q = m.make("cvt.rni.f64.f64", 64, m.mul(D, wide, m.number(2 / Math.PI, D)));
  const high = Math.PI / 2;
  const rest = m.fma(D, q, m.number(-6.123233995736766e-17, D), m.fma(D, q, m.number(-high, D), wide));
  const r = f.convert(D, F, rest);
  const quadrant = s.trunc(m.make("cvt.rzi.s64.f64", 64, q), 32);
  const r2 = m.mul(F, r, r);
  const sine = m.fma(F, m.mul(F, r2, r), m.polynomial(F, r2, [-0.1666666666, 0.008333331871, -0.0001984008417, 2.724955921e-6]), r);
  const cosine = m.polynomial(F, r2, [1, -0.5, 0.04166666667, -0.001388888694, 2.480020965e-5, -2.725664396e-7]);
  const swap = s.icmp("ne", s.and(quadrant, s.constant(32, 1)), s.constant(32, 0));
  const sign = (n: Node): Node => s.shl(s.and(n, s.constant(32, 2)), s.constant(32, 30));
  return {
    sin: s.xor(s.select(swap, cosine, sine), sign(quadrant)),
    cos: s.xor(s.select(swap, sine, cosine), sign(s.add(quadrant, s.constant(32, 1)))),
  };
}

const ASIN = [0.166666301, 0.07502150763, 0.04422486708, 0.03405567302, 0.006616380914, 0.04761661235];
const HALF_PI = Math.PI / 2;
/** asin of x in [0, 1]: above 0.5625 pi/2 - 2 asin(sqrt((1 - x) / 2)). */
function asin(m: LibdeviceMath, x: Node): Node {
  const { large, value } = asinParts(m, x);
  return m.s.select(large, m.fma(F, value, m.number(-2, F), m.number(HALF_PI, F)), value);
}
function asinParts(m: LibdeviceMath, x: Node): { readonly large: Node; readonly value: Node } {
  const large = m.f.compare("ogt", F, x, m.number(0.5625, F));
  const rest = m.fma(F, x, m.number(-0.5, F), m.number(0.5, F));
  const z = m.s.select(large, rest, m.mul(F, x, x));
  const t = m.s.select(large, m.make("sqrt.rn.f32", 32, rest), x);
  return { large, value: m.fma(F, m.mul(F, t, z), m.polynomial(F, z, ASIN), t) };
}
function acos(m: LibdeviceMath, x: Node): Node {
  const { large, value } = asinParts(m, m.f.abs(F, x));
  const negative = m.s.icmp("slt", x, m.s.constant(32, 0));
  const twice = m.add(F, value, value);
  const far = m.s.select(negative, m.f.sub(F, m.number(Math.PI, F), twice), twice);
  const near = m.f.sub(F, m.number(HALF_PI, F), m.f.copysign(F, value, x));
  return m.s.select(large, far, near);
}
const ATAN = [
  -0.333333323, 0.1999984646, -0.1428193521, 0.1107108337, -0.08856700746, 0.06840882993, -0.046036295, 0.02364872672, -0.007825574906,
  0.001212861213,
];
function atanSmall(m: LibdeviceMath, x: Node): Node {
  const z = m.mul(F, x, x);
  return m.fma(F, m.mul(F, x, z), m.polynomial(F, z, ATAN), x);
}
/** atan of x >= 0: above 1 pi/2 - atan(1/x). */
function atan(m: LibdeviceMath, x: Node): Node {
  const large = m.f.compare("ogt", F, x, m.number(1, F));
  const value = atanSmall(m, m.s.select(large, m.make("rcp.rn.f32", 32, x), x));
  return m.s.select(large, m.f.sub(F, m.number(HALF_PI, F), value), value);
}
function atan2(m: LibdeviceMath, y: Node, x: Node): Node {
  const { s, f } = m;
  const [a, b] = [f.abs(F, y), f.abs(F, x)];
  const [large, small] = [f.extremum("max", F, false, a, b), f.extremum("min", F, false, a, b)];
  const zero = m.number(0, F);
  const both = f.compare("oeq", F, small, m.number(Number.POSITIVE_INFINITY, F));
  const ratio = s.select(f.compare("oeq", F, large, zero), zero, s.select(both, m.number(1, F), m.make("div.rn.f32", 32, small, large)));
  const value = atanSmall(m, ratio);
  const steep = s.select(f.compare("ogt", F, a, b), f.sub(F, m.number(HALF_PI, F), value), value);
  const turned = s.select(s.icmp("slt", x, s.constant(32, 0)), f.sub(F, m.number(Math.PI, F), steep), steep);
  return s.select(f.compare("uno", F, x, y), m.add(F, x, y), f.copysign(F, turned, y));
}
function sinh(m: LibdeviceMath, x: Node): Node {
  const a = m.f.abs(F, x);
  const z = m.mul(F, x, x);
  const near = m.fma(F, m.mul(F, x, z), m.polynomial(F, z, [0.1666666649, 0.008333350598, 0.0001983606631, 2.817439323e-6]), x);
  const e = exp(m, m.f.sub(F, a, m.number(Math.LN2, F)));
  const far = m.f.sub(F, e, m.make("div.rn.f32", 32, m.number(0.25, F), e));
  return m.s.select(m.less(F, a, 1), near, m.f.copysign(F, far, x));
}
/** 1 - 2 / (e^(2|x|) + 1) above 0.6. */
function tanh(m: LibdeviceMath, x: Node): Node {
  const a = m.f.abs(F, x);
  const e = m.make(`ex2.approx.${m.ftz}f32`, 32, m.mul(F, a, m.number(2.8853900817779268, F)));
  const far = m.fma(F, m.make(`rcp.approx.${m.ftz}f32`, 32, m.add(F, e, m.number(1, F))), m.number(-2, F), m.number(1, F));
  const z = m.mul(F, x, x);
  const p = [-0.3333333178, 0.1333324778, -0.05395247372, 0.02173442877, -0.008267062034, 0.00223103622];
  const near = m.fma(F, m.mul(F, x, z), m.polynomial(F, z, p), x);
  return m.f.copysign(F, m.s.select(m.less(F, a, 0.6), near, far), x);
}
/** x p(x^2) up to 1; 1 - e^q(x) above. */
function erf(m: LibdeviceMath, x: Node): Node {
  const a = m.f.abs(F, x);
  const near = m.mul(
    F,
    x,
    m.polynomial(
      F,
      m.mul(F, x, x),
      [1.128379167, -0.3761263849, 0.1128378278, -0.02686544676, 0.005221074993, -0.00084846749, 0.0001127001267, -9.677909533e-6],
    ),
  );
  const t = m.f.extremum("min", F, false, a, m.number(3.95, F));
  const q = m.polynomial(
    F,
    t,
    [
      0.0003157662676, -1.130221157, -0.6318381251, -0.1100766043, 0.0264233377, -0.00476173836, 0.0005975341859, -4.617445552e-5,
      1.644457605e-6,
    ],
  );
  const far = m.f.sub(F, m.number(1, F), m.make(`ex2.approx.${m.ftz}f32`, 32, m.mul(F, q, m.number(Math.LOG2E, F))));
  const made = m.s.select(m.less(F, a, 1), near, m.f.copysign(F, far, x));
  return m.s.select(m.f.compare("uno", F, x, x), x, made);
}
