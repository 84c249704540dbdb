/** The special functions of libdevice in double, by series, continued fractions and recurrences: slow, and good to some 1e-14. */
import { fmaF64 } from "../numbers/rounded-arithmetic.js";

const ROOT_PI = Math.sqrt(Math.PI);

/** e^(sign x^2), the square's low part included. */
function expSquare(x: number, sign: 1 | -1): number {
  const square = x * x;
  if (square > 800) return sign > 0 ? Number.POSITIVE_INFINITY : 0;
  return Math.exp(sign * square) * (1 + sign * fmaF64(x, x, -square));
}
function erfSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; n < 200 && Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
    term *= (-x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / ROOT_PI) * sum;
}
/** e^(x^2) erfc(x) for x >= 1, by its continued fraction. */
function scaledTail(x: number): number {
  let fraction = x;
  for (let k = Math.ceil(30 + 300 / (x * x)); k > 0; k--) fraction = x + k / 2 / fraction;
  return 1 / (ROOT_PI * fraction);
}
export function erf(x: number): number {
  if (Math.abs(x) < 1) return erfSeries(x);
  return x < 0 ? -erf(-x) : x > 6 ? 1 : 1 - scaledTail(x) * expSquare(x, -1);
}
export function erfc(x: number): number {
  if (x < 1) return x < -1 ? 2 - erfc(-x) : 1 - erfSeries(x);
  return x > 40 ? 0 : scaledTail(x) * expSquare(x, -1);
}
export function erfcx(x: number): number {
  if (x < 1) return x < -27 ? Number.POSITIVE_INFINITY : expSquare(x, 1) * erfc(x);
  return scaledTail(x);
}
/** Halley's steps from Winitzki's approximation. */
export function erfcinv(y: number): number {
  if (!(y >= 0 && y <= 2)) return Number.NaN;
  if (y > 1) return -erfcinv(2 - y);
  if (y === 0) return Number.POSITIVE_INFINITY;
  if (y > 0.5) return erfinv(1 - y);
  const log = Math.log(y * (2 - y));
  const half = 2 / (Math.PI * 0.147) + log / 2;
  let x = Math.sqrt(Math.sqrt(half * half - log / 0.147) - half);
  for (let step = 0; step < 4; step++) {
    // log erfc x - log y, so that far tails converge as well
    const tail = scaledOrDirect(x);
    const error = Math.log(tail) - x * x - Math.log(y);
    x += (error * tail * ROOT_PI) / 2;
  }
  return x;
}
/** erfcx of x >= 0. */
const scaledOrDirect = (x: number): number => (x < 1 ? erfcx(x) : scaledTail(x));
export function erfinv(x: number): number {
  if (Math.abs(x) > 0.5) return x < 0 ? -erfcinv(1 + x) : erfcinv(1 - x);
  let y = (x * ROOT_PI) / 2;
  for (let step = 0; step < 6; step++) y -= ((erfSeries(y) - x) * ROOT_PI * expSquare(y, 1)) / 2;
  return x === 0 ? x : y;
}

/** Lanczos' approximation. */
export function lgamma(x: number): number {
  if (x <= 0 && Number.isInteger(x)) return Number.POSITIVE_INFINITY;
  if (!Number.isFinite(x)) return x * x;
  if (x < 0) return Math.log(Math.PI / Math.abs(x * sinpi(x))) - lgamma(-x);
  if (x < 0.5) return lgamma(1 + x) - Math.log(x);
  if (x === 1 || x === 2) return 0;
  if (x > 1e8) return x * (Math.log(x) - 1);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(lanczos(x));
}
const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905, -0.13857109526572012,
  9.984369578019572e-6, 1.5056327351493116e-7,
];
const lanczos = (x: number): number => LANCZOS.reduce((total, c, i) => total + c / (x + i), 0.9999999999998099);
export function tgamma(x: number): number {
  if (x === 0) return 1 / x;
  if (x < 0 && (Number.isInteger(x) || x === Number.NEGATIVE_INFINITY)) return Number.NaN;
  if (x < 0.5) return x < -200 ? 0 : Math.PI / (sinpi(x) * tgamma(1 - x));
  if (x > 172) return Number.POSITIVE_INFINITY;
  const t = x + 6.5;
  const power = t ** (x / 2 - 0.25);
  return Math.sqrt(2 * Math.PI) * power * Math.exp(-t) * power * lanczos(x);
}

/** sin(pi x), x reduced exactly first. */
export function sinpi(x: number): number {
  const r = x % 2;
  if (Number.isInteger(r)) return r === 0 ? r * 0 : x > 0 ? 0 : -0;
  const n = Math.round(2 * r);
  const angle = Math.PI * (r - n / 2);
  return [Math.sin(angle), Math.cos(angle), -Math.sin(angle), -Math.cos(angle)][n & 3]!;
}
export const cospi = (x: number): number => (Math.abs(x % 1) === 0.5 ? 0 : sinpi(0.5 + Math.abs(x % 2)));

/** J of orders 0 to `last`, downwards from far above (Miller), made whole by J0 + 2 (J2 + J4 + ...) = 1. */
function besselOrders(last: number, x: number): Float64Array {
  const start = 2 * Math.ceil((Math.max(last, x) + 30 + 10 * Math.cbrt(Math.max(last, x))) / 2);
  const values = new Float64Array(start + 2);
  values[start] = 1e-300;
  let sum = 0;
  for (let k = start; k > 0; k--) {
    values[k - 1] = ((2 * k) / x) * values[k]! - values[k + 1]!;
    if (Math.abs(values[k - 1]!) > 1e150) {
      for (let i = k - 1; i <= start; i++) values[i]! *= 1e-300;
      sum *= 1e-300;
    }
    if ((k - 1) % 2 === 0 && k > 1) sum += 2 * values[k - 1]!;
  }
  const scale = 1 / (sum + values[0]!);
  return values.map((value) => value * scale);
}
/** Hankel's expansion for large x: J and Y. */
function hankel(n: number, x: number): readonly [number, number] {
  let [p, q, term] = [0, 0, 1];
  for (let k = 0; k < 60; k++) {
    if (k % 2 === 0) p += k % 4 === 0 ? term : -term;
    else q += k % 4 === 1 ? term : -term;
    const next = (term * (4 * n * n - (2 * k + 1) ** 2)) / ((k + 1) * 8 * x);
    if (Math.abs(next) > Math.abs(term) && k > n) break;
    term = next;
    if (term === 0) break;
  }
  // The angle x - (2n + 1) pi/4 by sums, so that x is reduced as a whole.
  const [s, c] = [Math.sin(x), Math.cos(x)];
  const [cos, sin] = [
    [(c + s) * Math.SQRT1_2, (s - c) * Math.SQRT1_2],
    [(s - c) * Math.SQRT1_2, -(s + c) * Math.SQRT1_2],
    [-(c + s) * Math.SQRT1_2, (c - s) * Math.SQRT1_2],
    [(c - s) * Math.SQRT1_2, (s + c) * Math.SQRT1_2],
  ][n % 4] as [number, number];
  const root = Math.sqrt(2 / (Math.PI * x));
  return [root * (p * cos - q * sin), root * (p * sin + q * cos)];
}
export function besselJ(n: number, x: number): number {
  if (n < 0 || Number.isNaN(x)) return Number.NaN;
  if (x < 0) return n % 2 === 0 ? besselJ(n, -x) : -besselJ(n, -x);
  if (x === 0) return n === 0 ? 1 : x;
  if (x === Number.POSITIVE_INFINITY) return 0;
  if (x > 30 + (n * n) / 2) return hankel(n, x)[0];
  if (x < 1e-8) return (x / 2) ** n / tgamma(n + 1);
  return besselOrders(n, x)[n]!;
}
/** Neumann's series for orders 0 and 1 (Abramowitz and Stegun 9.1.88), upwards from there. */
export function besselY(n: number, x: number): number {
  if (n < 0 || !(x >= 0)) return Number.NaN;
  if (x === 0) return Number.NEGATIVE_INFINITY;
  if (x === Number.POSITIVE_INFINITY) return 0;
  let [before, current] = x > 30 ? [hankel(0, x)[1], hankel(1, x)[1]] : neumann(x);
  if (n === 0) return before;
  for (let k = 1; k < n && current !== Number.NEGATIVE_INFINITY; k++) [before, current] = [current, ((2 * k) / x) * current - before];
  return current;
}
function neumann(x: number): [number, number] {
  const log = Math.log(x / 2) + 0.5772156649015329;
  if (x < 1e-8) return [(2 / Math.PI) * log, -2 / (Math.PI * x)];
  const j = besselOrders(60, x);
  let [zeroth, first] = [log * j[0]!, (log - 1) * j[1]! - j[0]! / x];
  for (let k = 1; k < 29; k++) {
    const sign = k % 2 === 0 ? -2 : 2;
    zeroth += (sign * j[2 * k]!) / k;
    first += ((sign / 2) * (2 * k + 1) * j[2 * k + 1]!) / (k * (k + 1));
  }
  return [(2 / Math.PI) * zeroth, (2 / Math.PI) * first];
}
/** The modified function of order 0 or 1, whose terms are all positive. */
export function besselI(n: number, x: number): number {
  if (Math.abs(x) > 720) return n === 0 ? Math.abs(x) * Number.POSITIVE_INFINITY : x * Number.POSITIVE_INFINITY;
  let term = n === 0 ? 1 : x / 2;
  let sum = term;
  for (let k = 1; Math.abs(term) > 1e-18 * Math.abs(sum); k++) sum += term *= (x * x) / 4 / (k * (k + n));
  return sum;
}

/** x - n y, n being x / y to the nearest whole number, ties to even. */
export function remainder(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y) || y === 0 || Math.abs(x) === Number.POSITIVE_INFINITY) return Number.NaN;
  const size = Math.abs(y);
  // One that keeps the parity of the quotient.
  const rest = Math.abs(size < 2 ** 1022 ? x % (2 * size) : x);
  const [over, tie] = [rest - size, size / 2];
  const value = rest < size ? (rest > size - rest ? over : rest) : over > size - over || over === tie ? over - size : over;
  return x < 0 || Object.is(x, -0) ? -value : value;
}
export function ldexp(x: number, n: number): number {
  // A subnormal result is rounded once, by the last product: the mantissa is near 1 until then.
  const exponent = logb(x);
  if (!Number.isFinite(exponent)) return x;
  const mantissa = exponent < -1000 ? (x * 2 ** 100) / 2 ** (exponent + 100) : x / 2 ** exponent;
  const total = Math.max(-1200, Math.min(1200, exponent + n));
  const half = Math.trunc(total / 2);
  return mantissa * 2 ** half * 2 ** (total - half);
}
/** The exponent as a number: -infinity of zero. */
export function logb(x: number): number {
  const size = Math.abs(x);
  if (!(size > 0 && size < Number.POSITIVE_INFINITY)) return size === 0 ? Number.NEGATIVE_INFINITY : size;
  const guess = Math.floor(Math.log2(size));
  const raised = size < 2 ** -1000 ? size * 2 ** 100 : size;
  const power = 2 ** (raised === size ? guess : guess + 100);
  return raised < power ? guess - 1 : raised >= 2 * power ? guess + 1 : guess;
}
export function ilogb(x: number): number {
  const exponent = logb(x);
  return exponent === Number.POSITIVE_INFINITY ? 0x7fffffff : Number.isFinite(exponent) ? exponent : -0x80000000;
}
