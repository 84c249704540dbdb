/**
 * The element types CuTe code names, with their widths in bits and the way CuTe prints their values.
 * Source: cutlass/numeric_types.h, cute/numeric/numeric_types.hpp, cute/util/print.hpp.
 */

/** How values of a type are rounded and printed. */
export type NumericClass = "float" | "int" | "uint" | "complex" | "void";

/** An element type. Two names of one type share a record. */
export interface NumericType {
  readonly name: string;
  /** Width in bits (an unpacked sub-byte type counts its own bits, not its container's). */
  readonly bits: number;
  readonly class: NumericClass;
  /** For floats: bits of exponent and mantissa, by which values are rounded. */
  readonly exponent: number;
  readonly mantissa: number;
}

const type = (name: string, bits: number, cls: NumericClass, exponent = 0, mantissa = 0): NumericType => ({
  name,
  bits,
  class: cls,
  exponent,
  mantissa,
});

const half = type("half_t", 16, "float", 5, 10);
const bfloat = type("bfloat16_t", 16, "float", 8, 7);
const all: readonly (readonly [NumericType, ...string[]])[] = [
  [half, "half", "__half", "fp16", "f16"],
  [bfloat, "__nv_bfloat16", "nv_bfloat16", "bf16"],
  [type("tfloat32_t", 32, "float", 8, 10), "tf32"],
  [type("float", 32, "float", 8, 23), "fp32", "f32"],
  [type("double", 64, "float", 11, 52), "fp64", "f64"],
  [type("float_e4m3_t", 8, "float", 4, 3), "e4m3"],
  [type("float_e5m2_t", 8, "float", 5, 2), "e5m2"],
  [type("float_ue4m3_t", 8, "float", 4, 3)],
  [type("float_ue8m0_t", 8, "float", 8, 0)],
  [type("float_e2m1_t", 4, "float", 2, 1), "e2m1"],
  [type("float_e2m3_t", 6, "float", 2, 3), "e2m3"],
  [type("float_e3m2_t", 6, "float", 3, 2), "e3m2"],
  [type("bool", 8, "uint")],
  [type("char", 8, "int")],
  [type("int8_t", 8, "int"), "signed char"],
  [type("uint8_t", 8, "uint"), "unsigned char", "byte", "std::byte"],
  [type("int16_t", 16, "int"), "short"],
  [type("uint16_t", 16, "uint"), "unsigned short"],
  [type("int", 32, "int"), "int32_t", "signed"],
  [type("uint32_t", 32, "uint"), "unsigned", "unsigned int", "uint", "uint_bit_t<32>"],
  [type("int64_t", 64, "int"), "long", "long long", "ptrdiff_t", "ssize_t"],
  [type("uint64_t", 64, "uint"), "size_t", "unsigned long", "unsigned long long", "uintptr_t"],
  [type("uint128_t", 128, "uint"), "int4", "uint4", "float4"],
  [type("uint256_t", 256, "uint")],
  [type("uint1_t", 1, "uint"), "uint1b_t", "bin1_t"],
  [type("int2_t", 2, "int"), "int2b_t"],
  [type("uint2_t", 2, "uint"), "uint2b_t"],
  [type("int4_t", 4, "int"), "int4b_t"],
  [type("uint4_t", 4, "uint"), "uint4b_t"],
  [type("int6_t", 6, "int"), "int6b_t"],
  [type("uint6_t", 6, "uint"), "uint6b_t"],
  [type("void", 0, "void")],
];

/** Every spelling and its type. */
export const numericTypes: ReadonlyMap<string, NumericType> = new Map(
  all.flatMap(([t, ...aliases]) => [t.name, ...aliases].map((n) => [n, t] as const)),
);

/** `complex<T>`: twice as wide. */
export const complexOf = (t: NumericType): NumericType => type(`complex<${t.name}>`, 2 * t.bits, "complex");

/** The unsigned integer of a width (`uint_bit_t<N>`, the types of raw registers). */
export const unsignedOfBits = (bits: number): NumericType => type(`uint${bits}_t`, bits, "uint");

/** The nearest value of the type: round to nearest even, overflow to infinity, integers wrap. */
export function roundTo(t: NumericType, x: number): number {
  if (t.class === "float") return roundFloat(t, x);
  if (t.class === "int" && t.bits <= 32) return (Math.trunc(x) << (32 - t.bits)) >> (32 - t.bits);
  if (t.class === "uint" && t.bits < 32) return Math.trunc(x) & ((1 << t.bits) - 1);
  return Math.trunc(x);
}

function roundFloat(t: NumericType, x: number): number {
  if (!Number.isFinite(x) || x === 0 || t.bits === 64) return x;
  if (t.bits === 32 && t.mantissa === 23) return Math.fround(x);
  const bias = 2 ** (t.exponent - 1) - 1;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(x))), 1 - bias);
  const unit = 2 ** (exponent - t.mantissa);
  const scaled = x / unit;
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  const rounded = (up ? floor + 1 : floor) * unit;
  return Math.abs(rounded) >= 2 ** (bias + 1) && t.bits === 16 ? Math.sign(x) * Number.POSITIVE_INFINITY : rounded;
}

/** A value as CuTe's `print` writes it. */
export const printValue = (t: NumericType, x: number): string => (t.class === "float" ? printFloat(x) : String(Math.trunc(x)));

const printFloat = (x: number): string => (Number.isFinite(x) ? x.toFixed(6) : Number.isNaN(x) ? "nan" : x < 0 ? "-inf" : "inf");

/** A value as CuTe's `pretty_print` pads it inside `print_tensor`. */
export function prettyValue(t: NumericType, x: number): string {
  if (t.name === "bool" || t.bits === 1) return String(Math.trunc(x)).padStart(3);
  if (t.class !== "float") return t.bits < 32 && t.bits >= 8 ? `  ${Math.trunc(x)}` : String(Math.trunc(x)).padStart(5);
  if (t.name === "float" || t.name === "tfloat32_t") return exponential(x, 2).padStart(10);
  if (t.name === "double") return exponential(x, 3).padStart(11);
  return (Number.isFinite(x) ? x.toFixed(2) : printFloat(x)).padStart(8);
}

/** As C's `%.{digits}e`: at least two digits of exponent. */
function exponential(x: number, digits: number): string {
  if (!Number.isFinite(x)) return printFloat(x);
  return x.toExponential(digits).replace(/e([+-])(\d)$/, "e$10$2");
}
