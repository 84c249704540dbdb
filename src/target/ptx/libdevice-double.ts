/** Functions of double. Series are Taylor's, long enough for the reduced ranges that the comments name. */
import type { Node } from "./graph.js";
import type { LibdeviceMath, LibdeviceRule } from "./libdevice-math.js";

const D = "f64";
const unary =
  (compute: (m: LibdeviceMath, x: Node) => Node): LibdeviceRule =>
  (m, [x]) =>
    compute(m, x!);

export const LIBDEVICE_DOUBLE: Readonly<Record<string, LibdeviceRule>> = {
  exp: unary((m, x) => exp(m, x)),
  exp2: unary((m, x) => {
    const n = m.make("cvt.rni.f64.f64", 64, clamp(m, x, 1100));
    return finish(m, x, m.mul(D, m.f.sub(D, clamp(m, x, 1100), n), m.number(Math.LN2)), n);
  }),
  log: unary((m, x) => log(m, x, 1)),
  log2: unary((m, x) => log(m, x, Math.LOG2E)),
  log10: unary((m, x) => log(m, x, Math.LOG10E)),
  sin: unary((m, x) => trigonometric(m, x).sin),
  cos: unary((m, x) => trigonometric(m, x).cos),
};

const clamp = (m: LibdeviceMath, x: Node, limit: number): Node =>
  m.f.extremum("min", D, false, m.f.extremum("max", D, false, x, m.number(-limit)), m.number(limit));
const factorials = (from: number, count: number): number[] => {
  const made: number[] = [];
  for (let k = 0, f = 1; made.length < count; f *= ++k) if (k >= from) made.push(1 / f);
  return made;
};

/** x = n log 2 + r with |r| <= 0.35 */
function exp(m: LibdeviceMath, x: Node): Node {
  const c = clamp(m, x, 760);
  const n = m.make("cvt.rni.f64.f64", 64, m.mul(D, c, m.number(Math.LOG2E)));
  const r = m.fma(D, n, m.number(-2.3190468138462996e-17), m.fma(D, n, m.number(-Math.LN2), c));
  return finish(m, x, r, n);
}
/** e^r 2^n; a NaN stays one. */
function finish(m: LibdeviceMath, x: Node, r: Node, n: Node): Node {
  const { s } = m;
  const power = m.polynomial(D, r, factorials(0, 14));
  const whole = m.make("cvt.rzi.s64.f64", 64, n);
  const half = s.sar(whole, s.constant(64, 1));
  const bits = (e: Node) => s.shl(s.add(e, s.constant(64, 1023)), s.constant(64, 52));
  const made = m.mul(D, m.mul(D, power, bits(half)), bits(s.sub(whole, half)));
  return s.select(m.f.compare("uno", D, x, x), x, made);
}
/** x = 2^e m with m in [sqrt(1/2), sqrt 2]; log m = 2 atanh((m - 1) / (m + 1)). */
function log(m: LibdeviceMath, x: Node, scale: number): Node {
  const { s, f } = m;
  const tiny = m.less(D, x, 2.2250738585072014e-308);
  const normal = s.select(tiny, m.mul(D, x, m.number(2 ** 54)), x);
  const exponent = s.and(s.sub(normal, s.constant(64, 0x3fe6a09e667f3bcdn)), s.constant(64, -0x10000000000000n));
  const mantissa = s.sub(normal, exponent);
  const e = m.add(D, m.make("cvt.rn.f64.s64", 64, s.sar(exponent, s.constant(64, 52))), s.select(tiny, m.number(-54), m.number(0)));
  const g = f.sub(D, mantissa, m.number(1));
  const t = m.make("div.rn.f64", 64, g, m.add(D, mantissa, m.number(1)));
  const t2 = m.mul(D, t, t);
  // 2 atanh t = g - t (g - 2 t^2 (1/3 + t^2/5 ...)): the rounding of t matters little.
  const series = m.mul(
    D,
    t2,
    m.polynomial(
      D,
      t2,
      Array.from({ length: 11 }, (_, k) => 2 / (2 * k + 3)),
    ),
  );
  const r = f.sub(D, g, m.mul(D, t, f.sub(D, g, series)));
  const natural = m.fma(D, e, m.number(Math.LN2), m.fma(D, e, m.number(2.3190468138462996e-17), r));
  const made = scale === 1 ? natural : m.mul(D, natural, m.number(scale));
  const zero = f.compare("oeq", D, x, m.number(0));
  const positive = f.compare("ogt", D, x, m.number(0));
  const finite = m.less(D, x, Number.POSITIVE_INFINITY);
  const odd = s.select(positive, x, m.number(Number.NaN));
  return s.select(zero, m.number(Number.NEGATIVE_INFINITY), s.select(s.and(positive, finite), made, odd));
}
/** x = q pi/2 + r by three parts of pi/2. */
function trigonometric(m: LibdeviceMath, x: Node): { readonly sin: Node; readonly cos: Node } {
  const { s } = m;
  const q = m.make("cvt.rni.f64.f64", 64, m.mul(D, x, m.number(2 / Math.PI)));
  let r = x;
  for (const part of [Math.PI / 2, 6.123233995736766e-17, -1.4973849048591833e-33]) r = m.fma(D, q, m.number(-part), r);
  const quadrant = s.trunc(m.make("cvt.rzi.s64.f64", 64, q), 32);
  const r2 = m.mul(D, r, r);
  const signed = (start: number) =>
    factorials(0, 20)
      .filter((_, k) => k % 2 === start)
      .map((c, k) => (k % 2 === 0 ? c : -c));
  const sine = m.fma(D, m.mul(D, r, r2), m.polynomial(D, r2, signed(1).slice(1, 9)), r);
  const cosine = m.polynomial(D, r2, signed(0).slice(0, 9));
  const swap = s.icmp("ne", s.and(quadrant, s.constant(32, 1)), s.constant(32, 0));
  const sign = (n: Node): Node => s.shl(s.zext(s.and(n, s.constant(32, 2)), 64), s.constant(64, 62));
  return {
    sin: s.xor(s.select(swap, cosine, sine), sign(quadrant)),
    cos: s.xor(s.select(swap, sine, cosine), sign(s.add(quadrant, s.constant(32, 1)))),
  };
}
