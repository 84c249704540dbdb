/** The error function, its relatives and their inverses. */

import type { Node } from "./graph.js";
import { ERF, ERF_FAR, ERFCX, ERFINV, ERFINV_FAR, ERFINV_FARTHEST, ERFINV_TAIL } from "./libdevice-coefficients.js";
import { exp, expOf, log1p, logPair } from "./libdevice-exponential.js";
import type { LibdeviceMath, LibdeviceRule, Pair } from "./libdevice-math.js";

export const LIBDEVICE_ERROR: Readonly<Record<string, LibdeviceRule>> = {
  erf: (m, x) => {
    const a = m.abs(x);
    const near = m.mul(x, m.polynomial(m.mul(x, x), ERF));
    const limited = m.min(a, m.by(4, 6));
    const complement = m.isFloat
      ? m.op("ex2.approx", m.polynomial(m.add(limited, -2.5), ERF_FAR))
      : tail(m, limited, m.exactProduct(limited, limited));
    const far = m.sub(1, complement);
    const made = m.select(m.less(a, 1), near, m.copysign(far, x));
    return m.select(m.isNan(x), x, made);
  },
  erfc: (m, x) => {
    const a = m.min(m.abs(x), m.by(12, 28));
    return complement(m, x, tail(m, a, m.exactProduct(a, a)), 2);
  },
  erfcx: (m, x) => {
    const a = m.abs(x);
    const square = m.exactProduct(a, a);
    // 1 / (a sqrt pi) for large a.
    const large = m.by(1e10, 1e20);
    const value = m.select(m.less(a, large), scaledTail(m, m.min(a, large)), m.div(0.5641895835477563, a));
    // 2 e^(x^2) - erfcx |x|
    const grown = expOf(m, square);
    const below = m.add(grown, m.sub(grown, value));
    return m.select(m.isNan(x), x, m.select(m.less(x, 0), below, value));
  },
  normcdf: (m, x) => {
    // erfc(-x / sqrt 2) / 2, with the square of the argument x^2 / 2 exactly.
    const a = m.min(m.abs(x), m.by(17, 40));
    const square = m.exactProduct(a, m.mul(a, 0.5));
    return complement(m, m.neg(x), m.mul(tail(m, m.mul(a, Math.SQRT1_2), square), 0.5), 1);
  },
  erfinv: (m, x) => inverse(m, x, m.fma(m.neg(x), x, 1)),
  erfcinv: (m, x) => erfcinv(m, x),
  normcdfinv: (m, x) => m.fma(erfcinv(m, m.add(x, x)), -Math.SQRT2, 0),
};

/** Extends a tail function to negative arguments: `whole` minus the tail there, the tail itself for positive ones. */
function complement(m: LibdeviceMath, x: Node, value: Node, whole: number): Node {
  return m.select(m.isNan(x), x, m.select(m.less(x, 0), m.sub(whole, value), value));
}
/** erfc a = erfcx a e^(-a^2) for a >= 0, the square given as a pair. */
function tail(m: LibdeviceMath, a: Node, square: Pair): Node {
  return m.mul(scaledTail(m, a), exp(m, m.neg(square.h), { low: m.neg(square.l) }));
}
/** erfcx a for a >= 0 that is not large: a polynomial in (a - k) / (a + k), over 1 + 2a. */
function scaledTail(m: LibdeviceMath, a: Node): Node {
  const inverse = (x: Node) => (m.isFloat ? m.make("rcp.approx.ftz.f32", 32, x) : m.rcp(x));
  // As 2a / (a + k) - 1, which is exact where a is small.
  const t = m.fma(m.add(a, a), inverse(m.add(a, m.by(2, 4))), -1);
  const p = m.polynomial(t, ERFCX);
  return m.isFloat ? m.mul(p, inverse(m.fma(a, 2, 1))) : m.div(p, m.fma(a, 2, 1));
}

/** The inverse at y = 1 - x, by y (2 - y) = 1 - x^2, without cancellation. */
function erfcinv(m: LibdeviceMath, y: Node): Node {
  return inverse(m, m.sub(1, y), m.mul(y, m.sub(2, y)));
}
/** erfinv x, `product` being 1 - x^2: in w = -log of it below 6.25, else in 1 / sqrt w (after Giles, "GPU Computing Gems"). */
function inverse(m: LibdeviceMath, x: Node, product: Node): Node {
  // Near zero what counts is the absolute error of the logarithm.
  const log = m.isFloat
    ? m.mul(m.op("lg2.approx", product), Math.LN2)
    : m.either(
        m.less(m.abs(x), 0.5),
        () => log1p(m, m.mul(m.neg(x), x)),
        () => logPair(m, product).h,
      );
  const w = m.neg(log);
  const far = () => {
    const root = m.sqrt(w);
    const u = m.rcp(root);
    if (m.isFloat) return m.mul(m.polynomial(m.add(u, -0.25), ERFINV_TAIL), root);
    const p = m.either(
      m.greater(u, 0.25),
      () => m.polynomial(m.add(u, -0.325), ERFINV_TAIL),
      () =>
        m.either(
          m.greater(u, 0.125),
          () => m.polynomial(m.add(u, -0.1875), ERFINV_FAR),
          () => m.polynomial(m.add(u, -0.078125), ERFINV_FARTHEST),
        ),
    );
    return m.mul(p, root);
  };
  const p = m.either(m.less(w, 6.25), () => m.polynomial(m.add(w, -3.125), ERFINV), far);
  const made = m.mul(p, x);
  // At the ends infinity, beyond them NaN: as the logarithm of f32 has it.
  if (m.isFloat) return made;
  const end = m.select(m.equal(product, 0), m.copysign(m.infinity, x), m.nan);
  return m.select(m.greater(product, 0), made, end);
}
