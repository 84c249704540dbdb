/** The functions that expressions of rules may call: what Math lacks, and what hardware does differently. */
import { exp2, pow, round } from "../../dialects/math/elementary-functions.js";
import {
  bigToF32,
  DIRECTED,
  directedF32,
  directedInteger,
  fmaF32,
  fmaF64,
  nextDown,
  nextF32,
  nextUp,
  previousF32,
} from "../numbers/rounded-arithmetic.js";
import * as special from "./special-functions.js";

export const ELEMENTARY = {
  exp2,
  fmaF32,
  fmaF64,
  pow,
  round,
  ...DIRECTED,
  ...special,
  /** As max.f32: a NaN loses, +0 is above -0. */
  maxnum: (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b)),
  minnum: (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b)),
  /** To the nearest integer, ties to even; a zero keeps the sign. */
  roundEven(x: number): number {
    const floor = Math.floor(x);
    const rest = x - floor;
    const isUp = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
    return isUp ? (floor === -1 ? -0 : floor + 1) : floor;
  },
  /** A NaN has a sign too. */
  copySign(x: number, sign: number): number {
    words.f64[0] = sign;
    return words.i32[1]! < 0 ? -Math.abs(x) : Math.abs(x);
  },
  /** As cvt.rzi: a number out of range becomes the nearest in range. NaN becomes 0, and in 64 bits the pattern with only the top bit set. */
  toInt: (x: number, min: number, max: number): number => (Number.isNaN(x) ? 0 : Math.trunc(Math.min(max, Math.max(min, x)))),
  toBigInt(x: number, min: bigint, max: bigint): bigint {
    if (Number.isNaN(x)) return -(1n << 63n);
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
  directedInteger,
  directedF32,
  bigToF32,
  nextAfterF32: (x: number, y: number): number => nextAfter(x, y, nextF32, previousF32),
  nextAfterF64: (x: number, y: number): number => nextAfter(x, y, nextUp, nextDown),
  /** A float's bits, and the float of bits. */
  bits32: (x: number): number => ((words.f32[0] = x), words.i32[0]!),
  float32: (bits: number): number => ((words.i32[0] = bits), words.f32[0]!),
  bits64: (x: number): bigint => ((words.f64[0] = x), words.i64[0]!),
  float64: (bits: bigint): number => ((words.i64[0] = bits), words.f64[0]!),
  /** From the most significant bit down. */
  reverse: (x: bigint, width: number): bigint =>
    BigInt.asIntN(width, BigInt(`0b${BigInt.asUintN(width, x).toString(2).padStart(width, "0").split("").reverse().join("")}`)),
  clz64: (x: bigint): number => 64 - (x === 0n ? 0 : BigInt.asUintN(64, x).toString(2).length),
} as const;

function nextAfter(x: number, y: number, up: (x: number) => number, down: (x: number) => number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  return x === y ? y : x < y ? up(x) : down(x);
}
const words = viewsOf(new ArrayBuffer(8));
function viewsOf(buffer: ArrayBuffer) {
  return { f32: new Float32Array(buffer), i32: new Int32Array(buffer), f64: new Float64Array(buffer), i64: new BigInt64Array(buffer) };
}

const f32 = new Float32Array(1);
const u32 = new Uint32Array(f32.buffer);
function roundToTf32(x: number): number {
  f32[0] = x;
  if ((u32[0]! & 0x7f800000) === 0x7f800000) return f32[0]!;
  u32[0] = (u32[0]! + 0x1000) & 0xffffe000;
  return f32[0]!;
}
