/**
 * Exponentials, logarithms, powers, hyperbolic functions and their inverses. Arguments are reduced by Cody and Waite's method
 * ("Software Manual for the Elementary Functions"); logarithms and powers that need more bits than a float has are pairs.
 */

import { type Node, valueOf } from "./graph.js";
import { ATANH, ATANH_TAIL, EXP, LOG1P, SINH, TANH } from "./libdevice-coefficients.js";
import type { LibdeviceMath, LibdeviceRule, Pair } from "./libdevice-math.js";

const LN2_LOW = 2.3190468138462996e-17;

export const LIBDEVICE_EXPONENTIAL: Readonly<Record<string, LibdeviceRule>> = {
  exp: (m, x) => exp(m, x),
  exp2: (m, x) => (m.isFloat ? m.op("ex2.approx", x) : scaledExp(m, x, { perStep: 1, step: [1, 0], rate: Math.LN2 })),
  exp10: (m, x) => scaledExp(m, x, { perStep: Math.log2(10), step: [Math.log10(2), -2.8037281277851704e-18], rate: Math.LN10 }),
  expm1: (m, x) => expm1(m, x),
  log: (m, x) => (m.isFloat ? shortLog(m, x, 1) : logLimits(m, x, logPair(m, x).h)),
  log2: (m, x) => (m.isFloat ? shortLog(m, x, Math.LOG2E) : scaledLog(m, x, [Math.LOG2E, 2.0355273740931033e-17], [1, 0])),
  log10: (m, x) =>
    m.isFloat
      ? shortLog(m, x, Math.LOG10E)
      : scaledLog(m, x, [Math.LOG10E, 1.098319650216765e-17], [0.3010299955494702, 1.1451100898021838e-10]),
  log1p: (m, x) => log1p(m, x),
  pow: (m, x, y) => pow(m, x, y!),
  powi: (m, x, n) => fewFactors(m, x, valueOf(n)) ?? pow(m, x, m.make(`cvt.rn.${m.kind}.s32`, m.width, n!)),
  sinh: (m, x) => sinh(m, x),
  cosh: (m, x) => {
    const half = exp(m, m.abs(x), { scale: -1 });
    return m.fma(m.rcp(half), 0.25, half);
  },
  tanh: (m, x) => tanh(m, x),
  asinh: (m, x) => {
    // log1p(a + a^2 / (1 + sqrt(1 + a^2))); where a^2 might overflow, log a + log 2.
    const a = m.abs(x);
    const large = m.greater(a, m.by(2 ** 60, 2 ** 500));
    const a2 = m.mul(a, a);
    const sum = m.add(m.sqrt(m.add(a2, 1)), 1);
    const value = log1p(m, m.select(large, a, m.add(a, m.div(a2, sum))));
    return m.copysign(m.select(large, m.add(value, Math.LN2), value), x);
  },
  acosh: (m, x) => {
    // log1p(t + sqrt(2t + t^2)), t = x - 1
    const t = m.add(x, -1);
    const large = m.greater(t, m.by(2 ** 60, 2 ** 500));
    const value = log1p(m, m.select(large, t, m.add(t, m.sqrt(m.fma(t, t, m.add(t, t))))));
    return m.select(large, m.add(value, Math.LN2), value);
  },
  atanh: (m, x) => {
    const a = m.abs(x);
    return m.copysign(m.mul(log1p(m, m.div(m.add(a, a), m.sub(1, a))), 0.5), x);
  },
};

/** x^n by squaring, which libdevice does for every n, where that keeps the bound on its error. */
function fewFactors(m: LibdeviceMath, x: Node, n: bigint | undefined): Node | undefined {
  if (n === undefined || n < 0n || n > 4n) return undefined;
  if (n < 2n) return n === 0n ? m.number(1) : x;
  const square = m.mul(x, x);
  return n === 2n ? square : m.mul(n === 3n ? x : square, square);
}

/** e^x for x as it is or with a low part, times 2^scale (0 or -1). */
export function exp(m: LibdeviceMath, x: Node, { low, scale = 0 }: { readonly low?: Node; readonly scale?: number } = {}): Node {
  return scaledExp(m, x, { perStep: Math.LOG2E, step: [Math.LN2, LN2_LOW], rate: 1, low, scale });
}

interface Exponential {
  /** 1 / step */
  readonly perStep: number;
  /** The difference in x that doubles the result, in two parts. */
  readonly step: readonly [number, number];
  /** log 2 / step */
  readonly rate: number;
  readonly low?: Node | undefined;
  readonly scale?: number;
}

/** 2^(x / step): x = n step + r with |r| <= step / 2. In f32 ex2 does the rest, in f64 a polynomial. */
function scaledExp(m: LibdeviceMath, x: Node, { perStep, step, rate, low, scale = 0 }: Exponential): Node {
  if (m.isFloat) {
    // The product in two parts; n is limited, and what is left then makes infinity or zero.
    const high = Math.fround(perStep);
    const magic = 12582912 + 127 + scale;
    const sum = m.add(m.clamp(m.mul(x, high), -126 - scale, 126 - scale), magic);
    const n = m.add(sum, -magic);
    let r = m.fma(x, perStep - high, m.fma(x, high, m.neg(n)));
    if (low) r = m.fma(low, perStep, r);
    return m.mul(m.op("ex2.approx", r), m.s.shl(sum, m.int(23)));
  }
  const clamped = m.clamp(x, -1080 * step[0], 1030 * step[0]);
  const n = m.nearest(clamped, perStep);
  let r = m.fma(n.float, -step[0], clamped);
  if (step[1] !== 0) r = m.fma(n.float, -step[1], r);
  if (low) r = m.add(r, low);
  if (rate !== 1) r = m.mul(r, rate);
  const p = m.add(m.fma(m.mul(r, r), m.polynomial(r, EXP), r), 1);
  const made = m.timesPowerOfTwo(p, m.s.add(n.int, m.int(scale, 32)));
  return m.select(m.isNan(x), x, made);
}

/** e^x - 1 = 2^n (e^r - 1) + (2^n - 1), with n one less so that the power does not overflow. */
function expm1(m: LibdeviceMath, x: Node): Node {
  const clamped = m.clamp(x, m.by(-30, -50), m.by(89, 710));
  const n = m.nearest(clamped, Math.LOG2E);
  const [high, low] = m.by([0.693145751953125, 1.4286068203094173e-6], [Math.LN2, LN2_LOW]) as [number, number];
  const r = m.fma(n.float, -low, m.fma(n.float, -high, clamped));
  const p = m.fma(m.mul(r, r), m.polynomial(r, EXP), r);
  const shift = m.by(m.s.shl(n.int, m.int(23, 32)), n.int);
  const power = m.isFloat
    ? m.s.add(shift, m.int(126 << 23))
    : m.s.pack(m.int(0, 32), m.s.shl(m.s.add(n.int, m.int(1022, 32)), m.int(20, 32)));
  const half = m.fma(power, p, m.add(power, -0.5));
  const isSpecial = m.compare("equ", x, 0);
  return m.select(isSpecial, x, m.add(half, half));
}

// --- logarithms ---------------------------------------------------------------------------------------

/** f32: x = 2^e m with m in [2/3, 4/3]: e log 2 + log1p(m - 1), times `scale`. */
function shortLog(m: LibdeviceMath, x: Node, scale: number): Node {
  const { e, m: mantissa } = m.normalize(x, 0x3f2aaaab);
  const r = shortLog1p(m, m.add(mantissa, -1));
  const made = scale === 1 ? m.fma(e, Math.LN2, r) : m.fma(r, scale, m.mul(e, Math.LN2 * scale));
  return logLimits(m, x, made);
}
const shortLog1p = (m: LibdeviceMath, f: Node): Node => m.fma(m.mul(f, f), m.polynomial(f, LOG1P), f);

/** -infinity at 0, NaN below, infinity and NaN as they are. */
function logLimits(m: LibdeviceMath, x: Node, made: Node): Node {
  // The bits of infinity, NaN and what has a sign are the largest. x * infinity + infinity is infinity for infinity, else NaN.
  const { s } = m;
  const regular = s.icmp("ult", m.isFloat ? x : s.high(x), m.int(m.by(0x7f800000, 0x7ff00000), 32));
  const odd = m.fma(x, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  return m.select(m.equal(x, 0), Number.NEGATIVE_INFINITY, m.select(regular, made, odd));
}

const SQRT_HALF = { f32: 0x3f3504f3, f64: 0x3fe6a09e667f3bcdn } as const;
/** LN2 with room for the exponent, and the rest. */
const LN2_SPLIT = { f32: [0.693145751953125, 1.4286068203094173e-6], f64: [0.6931471803691238, 1.9082149292705877e-10] } as const;

/** log x as a pair; `precise` to twice the bits, nearly, else some 6 more than one. */
export function logPair(m: LibdeviceMath, x: Node, precise = false): Pair {
  const { e, m: mantissa } = m.normalize(x, SQRT_HALF[m.kind]);
  return logOf(m, e, m.add(mantissa, -1), undefined, precise);
}

/** e log 2 + log(1 + f + low) by 2 atanh(f / (2 + f)). */
function logOf(m: LibdeviceMath, e: Node, f: Node, low: Node | undefined, precise: boolean): Pair {
  const g = m.fastSum(m.number(2), f);
  const gl = low ? m.add(g.l, low) : g.l;
  const r = m.rcp(g.h);
  const sh = m.mul(f, r);
  let rest = m.fma(m.neg(sh), gl, m.fma(m.neg(sh), g.h, f));
  if (low) rest = m.add(rest, low);
  const s: Pair = { h: sh, l: m.mul(rest, r) };
  const twice: Pair = { h: m.add(s.h, s.h), l: m.add(s.l, s.l) };
  const z = m.mul(s.h, s.h);
  let fraction: Pair;
  if (precise) {
    // 2/3 s^3 in a pair as well.
    const square = m.exactProduct(s.h, s.h);
    const squareLow = m.fma(twice.h, s.l, square.l);
    const third = m.constantPair(2 / 3, 3.700743415417188e-17);
    const p = m.fastSum(third.h, m.fma(z, m.polynomial(z, ATANH_TAIL), third.l));
    const cube = m.pairTimes(s, m.pairTimes({ h: square.h, l: squareLow }, p));
    const sum = m.fastSum(twice.h, cube.h);
    fraction = { h: sum.h, l: m.add(sum.l, m.add(cube.l, twice.l)) };
  } else fraction = { h: twice.h, l: m.fma(m.mul(s.h, z), m.polynomial(z, ATANH), twice.l) };
  const [high, rest2] = LN2_SPLIT[m.kind];
  const sum = m.fastSum(m.mul(e, high), fraction.h);
  return m.fastSum(sum.h, m.add(sum.l, m.fma(e, rest2, fraction.l)));
}

/** f64: log x times `scale` = e `step` + log m `scale`, constants in two parts. */
function scaledLog(m: LibdeviceMath, x: Node, scale: readonly [number, number], step: readonly [number, number]): Node {
  const { e, m: mantissa } = m.normalize(x, SQRT_HALF[m.kind]);
  const r = logOf(m, m.number(0), m.add(mantissa, -1), undefined, false);
  const product = m.pairTimes(r, { h: m.number(scale[0]), l: m.number(scale[1]) });
  const sum = m.fastSum(m.mul(e, step[0]), product.h);
  return logLimits(m, x, m.add(sum.h, m.add(sum.l, m.fma(e, step[1], product.l))));
}

/** log(1 + x), what 1 + x loses kept beside it. */
export function log1p(m: LibdeviceMath, x: Node): Node {
  const u = m.exactSum(m.number(1), x);
  const { e, m: mantissa, exponentBits } = m.normalize(u.h, m.by<number | bigint>(0x3f2aaaab, SQRT_HALF.f64));
  // 2^-e; where it is not normal, nothing was lost.
  const scale = m.s.binary("smax", m.s.sub(m.number(1), exponentBits), m.int(0));
  const low = m.mul(u.l, scale);
  let made: Node;
  if (m.isFloat) {
    const f = m.add(m.add(mantissa, -1), low);
    made = m.fma(e, Math.LN2, shortLog1p(m, f));
  } else {
    const f = m.fastSum(m.add(mantissa, -1), low);
    made = logOf(m, e, f.h, f.l, false).h;
  }
  const limited = m.select(m.less(x, Number.POSITIVE_INFINITY), made, m.add(x, x));
  const below = m.select(m.compare("ltu", x, -1), m.nan, m.select(m.equal(x, -1), Number.NEGATIVE_INFINITY, limited));
  // Zeros keep their sign.
  return m.select(m.equal(x, 0), x, below);
}

// --- powers -------------------------------------------------------------------------------------------

/** |x|^y = e^(y log |x|), the logarithm and the product pairs; signs and limits as C's pow. */
function pow(m: LibdeviceMath, x: Node, y: Node): Node {
  const { s } = m;
  const a = m.abs(x);
  const log = logPair(m, a, true);
  // Beyond these the result is infinity or zero.
  const limited = m.clamp(y, m.by(-1e20, -1e200), m.by(1e20, 1e200));
  const power = expOf(m, m.pairTimes(log, { h: limited, l: m.number(0) }));

  const whole = m.round("rzi", y);
  const isWhole = m.equal(whole, y);
  const half = m.mul(y, 0.5);
  const isOdd = s.and(isWhole, m.compare("neu", m.round("rzi", half), half));
  const yNegative = m.less(y, 0);
  // 0 and infinity: to a positive power themselves, to a negative one each other.
  const xZero = m.equal(a, 0);
  const xInfinite = m.equal(a, Number.POSITIVE_INFINITY);
  const limit = m.select(s.xor(xInfinite, yNegative), Number.POSITIVE_INFINITY, 0);
  const yInfinite = m.equal(m.abs(y), Number.POSITIVE_INFINITY);
  const isUnit = m.equal(a, 1);
  const yLimit = m.select(isUnit, 1, m.select(s.xor(m.greater(a, 1), yNegative), Number.POSITIVE_INFINITY, 0));
  const magnitude = m.select(yInfinite, yLimit, m.select(s.or(xZero, xInfinite), limit, power));
  const signed = m.select(s.and(m.isNegative(x), isOdd), m.neg(magnitude), magnitude);
  const invalid = s.and(s.and(m.less(x, 0), s.not(isWhole)), s.and(s.not(xInfinite), s.not(yInfinite)));
  const isOne = s.or(m.equal(x, 1), m.equal(y, 0));
  return m.select(isOne, 1, m.select(s.or(m.isNan(x, y), invalid), m.nan, signed));
}
/** e^(h + l); what is infinite has no low part. */
export function expOf(m: LibdeviceMath, { h, l }: Pair): Node {
  const limited = m.clamp(h, m.by(-200, -2000), m.by(200, 2000));
  return exp(m, limited, { low: m.select(m.equal(limited, h), l, 0) });
}

// --- hyperbolic functions --------------------------------------------------------------------------------

/** x + x^3 p(x^2) */
const odd = (m: LibdeviceMath, x: Node, fit: typeof SINH): Node => {
  const z = m.mul(x, x);
  return m.fma(m.mul(x, z), m.polynomial(z, fit), x);
};
function sinh(m: LibdeviceMath, x: Node): Node {
  const a = m.abs(x);
  const half = exp(m, a, { scale: -1 });
  const far = m.fma(m.rcp(half), -0.25, half);
  return m.select(m.less(a, 1), odd(m, x, SINH), m.copysign(far, x));
}
/** 1 - 2 / (e^(2|x|) + 1) above 0.56. */
function tanh(m: LibdeviceMath, x: Node): Node {
  const a = m.abs(x);
  const e = m.isFloat ? m.op("ex2.approx", m.mul(a, 2 * Math.LOG2E)) : exp(m, m.add(a, a));
  const far = m.fma(m.rcp(m.add(e, 1)), -2, 1);
  return m.copysign(m.select(m.less(a, 0.56), odd(m, a, TANH), far), x);
}
