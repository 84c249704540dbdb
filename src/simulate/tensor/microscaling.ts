/** Operands with a scale for each block of elements along K, as numbers. */

import type { SmallFloatKind } from "../numbers/small-float.js";
import { valuesOf } from "../numbers/small-float.js";
import { F32 } from "./elements.js";
import { type Tensor, tensor } from "./value.js";

/** The element kinds of an operand; two `e2m1` elements share a byte, the low half first. */
export type ScaledKind = "e4m3" | "e5m2" | "e2m3" | "e3m2" | "e2m1" | "bf16" | "fp16";
const KINDS: Readonly<Record<ScaledKind, SmallFloatKind>> = {
  e4m3: "f8E4M3FN",
  e5m2: "f8E5M2",
  e2m3: "f6E2M3FN",
  e3m2: "f6E3M2FN",
  e2m1: "f4E2M1FN",
  bf16: "bf16",
  fp16: "f16",
};

/** The f32 matrix of packed or narrow elements. `packedDim`: the dimension along which fp4 is packed. */
export function unpacked(value: Tensor, kind: ScaledKind, packedDim: number): Tensor {
  const table = valuesOf(KINDS[kind]);
  const { data, shape } = value;
  if (kind !== "e2m1")
    return tensor(
      F32,
      shape,
      Float32Array.from(data as Uint8Array, (bits) => table[bits & (table.length - 1)]!),
    );
  const inner = shape.slice(packedDim + 1).reduce((a, b) => a * b, 1);
  const extent = shape[packedDim]!;
  const out = new Float32Array(2 * data.length);
  for (let i = 0; i < data.length; i++) {
    const byte = Number(data[i]) & 0xff;
    const column = i % inner;
    const row = Math.floor(i / inner);
    const at = (Math.floor(row / extent) * 2 * extent + 2 * (row % extent)) * inner + column;
    out[at] = table[byte & 15]!;
    out[at + inner] = table[byte >> 4]!;
  }
  return tensor(F32, shape.with(packedDim, 2 * extent), out);
}

/** Multiplies blocks along K: `kDim` 1 for the left operand (scales [M, K/block]), 0 for the right one (scales [N, K/block]). */
export function scaled(value: Tensor, scale: Tensor | undefined, kDim: 0 | 1): Tensor {
  if (!scale) return value;
  const factors = scale.element.decode ?? valuesOf("f8E8M0FNU");
  const [rows, columns] = value.shape.slice(-2) as [number, number];
  const blocks = scale.shape.at(-1)!;
  const k = kDim === 1 ? columns : rows;
  const block = k / blocks;
  const out = new Float32Array(value.data.length);
  const size = rows * columns;
  for (let i = 0; i < out.length; i++) {
    const [z, rest] = [Math.floor(i / size), i % size];
    const [r, c] = [Math.floor(rest / columns), rest % columns];
    const [outer, at] = kDim === 1 ? [r, c] : [c, r];
    const numOuter = kDim === 1 ? rows : columns;
    const bits = Number(scale.data[(z * numOuter + outer) * blocks + Math.floor(at / block)]) & 0xff;
    out[i] = (value.data[i] as number) * factors[bits]!;
  }
  return tensor(F32, value.shape, out);
}
