/**
 * Bessel functions. Below 8 the zeros are factors, so that the error stays relative; beyond it Hankel's expansion with fitted P and Q.
 * Orders above 1 come from recurrences: upwards where that is stable, else downwards (Miller).
 */

import type { Node } from "./graph.js";
import type { Fit, Zeros } from "./libdevice-coefficients.js";
import * as fits from "./libdevice-coefficients.js";
import { exp, log1p, logPair } from "./libdevice-exponential.js";
import type { LibdeviceMath, LibdeviceRule } from "./libdevice-math.js";
import { sinCos } from "./libdevice-trigonometric.js";

export const LIBDEVICE_BESSEL: Readonly<Record<string, LibdeviceRule>> = {
  j0: (m, x) => j(m, 0, x),
  j1: (m, x) => j(m, 1, x),
  y0: (m, x) => y(m, 0, x),
  y1: (m, x) => y(m, 1, x),
  jn: (m, n, x) => jn(m, n, x!),
  yn: (m, n, x) => yn(m, n, x!),
  cyl_bessel_i0: (m, x) => i(m, 0, x),
  cyl_bessel_i1: (m, x) => i(m, 1, x),
};

type Order = 0 | 1;

function j(m: LibdeviceMath, order: Order, x: Node): Node {
  const a = m.abs(x);
  const near = () => {
    const zeros = (order === 0 ? fits.J0_ZEROS : fits.J1_ZEROS)[m.kind].slice(0, 4);
    let value = m.polynomial(m.fma(a, a, -32), order === 0 ? fits.J0 : fits.J1);
    zeros.forEach(([high, low], k) => {
      const factor = k < 2 ? m.mul(distance(m, a, [high, low]), m.add(a, high)) : m.fma(a, a, -high * high);
      value = m.mul(value, factor);
    });
    return order === 0 ? value : m.mul(value, a);
  };
  const made = m.either(m.less(a, 8), near, () => hankel(m, order, a).j);
  return order === 0 ? made : m.s.xor(made, m.s.and(x, m.int(1n << BigInt(m.width - 1))));
}
/** a - zero, the zero given in two parts. */
const distance = (m: LibdeviceMath, a: Node, [high, low]: readonly [number, number]): Node => m.add(m.add(a, -high), -low);

/** J and Y by P cos - Q sin and P sin + Q cos at a - pi/4 (a - 3 pi/4 for order 1), times sqrt(2 / (pi a)). */
function hankel(m: LibdeviceMath, order: Order, a: Node): { readonly j: Node; readonly y: Node } {
  const { sin, cos } = sinCos(m, a);
  const r = m.rcp(a);
  const z = m.mul(r, r);
  const p = m.polynomial(z, order === 0 ? fits.P0 : fits.P1);
  const q = m.mul(m.polynomial(z, order === 0 ? fits.Q0 : fits.Q1), r);
  const sum = m.add(sin, cos);
  const difference = m.sub(sin, cos);
  const [c, s] = order === 0 ? [sum, difference] : [difference, m.neg(sum)];
  const root = m.sqrt(m.mul(r, 1 / Math.PI));
  const infinite = m.equal(a, Number.POSITIVE_INFINITY);
  const times = (value: Node): Node => m.select(infinite, 0, m.mul(value, root));
  return { j: times(m.fma(p, c, m.neg(m.mul(q, s)))), y: times(m.fma(p, s, m.mul(q, c))) };
}

function y(m: LibdeviceMath, order: Order, x: Node): Node {
  const zeros: Zeros = order === 0 ? fits.Y0_ZEROS : fits.Y1_ZEROS;
  const [first, ...others] = zeros[m.kind] as readonly (readonly [number, number])[];
  const small = () => {
    // 2/pi J log(x / zero) + (x^2 - zero^2) s(x^2), for order 1 divided by x; both vanish at the zero.
    const z = m.mul(x, x);
    const d = distance(m, x, first!);
    const log = m.either(
      m.greater(x, first![0] / 2),
      () => log1p(m, m.mul(d, 1 / first![0])),
      () => m.add(logPair(m, x).h, -Math.log(first![0])),
    );
    const [bessel, fit] = order === 0 ? [fits.J0_SMALL, fits.Y0_SMALL] : [fits.J1_SMALL, fits.Y1_SMALL];
    const analytic = m.mul(m.mul(d, m.add(x, first![0])), m.polynomial(z, fit));
    const ordinary = m.mul(m.polynomial(z, bessel), 2 / Math.PI);
    if (order === 0) return m.fma(ordinary, log, analytic);
    return m.fma(m.mul(ordinary, x), log, m.div(analytic, x));
  };
  const middle = () => {
    const [fit, centre, inside]: readonly [Fit, number, number] = order === 0 ? [fits.Y0, 5.2, 2] : [fits.Y1, 5.75, 1];
    let value = m.polynomial(m.add(x, -centre), fit);
    others.forEach((zero, k) => {
      value = m.mul(value, k < inside ? distance(m, x, zero) : m.add(x, -zero[0]));
    });
    return value;
  };
  const value = m.either(m.less(x, order === 0 ? 2.4 : 3.5), small, () => m.either(m.less(x, 8), middle, () => hankel(m, order, x).y));
  return m.select(m.equal(x, 0), Number.NEGATIVE_INFINITY, m.select(m.less(x, 0), m.nan, value));
}

/** Y of any order, upwards from Y0 and Y1; below zero Y(-n) = (-1)^n Y(n) does not matter: CUDA's gives NaN. */
function yn(m: LibdeviceMath, n: Node, x: Node): Node {
  const { s } = m;
  const y0 = y(m, 0, x);
  const y1 = y(m, 1, x);
  const [value] = upwards(m, n, x, y0, y1);
  const isZero = s.icmp("eq", n, m.int(0, 32));
  return m.select(s.icmp("slt", n, m.int(0, 32)), m.nan, m.select(isZero, y0, value!));
}
/** From orders 0 and 1 to n >= 1. */
function upwards(m: LibdeviceMath, n: Node, x: Node, zeroth: Node, first: Node): readonly Node[] {
  const { s } = m;
  const step = m.div(2, x);
  return m.branch(
    s.icmp("sgt", n, m.int(1, 32)),
    () =>
      m.loop([first, zeroth, m.int(1, 32)], (current, before, k) => {
        const factor = m.mul(step, m.make(`cvt.rn.${m.kind}.s32`, m.width, k!));
        const next = m.fma(factor, current!, m.neg(before!));
        // Once infinite it stays so.
        const kept = m.select(m.equal(m.abs(current!), Number.POSITIVE_INFINITY), current!, next);
        const count = s.add(k!, m.int(1, 32));
        return { next: [kept, current!, count], again: s.icmp("slt", count, n) };
      }),
    () => [first, zeroth, n],
  );
}

function jn(m: LibdeviceMath, n: Node, x: Node): Node {
  const { s } = m;
  const a = m.abs(x);
  const [j0, j1] = [j(m, 0, a), j(m, 1, a)];
  const order = m.make(`cvt.rn.${m.kind}.s32`, m.width, n);
  const value = m.either(
    m.compare("gtu", a, order),
    () => upwards(m, n, a, j0, j1)[0]!,
    () => downwards(m, n, order, a, j0, j1),
  );
  const made = m.select(s.icmp("eq", n, m.int(0, 32)), j0, m.select(s.icmp("eq", n, m.int(1, 32)), j1, value));
  const infinite = m.equal(a, Number.POSITIVE_INFINITY);
  const sign = s.and(m.isNegative(x), s.icmp("ne", s.and(n, m.int(1, 32)), m.int(0, 32)));
  const limited = m.select(infinite, 0, made);
  return m.select(s.icmp("slt", n, m.int(0, 32)), m.nan, m.select(sign, m.neg(limited), limited));
}
/** Miller's recurrence from an even order well above n, made whole by the larger of J0 and J1. */
function downwards(m: LibdeviceMath, n: Node, order: Node, a: Node, j0: Node, j1: Node): Node {
  const { s } = m;
  const limited = m.max(a, m.by(1e-18, 1e-140));
  const step = m.div(2, limited);
  const extra = m.make(`cvt.rzi.s32.${m.kind}`, 32, m.sqrt(m.mul(order, m.by(60, 260))));
  const start = s.and(s.add(s.add(n, extra), m.int(m.by(8, 24), 32)), m.int(-2, 32));
  const [big, small] = m.by([2 ** 20, 2 ** -100], [2 ** 500, 2 ** -500]) as [number, number];
  const [current, above, found] = m.loop([m.number(1), m.number(0), m.number(0), start], (value, higher, kept, k) => {
    const factor = m.mul(step, m.make(`cvt.rn.${m.kind}.s32`, m.width, k!));
    const next = m.fma(factor, value!, m.neg(higher!));
    const count = s.sub(k!, m.int(1, 32));
    const taken = m.select(s.icmp("eq", count, n), next, kept!);
    const scale = m.select(m.greater(m.abs(next), big), small, 1);
    return {
      next: [m.mul(next, scale), m.mul(value!, scale), m.mul(taken, scale), count],
      again: s.icmp("sgt", count, m.int(0, 32)),
    };
  }) as [Node, Node, Node, Node];
  const byZeroth = m.greater(m.abs(j0), m.abs(j1));
  return m.mul(m.div(found, m.select(byZeroth, current, above)), m.select(byZeroth, j0, j1));
}

/** The modified function: e^a p(1 / a) / sqrt a beyond 8. */
function i(m: LibdeviceMath, order: Order, x: Node): Node {
  const a = m.abs(x);
  const near = () => {
    const z = m.mul(a, a);
    if (order === 0) return m.fma(z, m.polynomial(z, fits.I0), 1);
    return m.fma(m.mul(a, z), m.polynomial(z, fits.I1), m.mul(a, 0.5));
  };
  const far = () => {
    const r = m.rcp(a);
    const root = m.isFloat ? m.op("rsqrt.approx", a) : m.sqrt(r);
    const p = m.mul(m.polynomial(m.add(r, -0.0625), order === 0 ? fits.I0_FAR : fits.I1_FAR), root);
    // In two halves: e^a overflows before the function does.
    const half = exp(m, m.mul(a, 0.5));
    return m.select(m.equal(a, Number.POSITIVE_INFINITY), a, m.mul(m.mul(half, p), half));
  };
  const made = m.either(m.less(a, 8), near, far);
  return order === 0 ? made : m.copysign(made, x);
}
