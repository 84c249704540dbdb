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
  // 2^e by the exponent's bits, and 2^-e.
  const exponents = s.and(largest, m.int(m.by<bigint>(0x7f800000n, 0x7ff0000000000000n)));
  const up = s.binary("umin", s.binary("umax", exponents, m.number(2 ** m.by(-100, -1000))), m.number(2 ** m.by(126, 1022)));
  const down = s.sub(m.number(2), s.sub(up, m.number(0.5)));
  const scaled = sizes.map((size) => m.mul(size, down)) as [Node, ...Node[]];
  const root = m.isFloat ? plainRoot(m, scaled, reciprocal) : exactRoot(m, scaled, reciprocal);
  const infinite = m.equal(largest, Number.POSITIVE_INFINITY);
  return m.select(infinite, reciprocal ? 0 : Number.POSITIVE_INFINITY, m.mul(root, reciprocal ? down : up));
}
/** The root of a sum of squares, or its reciprocal, to 2 ulp. */
function plainRoot(m: LibdeviceMath, [first, ...others]: readonly [Node, ...Node[]], reciprocal: boolean): Node {
  const sum = others.reduce((total, other) => m.fma(other, other, total), m.mul(first, first));
  return reciprocal ? m.op("rsqrt.approx", sum) : m.sqrt(sum);
}
/** The same to 1 ulp. */
function exactRoot(m: LibdeviceMath, [first, ...others]: readonly [Node, ...Node[]], reciprocal: boolean): Node {
  let sum: Pair = m.exactProduct(first, first);
  for (const other of others) {
    const square = m.exactProduct(other, other);
    const total = m.exactSum(sum.h, square.h);
    sum = { h: total.h, l: m.add(total.l, m.add(sum.l, square.l)) };
  }
  const y = reciprocalRoot(m, sum);
  const root = m.mul(sum.h, y);
  const corrected = m.fma(m.fma(m.neg(root), root, sum.h), m.mul(y, 0.5), m.fma(m.mul(sum.l, 0.5), y, root));
  return m.select(m.equal(sum.h, 0), reciprocal ? Number.POSITIVE_INFINITY : 0, reciprocal ? y : corrected);
}
/** 1 / sqrt(h + l) by one step of Newton's. */
function reciprocalRoot(m: LibdeviceMath, { h, l }: Pair): Node {
  const y = m.isFloat ? m.op("rsqrt.approx", h) : m.rcp(m.sqrt(h));
  const square = m.exactProduct(y, y);
  const rest = m.fma(m.neg(l), square.h, m.fma(m.neg(h), square.l, m.fma(m.neg(h), square.h, 1)));
  return m.fma(m.mul(y, 0.5), rest, y);
}

/** a^(1/3), or its reciprocal, with the sign of x; zero and infinity are twice themselves, and NaN is not ordered. */
function cubeRoot(m: LibdeviceMath, x: Node, reciprocal: boolean): Node {
  const a = m.abs(x);
  const made = m.isFloat ? cubeRootOfFloat(m, a, reciprocal) : cubeRootOfDouble(m, a, reciprocal);
  const twice = m.add(a, a);
  return m.copysign(m.select(m.compare("equ", twice, a), reciprocal ? m.rcp(twice) : twice, made), x);
}
/** One step of Newton's from 2^(log2 a / 3). */
function cubeRootOfFloat(m: LibdeviceMath, a: Node, reciprocal: boolean): Node {
  const y = m.op("ex2.approx", m.mul(m.op("lg2.approx", a), reciprocal ? -1 / 3 : 1 / 3));
  const square = m.mul(y, y);
  if (reciprocal) return m.fma(m.mul(y, 1 / 3), m.fma(m.neg(square), m.mul(y, a), 1), y);
  return m.fma(m.fma(a, m.make("rcp.approx.ftz.f32", 32, square), m.neg(y)), 1 / 3, y);
}
/** a^(-1/3) by Newton's method from the hardware's functions of f32, times a^2 for the root itself. */
function cubeRootOfDouble(m: LibdeviceMath, a: Node, reciprocal: boolean): Node {
  const { value, shift } = thirdOfExponent(m, a);
  const single = m.as("f32");
  const seed = single.op("ex2.approx", single.mul(single.op("lg2.approx", m.make("cvt.rn.f32.f64", 32, value)), -1 / 3));
  let y = m.make("cvt.f64.f32", 64, seed);
  for (let step = 0; step < 2; step++) {
    const product = m.mul(m.mul(y, y), value);
    y = m.fma(m.mul(y, 1 / 3), m.fma(m.neg(product), y, 1), y);
  }
  // The last step knows what the products lack: a y^2 is the root, a y^3 nearly 1.
  const square = m.exactProduct(y, y);
  const root = m.exactProduct(square.h, value);
  const low = m.fma(square.l, value, root.l);
  const error = m.fma(m.neg(low), y, m.fma(m.neg(root.h), y, 1));
  const made = reciprocal ? m.fma(m.mul(y, 1 / 3), error, y) : m.add(root.h, m.fma(m.mul(root.h, 2 / 3), error, low));
  return m.mul(made, m.powerOfTwo(reciprocal ? m.s.sub(m.int(0, 32), shift) : shift));
}
/** a = 2^(3 shift) value, value in [0.3, 2.9] */
function thirdOfExponent(m: LibdeviceMath, a: Node): { readonly value: Node; readonly shift: Node } {
  const { e, m: mantissa } = m.normalize(a, 0x3fe6a09e667f3bcdn);
  const third = m.nearest(e, 1 / 3);
  const rest = m.make("cvt.rzi.s32.f64", 32, m.fma(third.float, -3, e));
  return { value: m.mul(mantissa, m.powerOfTwo(rest)), shift: third.int };
}
