/** Roots and norms. */

import type { Node } from "./graph.js";
import type { LibdeviceMath, LibdeviceRule, Pair } from "./libdevice-math.js";

export const LIBDEVICE_ROOTS: Readonly<Record<string, LibdeviceRule>> = {
  sqrt: (m, x) => m.sqrt(x),
  rsqrt: (m, x) => (m.isFloat ? m.op("rsqrt.approx", x) : m.rcp(m.sqrt(x))),
  cbrt: (m, x) => cubeRoot(m, x, false),
  rcbrt: (m, x) => cubeRoot(m, x, true),
  hypot: (m, ...args) => norm(m, args, false),
  rhypot: (m, ...args) => norm(m, args, true),
  norm3d: (m, ...args) => norm(m, args, false),
  rnorm3d: (m, ...args) => norm(m, args, true),
  norm4d: (m, ...args) => norm(m, args, false),
  rnorm4d: (m, ...args) => norm(m, args, true),
};

/** The length of a vector, or its reciprocal, scaled by a power of two so that no square overflows or vanishes. */
function norm(m: LibdeviceMath, args: readonly Node[], reciprocal: boolean): Node {
  const { s } = m;
  const sizes = args.map((arg) => m.abs(arg));
  const largest = sizes.reduce((a, b) => m.max(a, b));
  // 2^-e by the exponent's bits, and 2^e.
  const exponents = s.and(largest, m.int(m.by<bigint>(0x7f800000n, 0x7ff0000000000000n)));
  const limited = s.binary("umin", s.binary("umax", exponents, m.number(2 ** m.by(-100, -1000))), m.number(2 ** m.by(126, 1022)));
  const down = s.sub(m.number(2), s.sub(limited, m.number(0.5)));
  const [first, ...others] = sizes.map((size) => m.mul(size, down)) as [Node, ...Node[]];
  let sum: Pair = m.exactProduct(first, first);
  for (const other of others) {
    const square = m.exactProduct(other, other);
    const total = m.exactSum(sum.h, square.h);
    sum = { h: total.h, l: m.add(total.l, m.add(sum.l, square.l)) };
  }
  const y = reciprocalRoot(m, sum);
  const root = m.mul(sum.h, y);
  const corrected = m.fma(m.fma(m.neg(root), root, sum.h), m.mul(y, 0.5), m.fma(m.mul(sum.l, 0.5), y, root));
  const infinite = m.equal(largest, Number.POSITIVE_INFINITY);
  const unordered = sizes.map((size) => m.isNan(size)).reduce((a, b) => s.or(a, b));
  const zero = m.equal(largest, 0);
  const value = reciprocal ? m.mul(y, down) : m.div(corrected, down);
  const [atZero, atInfinity] = reciprocal ? [Number.POSITIVE_INFINITY, 0] : [0, Number.POSITIVE_INFINITY];
  return m.select(infinite, atInfinity, m.select(unordered, m.nan, m.select(zero, atZero, value)));
}
/** 1 / sqrt(h + l) by one step of Newton's. */
function reciprocalRoot(m: LibdeviceMath, { h, l }: Pair): Node {
  const y = m.isFloat ? m.op("rsqrt.approx", h) : m.rcp(m.sqrt(h));
  const square = m.exactProduct(y, y);
  const rest = m.fma(m.neg(l), square.h, m.fma(m.neg(h), square.l, m.fma(m.neg(h), square.h, 1)));
  return m.fma(m.mul(y, 0.5), rest, y);
}

/** x^(-1/3) by Newton's method from 2^(-log2 m / 3), times x^2 for the root itself. */
function cubeRoot(m: LibdeviceMath, x: Node, reciprocal: boolean): Node {
  const a = m.abs(x);
  // In f64 a = 2^(3k) m, for the hardware's functions are of f32.
  const { value, shift } = m.isFloat ? { value: a, shift: undefined } : thirdOfExponent(m, a);
  const single = m.as("f32");
  const narrow = m.isFloat ? value : m.make("cvt.rn.f32.f64", 32, value);
  const seed = single.op("ex2.approx", single.mul(single.op("lg2.approx", narrow), -1 / 3));
  let y = m.isFloat ? seed : m.make("cvt.f64.f32", 64, seed);
  for (let step = 0; step < m.by(1, 2); step++) {
    const product = m.mul(m.mul(y, y), value);
    y = m.fma(m.mul(y, 1 / 3), m.fma(m.neg(product), y, 1), y);
  }
  // The last step knows what the products lack: a y^2 is the root, a y^3 nearly 1.
  const square = m.exactProduct(y, y);
  const root = m.exactProduct(square.h, value);
  const low = m.fma(square.l, value, root.l);
  const error = m.fma(m.neg(low), y, m.fma(m.neg(root.h), y, 1));
  let made = reciprocal ? m.fma(m.mul(y, 1 / 3), error, y) : m.add(root.h, m.fma(m.mul(root.h, 2 / 3), error, low));
  if (shift) made = m.mul(made, m.powerOfTwo(reciprocal ? m.s.sub(m.int(0, 32), shift) : shift));
  const regular = m.s.and(m.greater(a, 0), m.less(a, Number.POSITIVE_INFINITY));
  return m.copysign(m.select(regular, made, reciprocal ? m.op("rcp.rn", a) : a), x);
}
/** a = 2^(3 shift) value, value in [0.3, 2.9] */
function thirdOfExponent(m: LibdeviceMath, a: Node): { readonly value: Node; readonly shift: Node } {
  const { e, m: mantissa } = m.normalize(a, 0x3fe6a09e667f3bcdn);
  const third = m.nearest(e, 1 / 3);
  const rest = m.make("cvt.rzi.s32.f64", 32, m.fma(third.float, -3, e));
  return { value: m.mul(mantissa, m.powerOfTwo(rest)), shift: third.int };
}
