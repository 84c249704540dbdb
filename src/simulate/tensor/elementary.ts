/** The functions that expressions of rules may call: what Math lacks, and what hardware does differently. */
import { exp2, pow, round } from "../../dialects/math/elementary-functions.js";
import { fmaF32, fmaF64 } from "../numbers/rounded-arithmetic.js";

export const ELEMENTARY = {
  exp2,
  fmaF32,
  fmaF64,
  pow,
  round,
  erf,
  erfc: (x: number): number => 1 - erf(x),
  /** As max.f32: a NaN loses, +0 is above -0. */
  maxnum: (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b)),
  minnum: (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b)),
  /** To the nearest integer, ties to even. */
  roundEven(x: number): number {
    const floor = Math.floor(x);
    const rest = x - floor;
    if (rest < 0.5) return floor;
    if (rest > 0.5) return floor + 1;
    return floor % 2 === 0 ? floor : floor + 1;
  },
  copySign: (x: number, sign: number): number => {
    const negative = sign < 0 || Object.is(sign, -0);
    return negative ? -Math.abs(x) : Math.abs(x);
  },
  /** As cvt.rzi: what does not fit becomes the nearest that does, NaN zero. */
  toInt: (x: number, min: number, max: number): number => (Number.isNaN(x) ? 0 : Math.trunc(Math.min(max, Math.max(min, x)))),
  toBigInt(x: number, min: bigint, max: bigint): bigint {
    if (Number.isNaN(x)) return 0n;
    if (x >= Number(max)) return max;
    return x <= Number(min) ? min : BigInt(Math.trunc(x));
  },
  /** The high 32 bits of a product. */
  mulhi32u(a: number, b: number): number {
    const [al, ah, bl, bh] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
    const low = al * bl;
    const mid = ah * bl + (low >>> 16);
    const mid2 = al * bh + (mid & 0xffff);
    return (ah * bh + Math.floor(mid / 65536) + (mid2 >>> 16)) | 0;
  },
  mulhi32s(a: number, b: number): number {
    return (ELEMENTARY.mulhi32u(a, b) - (a < 0 ? b : 0) - (b < 0 ? a : 0)) | 0;
  },
  popcount(x: number): number {
    x -= (x >>> 1) & 0x55555555;
    x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
    return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  },
  bigPopcount: (x: bigint): bigint => BigInt(x.toString(2).replaceAll("0", "").length),
  ipow(base: bigint, exponent: bigint): bigint {
    if (exponent < 0n) return base === 1n ? 1n : base === -1n ? (exponent & 1n ? -1n : 1n) : 0n;
    let result = 1n;
    for (let square = base, left = exponent; left > 0n; left >>= 1n, square = BigInt.asIntN(64, square * square))
      if (left & 1n) result = BigInt.asIntN(64, result * square);
    return result;
  },
  /** Rounds a number to tf32: 10 bits of mantissa, ties away from zero, as cvt.rna.tf32.f32. */
  tf32: roundToTf32,
  j0: (x: number): number => bessel(x, 0),
  j1: (x: number): number => bessel(x, 1),
  lgamma: logGamma,
  cyl: bessel,
} as const;

const f32 = new Float32Array(1);
const u32 = new Uint32Array(f32.buffer);
function roundToTf32(x: number): number {
  f32[0] = x;
  if ((u32[0]! & 0x7f800000) === 0x7f800000) return f32[0]!;
  u32[0] = (u32[0]! + 0x1000) & 0xffffe000;
  return f32[0]!;
}

/** The error function to about 1e-15: its series near zero, its continued fraction beyond. */
function erf(x: number): number {
  const magnitude = Math.abs(x);
  if (Number.isNaN(x)) return x;
  if (magnitude > 6) return Math.sign(x);
  if (magnitude < 2.5) {
    let term = x;
    let sum = x;
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
      term *= (-x * x) / n;
      sum += term / (2 * n + 1);
      if (n > 200) break;
    }
    return (2 / Math.sqrt(Math.PI)) * sum;
  }
  let fraction = magnitude;
  for (let k = 60; k > 0; k--) fraction = magnitude + k / 2 / fraction;
  return Math.sign(x) * (1 - Math.exp(-x * x) / (Math.sqrt(Math.PI) * fraction));
}

/** J of order n by its integral, which the trapezoidal rule gives to machine precision. */
function bessel(x: number, order: number): number {
  const points = 64 + 2 * Math.ceil(Math.abs(x));
  let sum = 0;
  for (let k = 0; k < points; k++) {
    const angle = (Math.PI * (k + 0.5)) / points;
    sum += Math.cos(order * angle - x * Math.sin(angle));
  }
  return sum / points;
}

/** Lanczos' approximation. */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - logGamma(1 - x);
  const coefficients = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905, -0.13857109526572012,
    9.984369578019572e-6, 1.5056327351493116e-7,
  ];
  const y = x - 1;
  const t = y + 7.5;
  const sum = coefficients.reduce((total, c, i) => total + c / (y + i + 1), 0.9999999999998099);
  return 0.5 * Math.log(2 * Math.PI) + (y + 0.5) * Math.log(t) - t + Math.log(sum);
}
