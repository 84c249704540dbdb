/** The gamma function and its logarithm: Stirling's series with a fitted correction for large arguments. */

import type { Node } from "./graph.js";
import { GAMMA, LGAMMA_0, LGAMMA_1, LGAMMA_2, LGAMMA_3, STIRLING } from "./libdevice-coefficients.js";
import { expOf, logPair } from "./libdevice-exponential.js";
import type { LibdeviceMath, LibdeviceRule, Pair } from "./libdevice-math.js";
import { sinCosPi } from "./libdevice-trigonometric.js";

export const LIBDEVICE_GAMMA: Readonly<Record<string, LibdeviceRule>> = { lgamma, tgamma };

const HALF_LOG_2PI = 0.9189385332046728;

function lgamma(m: LibdeviceMath, x: Node): Node {
  const a = m.abs(x);
  const positive = lgammaPositive(m, a);
  // log(pi / |x sin(pi x)|) - lgamma |x|
  const reflected = () => {
    const sine = m.abs(sinCosPi(m, x).sin);
    const tiny = m.less(a, 2 ** -m.by(30, 60));
    const pole = m.select(tiny, a, m.mul(m.mul(a, sine), 1 / Math.PI));
    const log = logPair(m, pole);
    const made = m.neg(m.add(m.add(log.h, m.select(tiny, 0, positive)), log.l));
    return m.select(m.equal(m.round("rzi", x), x), m.infinity, made);
  };
  const value = m.either(m.less(x, 0), reflected, () => positive);
  const isOdd = m.s.or(m.isNan(x), m.equal(a, Number.POSITIVE_INFINITY));
  return m.select(isOdd, m.mul(x, x), m.select(m.equal(x, 0), m.infinity, value));
}
function lgammaPositive(m: LibdeviceMath, a: Node): Node {
  const below = () => {
    const log = m.select(m.equal(a, 0), 0, logPair(m, a).h);
    return m.fma(a, m.polynomial(a, LGAMMA_0), m.neg(log));
  };
  const around = (zero: number, fit: typeof LGAMMA_1) => () => {
    const t = m.add(a, -zero);
    return m.fma(t, m.polynomial(t, fit), 0);
  };
  return m.either(
    m.less(a, 3),
    () => m.either(m.less(a, 1.5), () => m.either(m.less(a, 0.7), below, around(1, LGAMMA_1)), around(2, LGAMMA_2)),
    () =>
      m.either(
        m.less(a, 8),
        () => m.polynomial(m.add(a, -5.5), LGAMMA_3),
        () => {
          // (a - 1/2) (log a - 1) + log(2 pi) / 2 - 1/2 + p(1 / a^2) / a
          const log = logPair(m, a);
          const less = m.add(m.add(log.h, -1), log.l);
          const r = m.rcp(a);
          const rest = m.fma(m.polynomial(m.mul(r, r), STIRLING), r, HALF_LOG_2PI - 0.5);
          return m.fma(m.add(a, -0.5), less, rest);
        },
      ),
  );
}

/** Below 8 the argument is raised; what that multiplies by is divided out again. */
function tgamma(m: LibdeviceMath, x: Node): Node {
  const a = m.abs(x);
  const one: Pair = { h: m.number(1), l: m.number(0) };
  const [argument, low, high, rest] = m.branch(
    m.less(a, 8),
    () =>
      m.loop([a, m.number(0), one.h, one.l], (value, valueLow, h, l) => {
        const product = m.pairTimes({ h: h!, l: l! }, { h: value!, l: valueLow! });
        const next = m.exactSum(value!, m.number(1));
        const sum = m.fastSum(next.h, m.add(next.l, valueLow!));
        return { next: [sum.h, sum.l, product.h, product.l], again: m.less(sum.h, 8) };
      }),
    () => [m.min(a, m.by(50, 200)), m.number(0), one.h, one.l],
  ) as [Node, Node, Node, Node];
  // e^((a - 1/2) (log a - 1) - 1/2), (1 + p(1/a) / a) and sqrt(2 pi)
  const log = logPair(m, argument, true);
  const less = m.exactSum(log.h, m.number(-1));
  const reduced = m.fastSum(m.add(argument, -0.5), low);
  const exponent = m.pairTimes(reduced, m.fastSum(less.h, m.add(less.l, log.l)));
  // The change of the logarithm term for the low part of the argument.
  const r = m.rcp(argument);
  const slope = m.fma(m.mul(low, -0.5), r, low);
  const sum = m.exactSum(exponent.h, m.number(-0.5));
  // In two halves: the power overflows before the function does.
  const total: Pair = m.fastSum(sum.h, m.add(m.add(sum.l, exponent.l), slope));
  const half = expOf(m, { h: m.mul(total.h, 0.5), l: m.mul(total.l, 0.5) });
  const correction = m.fma(m.mul(r, 2.5066282746310002), m.polynomial(r, GAMMA), 2.5066282746310002);
  const scaled = m.mul(half, correction);
  const whole = m.mul(scaled, half);
  const inverse = m.rcp(high);
  const quotient = m.mul(whole, inverse);
  // The remainder is divided too: that of the product's low part included.
  const left = m.fma(m.neg(quotient), rest, m.fma(m.neg(quotient), high, whole));
  const positive = m.fma(left, inverse, quotient);
  // pi / (a sin(pi x) gamma a)
  const reflected = () => {
    const sine = sinCosPi(m, x).sin;
    const product = m.mul(m.mul(m.mul(a, sine), half), correction);
    const made = m.mul(m.div(m.div(Math.PI, product), half), m.add(high, rest));
    const tiny = m.less(a, m.by(2 ** -60, 2 ** -600));
    const isWhole = m.equal(m.round("rzi", x), x);
    return m.select(tiny, m.rcp(x), m.select(isWhole, m.nan, made));
  };
  const value = m.either(m.less(x, 0), reflected, () => positive);
  // Beyond the last argument whose value is finite.
  const limited = m.select(m.greater(x, m.by(35.040096282958984, 171.6243769563027)), m.infinity, value);
  return m.select(m.isNan(x), x, m.select(m.equal(x, 0), m.copysign(m.infinity, x), limited));
}
