/**
 * Floats as MLIR prints them. Source: mlir/lib/IR/AsmPrinter.cpp, printFloatValue; llvm/lib/Support/APFloat.cpp, toString.
 */
import type { FloatFormat } from "../ir/builtin-types.js";
import { isInfBits, isNanBits } from "../ir/float.js";

/** The decimal text of `bits`, or hexadecimal where no decimal reads back as the same value. */
export function floatText(bits: bigint, format: FloatFormat): string {
  if (isNanBits(bits, format) || isInfBits(bits, format)) return hex(bits);
  const { negative, significand, exponent } = unpack(bits, format);
  const sign = negative ? "-" : "";
  if (significand === 0n) return `${sign}0.000000e+00`;
  const six = toDecimal(significand, exponent, 6);
  if (readsBack(six, bits, format)) return sign + scientific(six);
  const precision = 2 + Math.floor(((format.mantissa + 1) * 59) / 196);
  const natural = sign + naturalText(toDecimal(significand, exponent, precision), precision);
  return natural.includes(".") ? natural : hex(bits);
}

function hex(bits: bigint): string {
  return `0x${bits.toString(16).toUpperCase()}`;
}

interface Unpacked {
  readonly negative: boolean;
  readonly significand: bigint;
  readonly exponent: number;
}
function unpack(bits: bigint, format: FloatFormat): Unpacked {
  const { mantissa, exponent: exponentBits, bias, width } = format;
  const hasSign = mantissa > 0;
  const negative = hasSign && ((bits >> BigInt(width - 1)) & 1n) === 1n;
  const biased = Number((bits >> BigInt(mantissa)) & ((1n << BigInt(exponentBits)) - 1n));
  const fraction = bits & ((1n << BigInt(mantissa)) - 1n);
  const subnormal = biased === 0 && hasSign;
  return {
    negative,
    significand: subnormal ? fraction : fraction + (1n << BigInt(mantissa)),
    exponent: (subnormal ? 1 : biased) - bias - mantissa,
  };
}

/** Decimal digits and the power of ten of the last one. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}
/**
 * At most `count` significant digits, as APFloat gets them: digits well beyond are cut off in binary first, and only what
 * is left is rounded, halves up. So 0.01 of f32 has six digits 9.99999e-03, which do not read back, and not 1.00000e-02.
 */
function toDecimal(significand: bigint, exponent: number, count: number): Decimal {
  let value = significand;
  let power = exponent;
  for (; (value & 1n) === 0n; value >>= 1n) power++;
  if (power >= 0) {
    value <<= BigInt(power);
    power = 0;
  } else value *= 5n ** BigInt(-power);
  const activeBits = value.toString(2).length;
  // log2(10) is slightly below 196/59.
  const enoughBits = Math.floor((count * 196 + 58) / 59);
  if (activeBits > enoughBits) {
    const removed = Math.floor(((activeBits - enoughBits) * 59) / 196);
    value /= 10n ** BigInt(removed);
    power += removed;
  }
  return roundDigits(strip({ digits: value.toString(), exponent: power }), count);
}
function strip({ digits, exponent }: Decimal): Decimal {
  const kept = digits.replace(/0+$/, "");
  return { digits: kept, exponent: exponent + digits.length - kept.length };
}
/** At most `count` significant digits; halves go up, as APFloat rounds decimal strings. */
function roundDigits(decimal: Decimal, count: number): Decimal {
  const { digits, exponent } = decimal;
  if (digits.length <= count) return decimal;
  const cut = digits.length - count;
  let kept = digits.slice(0, count);
  if (digits.charCodeAt(count) >= 53) kept = (BigInt(kept) + 1n).toString();
  return strip({ digits: kept, exponent: exponent + cut });
}
/** Whether the rounded decimal converts (nearest, ties to even, in one rounding) to the same bits. */
function readsBack(decimal: Decimal, bits: bigint, format: FloatFormat): boolean {
  const magnitude = format.mantissa > 0 ? bits & ((1n << BigInt(format.width - 1)) - 1n) : bits;
  // |decimal - value| must be at most half the distance to the neighbour on that side, ties only for even bits.
  const here = rational(magnitude, format);
  const there = decimalRational(decimal);
  const order = compare(there, here);
  if (order === 0) return true;
  const neighbourBits = order > 0 ? magnitude + 1n : magnitude - 1n;
  if (neighbourBits < 0n) return false;
  const neighbour = rational(neighbourBits, format);
  const middle = { n: here.n * neighbour.d + neighbour.n * here.d, d: 2n * here.d * neighbour.d };
  const side = compare(there, middle);
  if (side === 0) return (magnitude & 1n) === 0n;
  return order > 0 ? side < 0 : side > 0;
}
interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}
function rational(magnitude: bigint, format: FloatFormat): Rational {
  const { significand, exponent } = unpack(magnitude, format);
  return exponent >= 0 ? { n: significand << BigInt(exponent), d: 1n } : { n: significand, d: 1n << BigInt(-exponent) };
}
function decimalRational({ digits, exponent }: Decimal): Rational {
  const n = BigInt(digits || "0");
  return exponent >= 0 ? { n: n * 10n ** BigInt(exponent), d: 1n } : { n, d: 10n ** BigInt(-exponent) };
}
function compare(a: Rational, b: Rational): number {
  const difference = a.n * b.d - b.n * a.d;
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

/** `d.dddddde+XX` */
function scientific({ digits, exponent }: Decimal): string {
  const power = exponent + digits.length - 1;
  const magnitude = Math.abs(power).toString().padStart(2, "0");
  return `${digits[0]}.${digits.slice(1).padEnd(6, "0")}e${power < 0 ? "-" : "+"}${magnitude}`;
}

/** APFloat's default form: plain unless that would need more than three padding zeros. */
function naturalText({ digits, exponent }: Decimal, precision: number): string {
  const MAX_PADDING = 3;
  const power = exponent + digits.length - 1;
  const useScientific = exponent >= 0 ? exponent > MAX_PADDING || digits.length + exponent > precision : power < 0 && -power > MAX_PADDING;
  if (useScientific) {
    const fraction = digits.length > 1 ? digits.slice(1) : "0";
    return `${digits[0]}.${fraction}E${power < 0 ? "-" : "+"}${Math.abs(power)}`;
  }
  if (exponent >= 0) return digits + "0".repeat(exponent);
  if (power >= 0) return `${digits.slice(0, power + 1)}.${digits.slice(power + 1)}`;
  return `0.${"0".repeat(-power - 1)}${digits}`;
}
