/** The functions that lanes' descriptions call as R: arithmetic that JavaScript has no operator for. */
import { bf16ToF32, f32BitsToBf16, f32BitsToF16, roundToTf32, truncateToTf32 } from "../numbers/half.js";
import { bigToF32, DIRECTED, directedF32, directedInteger, flush, fmaF32, fmaF64 } from "../numbers/rounded-arithmetic.js";
import { decode, encode, type Rounding, type SmallFloatKind } from "../numbers/small-float.js";
import { clampToInt64, clampToInteger, roundToIntegral } from "../numbers/to-integer.js";

const f64 = new Float64Array(1);
const i32 = new Int32Array(f64.buffer);

function mulHighUnsigned(a: number, b: number): number {
  const al = a & 0xffff;
  const ah = a >>> 16;
  const bl = b & 0xffff;
  const bh = b >>> 16;
  const mid = ah * bl + ((al * bl) >>> 16);
  const low = al * bh + (mid & 0xffff);
  return (ah * bh + Math.floor(mid / 65536) + Math.floor(low / 65536)) | 0;
}

function byteOf(a: number, b: number, selector: number): number {
  const from = (selector & 4) === 0 ? a : b;
  const byte = (from >>> ((selector & 3) * 8)) & 255;
  return (selector & 8) === 0 ? byte : byte & 128 ? 255 : 0;
}

const fminNumber = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b));
const fmaxNumber = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b));

export const RUNTIME = {
  flush,
  fmaF32,
  fmaF64,
  fmin: fminNumber,
  fmax: fmaxNumber,
  clampToInteger,
  clampToInt64,
  roundToIntegral,
  roundToTf32,
  truncateToTf32,
  directedF32,
  fromBf16: (bits: number): number => bf16ToF32(bits & 0xffff),
  f16OfF32: f32BitsToF16,
  bf16OfF32: f32BitsToBf16,
  toF16: (x: number): number => encode("f16", x),
  toBf16: (x: number): number => encode("bf16", x),
  decode: (kind: SmallFloatKind, bits: number): number => decode(kind, bits),
  encode: (kind: SmallFloatKind, x: number, rounding: Rounding, saturate: boolean): number => encode(kind, x, rounding, saturate),
  saturate01: (x: number): number => (x > 0 ? Math.min(x, 1) : 0), // NaN gives 0
  relu: (x: number): number => Math.max(x, 0),

  /** a + b, a * b + c and others rounded in a direction, to f32. */
  ...DIRECTED,

  mulHighUnsigned,
  mulHighSigned: (a: number, b: number): number => (mulHighUnsigned(a, b) - (a < 0 ? b : 0) - (b < 0 ? a : 0)) | 0,
  popc(x: number): number {
    x -= (x >>> 1) & 0x55555555;
    x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
    return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  },
  reverse(x: number): number {
    x = ((x >>> 1) & 0x55555555) | ((x & 0x55555555) << 1);
    x = ((x >>> 2) & 0x33333333) | ((x & 0x33333333) << 2);
    x = ((x >>> 4) & 0x0f0f0f0f) | ((x & 0x0f0f0f0f) << 4);
    x = ((x >>> 8) & 0x00ff00ff) | ((x & 0x00ff00ff) << 8);
    return (x >>> 16) | (x << 16);
  },
  /** The position of the highest bit that differs from the sign; -1 where none does. `shift` counts from the top instead. */
  bfind(x: number, signed: boolean, shift: boolean): number {
    const bits = signed && x < 0 ? ~x : x;
    if (bits === 0) return -1;
    return shift ? Math.clz32(bits) : 31 - Math.clz32(bits);
  },
  prmt(a: number, b: number, c: number): number {
    return byteOf(a, b, c) | (byteOf(a, b, c >>> 4) << 8) | (byteOf(a, b, c >>> 8) << 16) | (byteOf(a, b, c >>> 12) << 24);
  },
  prmtMode(a: number, b: number, c: number, mode: string): number {
    const s = c & 3;
    const selectors: Readonly<Record<string, readonly number[]>> = {
      f4e: [0x3210, 0x4321, 0x5432, 0x6543],
      b4e: [0x5670, 0x6701, 0x7012, 0x0123],
      rc8: [0x0000, 0x1111, 0x2222, 0x3333],
      ecl: [0x3210, 0x3211, 0x3222, 0x3333],
      ecr: [0x0000, 0x1110, 0x2210, 0x3210],
      rc16: [0x1010, 0x3232, 0x1010, 0x3232],
    };
    return RUNTIME.prmt(a, b, selectors[mode]![s]!);
  },
  lop3(a: number, b: number, c: number, table: number): number {
    let r = 0;
    if (table & 1) r |= ~a & ~b & ~c;
    if (table & 2) r |= ~a & ~b & c;
    if (table & 4) r |= ~a & b & ~c;
    if (table & 8) r |= ~a & b & c;
    if (table & 16) r |= a & ~b & ~c;
    if (table & 32) r |= a & ~b & c;
    if (table & 64) r |= a & b & ~c;
    if (table & 128) r |= a & b & c;
    return r;
  },
  bfe(x: number, position: number, length: number, signed: boolean): number {
    const pos = Math.min(position & 255, 31 + (signed ? 0 : 1));
    const len = length & 255;
    if (len === 0 || pos > 31) return 0;
    const field = signed ? x >> pos : x >>> pos;
    if (pos + len >= 32) return field;
    return signed ? (field << (32 - len)) >> (32 - len) : field & ((1 << len) - 1);
  },
  bfi(insert: number, into: number, position: number, length: number): number {
    const pos = position & 255;
    const len = length & 255;
    if (len === 0 || pos > 31) return into;
    const mask = (len > 31 ? -1 : (1 << len) - 1) << pos;
    return (into & ~mask) | ((insert << pos) & mask);
  },
  bfe64(x: bigint, position: number, length: number, signed: boolean): bigint {
    const pos = BigInt(position & 255);
    const len = BigInt(length & 255);
    if (len === 0n) return 0n;
    const value = signed ? BigInt.asIntN(64, x) : BigInt.asUintN(64, x);
    return signed
      ? BigInt.asIntN(Number(len > 64n ? 64n : len), value >> pos)
      : BigInt.asUintN(Number(len > 64n ? 64n : len), value >> pos);
  },
  bfi64(insert: bigint, into: bigint, position: number, length: number): bigint {
    const pos = BigInt(position & 255);
    const len = BigInt(length & 255);
    const mask = BigInt.asUintN(64, ((1n << len) - 1n) << pos);
    return (BigInt.asUintN(64, into) & ~mask) | ((insert << pos) & mask);
  },
  popc64: (low: number, high: number): number => RUNTIME.popc(low) + RUNTIME.popc(high),
  clz64: (low: number, high: number): number => (high === 0 ? 32 + Math.clz32(low) : Math.clz32(high)),
  divS32: (a: number, b: number): number => (b === 0 ? -1 : (a / b) | 0),
  remS32: (a: number, b: number): number => (b === 0 ? a : (a % b) | 0),
  divU32: (a: number, b: number): number => (b === 0 ? -1 : Math.floor(a / b)),
  remU32: (a: number, b: number): number => (b === 0 ? a : a % b),
  div64: (a: bigint, b: bigint): bigint => (b === 0n ? -1n : a / b),
  rem64: (a: bigint, b: bigint): bigint => (b === 0n ? a : a % b),
  bigToF32,
  directedInteger,
  /** 64 carry-less bits: whether a + b + c overflows 32 bits. */
  carryOf: (a: number, b: number, c: number): number => ((a >>> 0) + (b >>> 0) + c > 0xffffffff ? 1 : 0),
  ex2: (x: number): number => 2 ** x,
  lg2: (x: number): number => Math.log2(x),
  sin: Math.sin,
  cos: Math.cos,
  tanh: Math.tanh,
  rsqrt: (x: number): number => 1 / Math.sqrt(x),
  copysign(sign: number, x: number): number {
    f64[0] = sign;
    const negative = i32[1]! < 0;
    return negative ? -Math.abs(x) : Math.abs(x);
  },
  dp4a(a: number, b: number, c: number, aSigned: boolean, bSigned: boolean): number {
    let sum = c;
    for (let s = 0; s < 32; s += 8) {
      const x = aSigned ? (a << (24 - s)) >> 24 : (a >>> s) & 255;
      const y = bSigned ? (b << (24 - s)) >> 24 : (b >>> s) & 255;
      sum += x * y;
    }
    return sum | 0;
  },
  dp2a(a: number, b: number, c: number, aSigned: boolean, bSigned: boolean, high: boolean): number {
    let sum = c;
    for (let i = 0; i < 2; i++) {
      const x = aSigned ? (a << (16 - 16 * i)) >> 16 : (a >>> (16 * i)) & 65535;
      const s = 8 * i + (high ? 16 : 0);
      const y = bSigned ? (b << (24 - s)) >> 24 : (b >>> s) & 255;
      sum += x * y;
    }
    return sum | 0;
  },
};
