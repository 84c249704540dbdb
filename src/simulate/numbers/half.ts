/** The conversions that kernels do by the million, on bits: f16 and bf16 from and to the bits of an f32. */
import { valuesOf } from "./small-float.js";

const f32 = new Float32Array(1);
const i32 = new Int32Array(f32.buffer);

let halves: Float32Array | undefined;

/** The value of every half, by its bits. */
export function halfValues(): Float32Array {
  return (halves ??= Float32Array.from(valuesOf("f16")));
}

/** The half nearest to the f32 with these bits, ties to even; NaN gives 0x7fff. */
export function f32BitsToF16(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x47800000) return magnitude > 0x7f800000 ? 0x7fff : sign | 0x7c00; // 65536 and more
  if (magnitude >= 0x38800000) return sign | (((magnitude + 0xfff + ((magnitude >>> 13) & 1)) >>> 13) - 0x1c000); // normal; carries into the exponent
  if (magnitude < 0x33000000) return sign; // under half of the smallest
  const shift = 126 - (magnitude >>> 23);
  const significand = (magnitude & 0x7fffff) | 0x800000;
  const kept = significand >>> shift;
  const rest = significand & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return sign | (kept + (rest > half || (rest === half && (kept & 1) === 1) ? 1 : 0));
}

/** The bf16 nearest to the f32 with these bits, ties to even; NaN gives 0x7fff. */
export function f32BitsToBf16(bits: number): number {
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** The half nearest to a number that an f32 holds exactly. */
export function f32ToF16(value: number): number {
  f32[0] = value;
  return f32BitsToF16(i32[0]!);
}

/** The bf16 nearest to a number that an f32 holds exactly. */
export function f32ToBf16(value: number): number {
  f32[0] = value;
  return f32BitsToBf16(i32[0]!);
}

/** The number that these bf16 bits stand for. */
export function bf16ToF32(bits: number): number {
  i32[0] = bits << 16;
  return f32[0]!;
}

/** An f32's bits as the tensor cores read tf32: the low 13 bits do not count. */
export const truncateToTf32 = (bits: number): number => bits & 0xffffe000;

/** `cvt.rna.tf32.f32`: the nearest tf32, ties away from zero, as f32 bits. */
export function roundToTf32(bits: number): number {
  const magnitude = bits & 0x7fffffff;
  return magnitude >= 0x7f800000 ? bits : (bits + 0x1000) & 0xffffe000;
}
