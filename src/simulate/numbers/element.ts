/** Kinds of elements in memory, and arrays of them: values as numbers against the bits that memory holds. */
import { byName } from "../../support/by-name.js";
import { bf16ToF32, f32BitsToBf16, f32BitsToF16, halfValues } from "./half.js";
import { encode, type Rounding, type SmallFloatKind, valuesOf } from "./small-float.js";

export type IntegerKind = "i8" | "i16" | "i32" | "i64";
export type FloatElementKind = "f16" | "bf16" | "f32" | "f64" | "f8E4M3FN" | "f8E5M2" | "f8E4M3B15";
/** The element types that a pointer can point to. i1 is stored as i8. */
export type ElementKind = IntegerKind | FloatElementKind;

const BYTES: Readonly<Record<ElementKind, number>> = {
  i8: 1,
  i16: 2,
  i32: 4,
  i64: 8,
  f16: 2,
  bf16: 2,
  f32: 4,
  f64: 8,
  f8E4M3FN: 1,
  f8E5M2: 1,
  f8E4M3B15: 1,
};

export const bytesOf = (kind: ElementKind): number => BYTES[kind];
export const isFloatKind = (kind: ElementKind): kind is FloatElementKind => !kind.startsWith("i");
export const isElementKind = (name: string): name is ElementKind => Object.hasOwn(BYTES, name);

/** Triton's names of element types in signatures (`*fp16`, `*i32`) and in launch files. */
const TRITON_NAMES: Readonly<Record<string, ElementKind>> = byName({
  fp16: "f16",
  bf16: "bf16",
  fp32: "f32",
  fp64: "f64",
  fp8e4nv: "f8E4M3FN",
  fp8e5: "f8E5M2",
  fp8e4b15: "f8E4M3B15",
  i1: "i8",
  i8: "i8",
  i16: "i16",
  i32: "i32",
  i64: "i64",
  u1: "i8",
  u8: "i8",
  u16: "i16",
  u32: "i32",
  u64: "i64",
  f8E4M3B11FNUZ: "f8E4M3B15",
});

/** The kind that Triton or MLIR names so; undefined when it is none. */
export const elementKind = (name: string): ElementKind | undefined => (isElementKind(name) ? name : TRITON_NAMES[name]);

export type BitsArray =
  | Uint8Array
  | Uint16Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

/** An array over `length` elements of a buffer, as memory holds them: f16, bf16 and f8 as their bits, signed integers, f32 and f64 as values. */
export function elementArray(kind: ElementKind, buffer: ArrayBuffer, byteOffset = 0, length?: number): BitsArray {
  switch (kind) {
    case "i8":
      return new Int8Array(buffer, byteOffset, length);
    case "i16":
      return new Int16Array(buffer, byteOffset, length);
    case "i32":
      return new Int32Array(buffer, byteOffset, length);
    case "i64":
      return new BigInt64Array(buffer, byteOffset, length);
    case "f32":
      return new Float32Array(buffer, byteOffset, length);
    case "f64":
      return new Float64Array(buffer, byteOffset, length);
    case "f16":
    case "bf16":
      return new Uint16Array(buffer, byteOffset, length);
    default:
      return new Uint8Array(buffer, byteOffset, length);
  }
}

/** `out[i]` = the value of `bits[i]`; exact. */
export function decodeArray(kind: SmallFloatKind, bits: ArrayLike<number>, out: Float32Array | Float64Array): void {
  if (kind === "bf16") for (let i = 0; i < bits.length; i++) out[i] = bf16ToF32(bits[i]!);
  else {
    const values = kind === "f16" ? halfValues() : valuesOf(kind);
    for (let i = 0; i < bits.length; i++) out[i] = values[bits[i]!]!;
  }
}

/** `out[i]` = the bits of `values[i]`, rounded once. Values of an f32 array in f16 or bf16, to nearest, take the short way. */
export function encodeArray(
  kind: SmallFloatKind,
  values: Float32Array | Float64Array,
  out: Uint8Array | Uint16Array | Uint32Array,
  rounding: Rounding = "rn",
  saturate = false,
): void {
  if (values instanceof Float32Array && rounding === "rn" && !saturate && (kind === "f16" || kind === "bf16")) {
    const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
    const convert = kind === "f16" ? f32BitsToF16 : f32BitsToBf16;
    for (let i = 0; i < bits.length; i++) out[i] = convert(bits[i]!);
  } else for (let i = 0; i < values.length; i++) out[i] = encode(kind, values[i]!, rounding, saturate);
}

const f64 = new Float64Array(1);
const f32 = new Float32Array(f64.buffer);
const bytes = new Uint8Array(f64.buffer);

/** Writes a number as an element: rounded to nearest and, in an f8 kind, clamped; integers wrap. */
export function writeElement(kind: ElementKind, value: number, out: Uint8Array, at: number): void {
  const size = BYTES[kind];
  if (kind === "f64") f64[0] = value;
  else if (kind === "f32") f32[0] = value;
  else {
    const bits = isFloatKind(kind) ? encode(kind, value, "rn", size === 1) : value;
    for (let i = 0, rest = bits; i < size; i++, rest = Math.floor(rest / 256)) bytes[i] = rest; // two's complement for negatives, too
  }
  for (let i = 0; i < size; i++) out[at + i] = bytes[i]!;
}

/** The number that an element encodes; an i64 beyond 2^53 loses low bits. */
export function readElement(kind: ElementKind, from: Uint8Array, at: number): number {
  const size = BYTES[kind];
  bytes.set(from.subarray(at, at + size));
  if (kind === "f64") return f64[0]!;
  if (kind === "f32") return f32[0]!;
  if (isFloatKind(kind)) return valuesOf(kind as SmallFloatKind)[size === 1 ? bytes[0]! : bytes[0]! + 256 * bytes[1]!]!;
  let value = (bytes[size - 1]! << 24) >> 24;
  for (let i = size - 2; i >= 0; i--) value = value * 256 + bytes[i]!;
  return value;
}
