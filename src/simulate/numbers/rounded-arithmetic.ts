/**
 * Sums, products and fused multiply-adds with one rounding, in every mode. Doubles hold f32 sums closely enough for
 * round-to-nearest except exactly half-way between two f32: then the rounding error of the double decides.
 */
const f64 = new Float64Array(1);
const i64 = new BigInt64Array(f64.buffer);
const fround = Math.fround;

/** `a * b + c` of f32 values, rounded once to the nearest f32. */
export function fmaF32(a: number, b: number, c: number): number {
  const product = a * b; // exact: 48 bits
  const sum = product + c;
  const result = fround(sum);
  const rest = sum - result;
  // Half-way between two f32 (or nearly, the double sum being rounded itself)?
  if (rest !== 0 && fround(sum + rest) === sum + rest) return resolveTie(sum, result, sumError(product, c, sum));
  return result;
}

function resolveTie(sum: number, result: number, error: number): number {
  if (error === 0 || !Number.isFinite(sum)) return result;
  // The exact value lies beside the tie, on the side of `error`: nudging the double past it gives the right neighbour.
  return fround(error > 0 ? nextUp(sum) : nextDown(sum));
}

/** The rounding error `(a + b) - sum` for `sum = fl(a + b)`: exact (Knuth). */
function sumError(a: number, b: number, sum: number): number {
  const bb = sum - a;
  return a - (sum - bb) + (b - bb);
}

/** The double above `x`. */
export function nextUp(x: number): number {
  if (x === 0) return Number.MIN_VALUE;
  if (!(x < Infinity)) return x;
  f64[0] = x;
  i64[0]! += x > 0 ? 1n : -1n;
  return f64[0];
}

/** The double below `x`. */
export const nextDown = (x: number): number => -nextUp(-x);

const SPLIT = 2 ** 27 + 1;

/** `a * b + c` of doubles, rounded once to nearest. */
export function fmaF64(a: number, b: number, c: number): number {
  const product = a * b;
  const sum = product + c;
  if (!Number.isFinite(sum)) return Number.isFinite(a) && Number.isFinite(b) && Number.isFinite(c) ? fmaExactly(a, b, c) : sum;
  const magnitude = Math.abs(product);
  if (magnitude > 2 ** 900 || magnitude < 2 ** -900 || Math.abs(a) > 2 ** 900 || Math.abs(b) > 2 ** 900)
    return a === 0 || b === 0 ? sum : fmaExactly(a, b, c);
  if (Math.abs(c) > 2 ** 900 || (c !== 0 && Math.abs(c) < 2 ** -900)) return fmaExactly(a, b, c);
  const aHigh = high(a);
  const bHigh = high(b);
  const aLow = a - aHigh;
  const bLow = b - bHigh;
  const low = aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow); // product + low = a * b
  const error = sumError(product, c, sum);
  // sum + (error + low), where the inner sum is rounded to odd so that the outer one rounds as if exact (Boldo, Melquiond).
  const inner = error + low;
  const lost = sumError(error, low, inner);
  if (lost !== 0) {
    f64[0] = inner;
    if ((i64[0]! & 1n) === 0n) return sum + (lost > 0 ? nextUp(inner) : nextDown(inner));
  }
  return sum + inner;
}

function high(x: number): number {
  const t = x * SPLIT;
  return t - (t - x);
}

function fmaExactly(a: number, b: number, c: number): number {
  if (a === 0 || b === 0) return a * b + c;
  const x = parts(a);
  const y = parts(b);
  const z = parts(c);
  let exponent = x.exponent + y.exponent;
  let significand = x.significand * y.significand;
  if (c !== 0) {
    const least = Math.min(exponent, z.exponent);
    significand = (significand << BigInt(exponent - least)) + (z.significand << BigInt(z.exponent - least));
    exponent = least;
  }
  return significand === 0n ? a * b + c : fromParts(significand, exponent);
}

function parts(x: number): { readonly significand: bigint; readonly exponent: number } {
  f64[0] = x;
  const bits = i64[0]!;
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const magnitude = biased === 0 ? fraction : fraction | 0x10000000000000n;
  return { significand: bits < 0n ? -magnitude : magnitude, exponent: Math.max(biased, 1) - 1075 };
}

/** `significand * 2^exponent`, to the nearest double, ties to even. */
function fromParts(significand: bigint, exponent: number): number {
  const negative = significand < 0n;
  let magnitude = negative ? -significand : significand;
  const drop = Math.max(magnitude.toString(2).length - 53, -1074 - exponent);
  if (drop > 0) {
    const shift = BigInt(drop);
    const rest = magnitude & ((1n << shift) - 1n);
    const half = 1n << (shift - 1n);
    magnitude >>= shift;
    if (rest > half || (rest === half && (magnitude & 1n) === 1n)) magnitude += 1n;
    exponent += drop;
  }
  let value = Number(magnitude);
  for (; exponent > 0; exponent -= Math.min(exponent, 1000)) value *= 2 ** Math.min(exponent, 1000);
  for (; exponent < 0; exponent += Math.min(-exponent, 1000)) value *= 2 ** -Math.min(-exponent, 1000);
  return negative ? -value : value;
}

export type Directed = "rz" | "rm" | "rp";

/** The f32 that `value + error` rounds to towards zero, down or up, where `error` is what the double `value` lacks to the exact result. */
export function directedF32(value: number, error: number, mode: Directed): number {
  const nearest = fround(value);
  if (Number.isNaN(value) || (nearest === value && error === 0)) return nearest;
  const above = nearest > value || (nearest === value && error < 0); // the exact result is below `nearest`
  const down = mode === "rm" || (mode === "rz" && (value > 0 || (value === 0 && error > 0)));
  if (down) return above ? previousF32(nearest) : nearest;
  return above ? nearest : nextF32(nearest);
}

/** The exact sum minus `a + b` as a double; 0 if that is not finite. */
export const additionError = (a: number, b: number): number => {
  const sum = a + b;
  return Number.isFinite(sum) ? sumError(a, b, sum) : 0;
};

const f32 = new Float32Array(1);
const i32 = new Int32Array(f32.buffer);

/** The f32 after an f32, away from 0; after 0 the smallest denormal. */
export function nextF32(x: number): number {
  if (x === 0) return 2 ** -149;
  if (!(x < Infinity)) return x;
  f32[0] = x;
  i32[0]! += x > 0 ? 1 : -1;
  return f32[0]!;
}

export const previousF32 = (x: number): number => -nextF32(-x);

/** An f32 denormal flushed to a zero of its sign: `.ftz`. */
export const flush = (x: number): number => (x < 2 ** -126 && x > -(2 ** -126) ? x * 0 : x);

export function directedF64(nearest: number, error: number, mode: Directed): number {
  if (error === 0 || !Number.isFinite(nearest)) return nearest;
  const down = mode === "rm" || (mode === "rz" && nearest > 0);
  if (down) return error < 0 ? nextDown(nearest) : nearest;
  return error > 0 ? nextUp(nearest) : nearest;
}

/** Arithmetic rounded towards zero, down or up. */
export const DIRECTED = {
  addF32: (a: number, b: number, mode: Directed): number => directedF32(a + b, additionError(a, b), mode),
  mulF32: (a: number, b: number, mode: Directed): number => directedF32(a * b, 0, mode),
  fmaDirectedF32: (a: number, b: number, c: number, mode: Directed): number => directedF32(a * b + c, additionError(a * b, c), mode),
  divF32: (a: number, b: number, mode: Directed): number => {
    const q = a / b;
    return directedF32(q, Number.isFinite(q) && b !== 0 ? fmaF64(-q, b, a) / b : 0, mode);
  },
  sqrtF32: (a: number, mode: Directed): number => {
    const s = Math.sqrt(a);
    return directedF32(s, Number.isFinite(s) ? fmaF64(-s, s, a) : 0, mode);
  },
  addF64: (a: number, b: number, mode: Directed): number => directedF64(a + b, additionError(a, b), mode),
  mulF64: (a: number, b: number, mode: Directed): number => directedF64(a * b, fmaF64(a, b, -(a * b)), mode),
  fmaDirectedF64: (a: number, b: number, c: number, mode: Directed): number => {
    const nearest = fmaF64(a, b, c);
    return directedF64(nearest, fmaF64(a, b, additionError(c, -nearest) + (c - nearest)), mode);
  },
  divF64: (a: number, b: number, mode: Directed): number => directedF64(a / b, fmaF64(-(a / b), b, a) / b, mode),
  sqrtF64: (a: number, mode: Directed): number => directedF64(Math.sqrt(a), fmaF64(-Math.sqrt(a), Math.sqrt(a), a), mode),
} as const;

/** An integer to the nearest f32: the double in between must not round. */
export function bigToF32(x: bigint): number {
  const magnitude = x < 0n ? -x : x;
  if (magnitude < 1n << 53n) return Math.fround(Number(x));
  const low = magnitude & 0x3ffn;
  const sticky = ((magnitude >> 10n) | (low === 0n ? 0n : 1n)) << 10n; // what is lost is kept as one low bit
  const value = Math.fround(Number(sticky));
  return x < 0n ? -value : value;
}

/** An integer as a float rounded in a direction. */
export function directedInteger(x: number | bigint, kind: "f32" | "f64", mode: Directed): number {
  const value = Number(x);
  const error = Number(BigInt(x) - BigInt(value));
  return kind === "f32" ? directedF32(value, error, mode) : directedF64(value, error, mode);
}
