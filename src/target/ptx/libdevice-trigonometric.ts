/**
 * Trigonometric functions. Small arguments are reduced by three parts of pi/2 (Cody and Waite), large ones by the bits of 2/pi
 * that matter (Payne and Hanek, SIGNUM 1983).
 */

import type { Node } from "./graph.js";
import { ASIN, ATAN, COS, SIN } from "./libdevice-coefficients.js";
import type { LibdeviceMath, LibdeviceRule } from "./libdevice-math.js";

export const LIBDEVICE_TRIGONOMETRIC: Readonly<Record<string, LibdeviceRule>> = {
  sin: (m, x) => sinCos(m, x).sin,
  cos: (m, x) => sinCos(m, x).cos,
  tan: (m, x) => {
    const { sin, cos } = sinCos(m, x);
    return m.div(sin, cos);
  },
  sinpi: (m, x) => {
    // Whole numbers give a zero of x's sign.
    const { sin } = sinCosPi(m, x);
    return m.select(m.equal(m.round("rzi", x), x), m.mul(x, 0), sin);
  },
  // A zero is positive.
  cospi: (m, x) => m.add(sinCosPi(m, x).cos, 0),
  asin: (m, x) => {
    const { isLarge, value } = asinParts(m, m.abs(x));
    const far = m.add(m.fma(value, -2, HALF_PI[0]), m.by(-4.371139e-8, HALF_PI[1]));
    return m.copysign(m.select(isLarge, far, value), x);
  },
  acos: (m, x) => {
    const { isLarge, value } = asinParts(m, m.abs(x));
    const low = m.by(-4.371139e-8, HALF_PI[1]);
    const twice = m.add(value, value);
    const far = m.select(m.isNegative(x), m.add(m.sub(m.by(Math.fround(Math.PI), Math.PI), m.add(twice, -2 * low)), 0), twice);
    const near = m.sub(HALF_PI[0], m.add(m.copysign(value, x), -low));
    return m.select(isLarge, far, near);
  },
  atan: (m, x) => {
    const a = m.abs(x);
    const isLarge = m.greater(a, 1);
    const value = atanSmall(m, m.select(isLarge, m.by(m.op("rcp.approx", a), m.op("rcp.rn", a)), a));
    return m.copysign(m.select(isLarge, m.sub(HALF_PI[0], m.add(value, -HALF_PI[1])), value), x);
  },
  atan2: (m, y, x) => atan2(m, y, x!),
};

/** pi/2 in two parts; in f32 the second is what the first lacks. */
const HALF_PI = [Math.PI / 2, 6.123233995736766e-17] as const;
/** pi/2 as a sum for exact products with whole numbers. */
const PARTS = {
  f32: [1.5707963705062866, -4.371138828673793e-8, -1.7151245100058819e-15],
  f64: [1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33],
} as const;

/** Sine and cosine of r + n pi/2, |r| <= pi/4; the low bits of n count. `low` is what r lacks, where that matters. */
function rotated(m: LibdeviceMath, r: Node, n: Node, low?: Node): { readonly sin: Node; readonly cos: Node } {
  const { s } = m;
  const z = m.mul(r, r);
  const [cube, cosines] = [m.mul(z, r), m.polynomial(z, COS)];
  const sine = low ? m.add(r, m.fma(cube, m.polynomial(z, SIN), low)) : m.fma(cube, m.polynomial(z, SIN), r);
  const cosine = low ? m.add(m.fma(z, cosines, m.mul(m.neg(low), r)), 1) : m.fma(z, cosines, 1);
  const swap = s.icmp("ne", s.and(n, m.int(1, 32)), m.int(0, 32));
  const sign = (k: Node): Node => {
    const bit = s.shl(s.and(k, m.int(2, 32)), m.int(30, 32));
    return m.isFloat ? bit : s.pack(m.int(0, 32), bit);
  };
  return {
    sin: s.xor(m.select(swap, cosine, sine), sign(n)),
    cos: s.xor(m.select(swap, sine, cosine), sign(s.add(n, m.int(1, 32)))),
  };
}

export function sinCos(m: LibdeviceMath, x: Node): { readonly sin: Node; readonly cos: Node } {
  const a = m.abs(x);
  const isLarge = m.s.and(m.greater(a, m.by(105615, 2 ** 20)), m.less(a, Number.POSITIVE_INFINITY));
  const [r, n] = m.branch(
    isLarge,
    () => payneHanek(m, a),
    () => {
      const q = m.nearest(a, 2 / Math.PI);
      let rest = a;
      for (const part of PARTS[m.kind]) rest = m.fma(q.float, -part, rest);
      return [rest, q.int];
    },
  ) as [Node, Node];
  const { sin, cos } = rotated(m, r, n);
  return { sin: m.s.xor(sin, m.s.and(x, m.int(1n << BigInt(m.width - 1)))), cos };
}

/** x > 0 = r + n pi/2. Two integer bits and the fraction of x 2/pi: the product of x's bits with a window of 2/pi's, as one integer. */
function payneHanek(m: LibdeviceMath, x: Node): readonly Node[] {
  const { s } = m;
  const { width } = m;
  const bits = m.by(5, 6);
  const exponent = m.isFloat ? s.and(s.shr(x, m.int(23)), m.int(255, 32)) : s.and(s.shr(s.high(x), m.int(20, 32)), m.int(2047, 32));
  // The first bit of the window: those before give multiples of 4.
  const start = s.add(exponent, m.int(-m.bias - 1, 32));
  const index = s.shr(start, m.int(bits, 32));
  const offset = s.and(start, m.int(width - 1, 32));
  let words = twoOverPi(width, m.by(7, 20)).map((word) => m.int(word));
  for (let step = m.by(2, 8); step >= 1; step /= 2) {
    const take = s.icmp("ne", s.and(index, m.int(step, 32)), m.int(0, 32));
    words = words.slice(0, 3 + step).map((word, i) => (words[i + step] ? s.select(take, words[i + step]!, word) : word));
  }
  const window = [0, 1, 2].map((i) => {
    const [first, second] = [words[i]!, words[i + 1]!];
    if (m.isFloat) return m.make("shf.l.wrap.b32", 32, second, first, offset);
    const carried = s.shr(s.shr(second, m.int(1, 32)), s.sub(m.int(63, 32), offset));
    return s.or(s.shl(first, offset), carried);
  });
  const mantissa = s.or(s.shl(x, m.int(width - 1 - m.fraction, 32)), m.int(1n << BigInt(width - 1)));
  const high = (a: Node, b: Node) => m.make(`mul.hi.u${width}`, width, a, b);
  const low = high(mantissa, window[2]!);
  const middle = s.add(s.mul(mantissa, window[1]!), low);
  const carry = s.icmp("ult", middle, low);
  const top = s.add(s.add(s.mul(mantissa, window[0]!), high(mantissa, window[1]!)), s.select(carry, m.int(1), m.int(0)));
  // To the nearest whole number: the fraction is signed.
  const quadrant = s.add(s.shr(top, m.int(width - 2, 32)), s.and(s.shr(top, m.int(width - 3, 32)), m.int(1)));
  const fraction = s.or(s.shl(top, m.int(2, 32)), s.shr(middle, m.int(width - 2, 32)));
  const rest = s.shl(middle, m.int(2, 32));
  const sign = s.sar(fraction, m.int(width - 1, 32));
  const [upper, lower] = [s.xor(fraction, sign), s.xor(rest, sign)];
  const zeros = m.make(`clz.b${width}`, 32, upper);
  const shifted = s.or(s.shl(upper, zeros), s.shr(s.shr(lower, m.int(1, 32)), s.sub(m.int(width - 1, 32), zeros)));
  const scale = m.powerOfTwo(s.sub(m.int(-width, 32), zeros));
  const scaled = (bits: Node): Node => m.mul(m.make(`cvt.rn.${m.kind}.u${width}`, width, bits), scale);
  let magnitude: Node;
  if (m.isFloat) magnitude = m.mul(scaled(shifted), Math.PI / 2);
  else {
    // All the bits count: tan needs the angle rounded once.
    const [first, others] = [scaled(s.and(shifted, m.int(-2048))), scaled(s.and(shifted, m.int(2047)))];
    const product = m.exactProduct(first, m.number(HALF_PI[0]));
    magnitude = m.add(product.h, m.fma(others, HALF_PI[0], m.fma(first, HALF_PI[1], product.l)));
  }
  return [m.copysign(magnitude, fraction), m.isFloat ? quadrant : s.trunc(quadrant, 32)];
}
/** A word of zeros, and the first bits of 2/pi. */
function twoOverPi(width: 32 | 64, count: number): bigint[] {
  return Array.from({ length: count }, (_, i) => (i === 0 ? 0n : BigInt(`0x${TWO_OVER_PI.slice(((i - 1) * width) / 4, (i * width) / 4)}`)));
}
const TWO_OVER_PI =
  "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921cfe1d" +
  "eb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b" +
  "5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b" +
  "6bab";

/** x = n/2 + r exactly. */
export function sinCosPi(m: LibdeviceMath, x: Node): { readonly sin: Node; readonly cos: Node } {
  // Large numbers are even; the reduction by 2 is exact.
  const limited = m.select(m.greater(m.abs(x), m.by(2 ** 24, 2 ** 53)), m.mul(x, 0), x);
  const turns = m.round("rni", m.mul(limited, 0.5));
  const rest = m.fma(turns, -2, limited);
  const n = m.nearest(rest, 2);
  const r = m.fma(n.float, -0.5, rest);
  const pi = m.constantPair(Math.PI, 1.2246467991473532e-16);
  const angle = m.exactProduct(r, pi.h);
  return rotated(m, angle.h, n.int, m.fma(r, pi.l, angle.l));
}

/** asin of x in [0, 1]; above 0.5 the asin of sqrt((1 - x) / 2), of which pi/2 lacks twice. */
function asinParts(m: LibdeviceMath, x: Node): { readonly isLarge: Node; readonly value: Node } {
  const isLarge = m.greater(x, 0.5);
  const rest = m.fma(x, -0.5, 0.5);
  const z = m.select(isLarge, rest, m.mul(x, x));
  const t = m.select(isLarge, m.sqrt(rest), x);
  return { isLarge, value: m.fma(m.mul(t, z), m.polynomial(z, ASIN), t) };
}
function atanSmall(m: LibdeviceMath, x: Node): Node {
  const z = m.mul(x, x);
  return m.fma(m.mul(x, z), m.polynomial(z, ATAN), x);
}
function atan2(m: LibdeviceMath, y: Node, x: Node): Node {
  const { s } = m;
  const [a, b] = [m.abs(y), m.abs(x)];
  const [large, small] = [m.max(a, b), m.min(a, b)];
  const same = s.or(m.equal(large, 0), m.equal(small, Number.POSITIVE_INFINITY));
  const ratio = m.select(same, m.select(m.equal(large, 0), 0, 1), m.div(small, large));
  const value = atanSmall(m, ratio);
  const steep = m.select(m.greater(a, b), m.sub(HALF_PI[0], m.add(value, -HALF_PI[1])), value);
  const turned = m.select(
    m.isNegative(x),
    m.sub(m.by(Math.fround(Math.PI), Math.PI), m.add(steep, m.by(8.742278e-8, -1.2246467991473532e-16))),
    steep,
  );
  return m.select(m.isNan(x, y), m.add(x, y), m.copysign(turned, y));
}
