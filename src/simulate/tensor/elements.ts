/**
 * How the elements of tensors are kept: integers sign-extended in the next larger typed array (true is -1), pointers as
 * addresses in doubles (exact up to 2^53), f32 and f64 as such, narrower floats as their bits, so that moving them changes
 * nothing. Arithmetic on narrow floats decodes through a table, computes in double and rounds once.
 */

import { PointerType } from "../../dialects/tt/types.js";
import type { Type } from "../../ir/attribute.js";
import { type FloatKind, FloatType, IndexType, IntegerType } from "../../ir/builtin-types.js";
import { Bug } from "../../support/assert.js";
import { within } from "../../support/limits.js";
import { f32ToBf16, f32ToF16 } from "../numbers/half.js";
import { encode, SMALL_FLOATS, type SmallFloatKind, valuesOf } from "../numbers/small-float.js";

/** The elements of one tensor, row-major. */
export type Data =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Float32Array
  | Float64Array;

export interface Element {
  /** `i32`, `f16`, `ptr`: unique. */
  readonly name: string;
  readonly family: "int" | "float" | "ptr";
  /** In bits; a pointer has 64. */
  readonly width: number;
  /** How many bytes it takes in memory. */
  readonly bytes: number;
  /** A new array of `length` zeros. */
  alloc(length: number): Data;
  /** Kept as bigint: integers of more than 32 bits. */
  readonly big: boolean;
  /** For floats kept as bits: the value of each, and the bits of a number (nearest, ties to even). */
  readonly decode: Float64Array | undefined;
  readonly encode: ((value: number) => number) | undefined;
}

const known = new Map<string, Element>();
function remember(given: Element): Element {
  const alloc = (n: number) => {
    within("tensor-elements", n);
    return given.alloc(n);
  };
  const element = { ...given, alloc };
  known.set(element.name, element);
  return element;
}

/** The integers of `width` bits, 1 to 64. */
export function intElement(width: number): Element {
  const found = known.get(`i${width}`);
  if (found) return found;
  if (width < 1 || width > 64) throw new Bug(`integers of ${width} bits cannot be simulated`);
  const big = width > 32;
  const alloc = big
    ? (n: number) => new BigInt64Array(n)
    : width > 16
      ? (n: number) => new Int32Array(n)
      : width > 8
        ? (n: number) => new Int16Array(n)
        : (n: number) => new Int8Array(n);
  const bytes = width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : 8;
  return remember({ name: `i${width}`, family: "int", width, bytes, alloc, big, decode: undefined, encode: undefined });
}
/** The record of a float type; one for each kind. */
export function floatElement(kind: FloatKind): Element {
  const found = known.get(kind);
  if (found) return found;
  const base = { name: kind, family: "float", big: false } as const;
  if (kind === "f32" || kind === "tf32")
    return remember({ ...base, width: 32, bytes: 4, alloc: (n) => new Float32Array(n), decode: undefined, encode: undefined });
  if (kind === "f64")
    return remember({ ...base, width: 64, bytes: 8, alloc: (n) => new Float64Array(n), decode: undefined, encode: undefined });
  const small = smallKind(kind);
  if (!small) throw new Bug(`floats of kind ${kind} cannot be simulated`);
  const { width } = SMALL_FLOATS[small];
  const alloc = width > 8 ? (n: number) => new Uint16Array(n) : (n: number) => new Uint8Array(n);
  const toBits = small === "f16" ? f32ToF16 : small === "bf16" ? f32ToBf16 : (value: number) => encode(small, value, "rn", true);
  return remember({ ...base, width, bytes: width > 8 ? 2 : 1, alloc, decode: valuesOf(small), encode: toBits });
}
/** The kind that hardware knows; Triton's fp8e4b15 goes by the name of MLIR's f8E4M3B11FNUZ. */
export function smallKind(kind: FloatKind): SmallFloatKind | undefined {
  if (kind === "f8E4M3B11FNUZ") return "f8E4M3B15";
  return Object.hasOwn(SMALL_FLOATS, kind) ? (kind as SmallFloatKind) : undefined;
}
/** Addresses. */
export const POINTER: Element = remember({
  name: "ptr",
  family: "ptr",
  width: 64,
  bytes: 8,
  alloc: (n) => new Float64Array(n),
  big: false,
  decode: undefined,
  encode: undefined,
});
export const I64 = intElement(64);
export const F32 = floatElement("f32");

/** Whether numbers of that scalar type have elements; other types have none, or are no numbers. */
export function isModelled(type: Type): boolean {
  if (IntegerType.is(type)) return 1 <= type.params.width && type.params.width <= 64;
  if (!FloatType.is(type)) return true;
  const { kind } = type.params;
  return kind === "f32" || kind === "tf32" || kind === "f64" || smallKind(kind) !== undefined;
}

/** The element of a scalar type; undefined for types that are not elements (tokens, buffers). */
export function elementOfType(type: Type): Element | undefined {
  if (IntegerType.is(type)) return intElement(type.params.width);
  if (FloatType.is(type)) return floatElement(type.params.kind);
  if (PointerType.is(type)) return POINTER;
  if (IndexType.is(type)) return I64;
  return undefined;
}
