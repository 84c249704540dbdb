/**
 * Encoding and decoding of every float kind of 19 bits or fewer, as NVIDIA's hardware has them: canonical NaNs are all
 * ones without sign, `satfinite` clamps infinities and overflows to the largest finite value.
 *
 *     encode("f16", 1.0) === 0x3c00        decode("f16", 0x3c00) === 1
 *     encode("f8E4M3FN", 1000, "rn", true) === 0x7e    // 448, the largest
 */
import { FLOAT_FORMATS } from "../../ir/builtin-types.js";

/** Kinds with a bit pattern of at most 19 bits. `f8E4M3B15` is Triton's fp8e4b15: a half without its top exponent bit and 7 low mantissa bits. */
export type SmallFloatKind =
  | "f16"
  | "bf16"
  | "tf32"
  | "f8E4M3FN"
  | "f8E5M2"
  | "f8E4M3FNUZ"
  | "f8E5M2FNUZ"
  | "f8E4M3B15"
  | "f4E2M1FN"
  | "f6E2M3FN"
  | "f6E3M2FN"
  | "f8E8M0FNU";

/** PTX's rounding modifiers: nearest even, towards zero, down, up, nearest away from zero. */
export type Rounding = "rn" | "rz" | "rm" | "rp" | "rna";

export interface SmallFloatFormat {
  readonly width: number;
  readonly exponent: number;
  readonly mantissa: number;
  readonly bias: number;
  readonly special: "ieee" | "allOnes" | "negZero" | "none";
}

export const SMALL_FLOATS: Readonly<Record<SmallFloatKind, SmallFloatFormat>> = {
  f16: FLOAT_FORMATS.f16,
  bf16: FLOAT_FORMATS.bf16,
  tf32: FLOAT_FORMATS.tf32,
  f8E4M3FN: FLOAT_FORMATS.f8E4M3FN,
  f8E5M2: FLOAT_FORMATS.f8E5M2,
  f8E4M3FNUZ: FLOAT_FORMATS.f8E4M3FNUZ,
  f8E5M2FNUZ: FLOAT_FORMATS.f8E5M2FNUZ,
  f8E4M3B15: { width: 8, exponent: 4, mantissa: 3, bias: 15, special: "none" },
  f4E2M1FN: FLOAT_FORMATS.f4E2M1FN,
  f6E2M3FN: FLOAT_FORMATS.f6E2M3FN,
  f6E3M2FN: FLOAT_FORMATS.f6E3M2FN,
  f8E8M0FNU: FLOAT_FORMATS.f8E8M0FNU,
};

const f64 = new Float64Array(1);
const words = new Int32Array(f64.buffer);
const tables = new Map<SmallFloatKind, Float64Array>();

/** The value of every bit pattern of a kind of at most 16 bits, by pattern; made on first use. */
export function valuesOf(kind: SmallFloatKind): Float64Array {
  let table = tables.get(kind);
  if (table === undefined) {
    const format = SMALL_FLOATS[kind];
    table = Float64Array.from({ length: 1 << format.width }, (_, bits) => decodeBits(bits, format));
    tables.set(kind, table);
  }
  return table;
}

/** The value that `bits` stand for; exact. */
export function decode(kind: SmallFloatKind, bits: number): number {
  return kind === "tf32" ? decodeBits(bits, SMALL_FLOATS.tf32) : valuesOf(kind)[bits]!;
}

function decodeBits(bits: number, format: SmallFloatFormat): number {
  const { exponent, mantissa, bias, special, width } = format;
  const negative = mantissa > 0 && bits >>> (width - 1) !== 0;
  const biased = (bits >>> mantissa) & ((1 << exponent) - 1);
  const fraction = bits & ((1 << mantissa) - 1);
  const top = biased === (1 << exponent) - 1;
  if (top && special === "ieee") return fraction !== 0 ? Number.NaN : negative ? -Infinity : Infinity;
  if (top && special === "allOnes" && fraction === (1 << mantissa) - 1) return Number.NaN;
  if (special === "negZero" && bits === 1 << (width - 1)) return Number.NaN;
  const subnormal = biased === 0 && mantissa > 0;
  const magnitude = (subnormal ? fraction : fraction + 2 ** mantissa) * 2 ** ((subnormal ? 1 : biased) - bias - mantissa);
  return negative ? -magnitude : magnitude;
}

/** The canonical NaN of a kind; 0 where it has none. */
export function nanOf(format: SmallFloatFormat): number {
  if (format.special === "negZero") return 1 << (format.width - 1);
  return format.special === "none" ? 0 : 2 ** (format.exponent + format.mantissa) - 1;
}

/** The bits of the largest finite value. */
export function largestOf(format: SmallFloatFormat): number {
  const all = (1 << (format.exponent + format.mantissa)) - 1;
  if (format.special === "ieee") return all - (1 << format.mantissa);
  return format.special === "allOnes" ? all - 1 : all;
}

/**
 * The bits of `value`, rounded once. `saturate` is PTX's `.satfinite`; without it an overflow is infinity
 * (the largest finite value where rounding points inwards), or NaN in a kind without infinities.
 */
export function encode(kind: SmallFloatKind, value: number, rounding: Rounding = "rn", saturate = false): number {
  const format = SMALL_FLOATS[kind];
  const { mantissa, bias } = format;
  f64[0] = value;
  const high = words[1]!;
  const negative = high < 0;
  const sign = negative && mantissa > 0 ? 1 << (format.width - 1) : 0;
  const biased = (high >>> 20) & 0x7ff;
  if (Number.isNaN(value)) return nanOf(format);
  if (biased === 0x7ff) return overflow(format, saturate, sign);
  const magnitude = negative ? -value : value;
  const isUnsignedZero = format.special === "negZero";
  if (magnitude === 0) return isUnsignedZero ? 0 : sign;
  // In units of the last place of the result: exact, since only the exponent changes.
  const exponent = Math.max(biased === 0 ? -1022 : biased - 1023, 1 - bias);
  const rounded = roundMagnitude(magnitude * powerOfTwo(mantissa - exponent), rounding, negative);
  // A significand with its hidden bit carries into the exponent by itself.
  const hidden = 1 << mantissa;
  const bits = rounded < hidden ? rounded : (exponent + bias - 1) * hidden + rounded;
  if (mantissa === 0) return Math.min(Math.max(exponent + bias + Math.ceil(Math.log2(Math.max(rounded, 1))), 0), largestOf(format));
  const largest = largestOf(format);
  if (bits <= largest) return bits === 0 && isUnsignedZero ? 0 : sign + bits;
  const inwards = rounding === "rz" || (rounding === "rm" && !negative) || (rounding === "rp" && negative);
  return inwards ? sign + largest : overflow(format, saturate, sign);
}

/** 2 ** k, for k from -1022 to 1023; Math.pow takes longer than all the rest of an encoding. */
function powerOfTwo(k: number): number {
  words[0] = 0;
  words[1] = (k + 1023) << 20;
  return f64[0]!;
}

function overflow(format: SmallFloatFormat, saturate: boolean, sign: number): number {
  const largest = largestOf(format);
  if (saturate || format.special === "none") return sign + largest;
  return format.special === "negZero" ? nanOf(format) : sign + largest + 1; // infinity, or NaN where there is none
}

function roundMagnitude(x: number, rounding: Rounding, negative: boolean): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest === 0) return floor;
  switch (rounding) {
    case "rn":
      return rest < 0.5 || (rest === 0.5 && floor % 2 === 0) ? floor : floor + 1;
    case "rna":
      return rest < 0.5 ? floor : floor + 1;
    case "rz":
      return floor;
    case "rm":
      return negative ? floor + 1 : floor;
    case "rp":
      return negative ? floor : floor + 1;
  }
}
