/** Coordinates and linear indices. Source: lib/Conversion/TritonGPUToLLVM/Utility.cpp, linearize and delinearize. */
import type { Value } from "../../ir/value.js";
import { basesPerDim, orderPerDim } from "../../layout/bases-per-dim.js";
import type { DistributedParams } from "../../layout/encoding-params.js";
import { getOrder, toLinearEncoding } from "../../layout/encoding-queries.js";
import type { LLBuilder } from "./ll-builder.js";

/** The index of a coordinate, the first dimension fastest. */
export function linearize(b: LLBuilder, coordinates: readonly Value[], shape: readonly number[]): Value {
  let linear = coordinates.at(-1) ?? b.i32(0);
  for (let d = coordinates.length - 2; d >= 0; d--) linear = b.add(b.mul(linear, b.i32(shape[d]!)), coordinates[d]!);
  return linear;
}
/** As `linearize`, with the dimension `order[0]` fastest. */
export function linearizeInOrder(b: LLBuilder, coordinates: readonly Value[], shape: readonly number[], order: readonly number[]): Value {
  return linearize(
    b,
    order.map((d) => coordinates[d]!),
    order.map((d) => shape[d]!),
  );
}
/** The coordinate of an index, the first dimension fastest. */
export function delinearize(b: LLBuilder, linear: Value, shape: readonly number[]): Value[] {
  let rest = linear;
  return shape.map((extent) => {
    const size = b.i32(extent);
    const coordinate = b.urem(rest, size);
    rest = b.udiv(rest, size);
    return coordinate;
  });
}
/** As `delinearize`, with the dimension `order[0]` fastest. */
export function delinearizeInOrder(b: LLBuilder, linear: Value, shape: readonly number[], order: readonly number[]): Value[] {
  const ordered = delinearize(
    b,
    linear,
    order.map((d) => shape[d]!),
  );
  const result: Value[] = [];
  for (const [i, d] of order.entries()) result[d] = ordered[i]!;
  return result;
}

/** The bits of `value` that are set in `mask`, side by side. Source: Utility.cpp, pext_i32. */
export function extractBits(b: LLBuilder, value: Value, mask: number): Value {
  if (mask === -1) return value;
  let result = b.i32(0);
  let taken = 0;
  for (let rest = mask >>> 0; rest !== 0; ) {
    const low = Math.log2(rest & -rest);
    let length = 0;
    while ((rest >>> (low + length)) & 1) length++;
    const group = ((2 ** length - 1) << low) >>> 0;
    result = b.or(result, b.lshr(b.and(b.i32(group | 0), value), b.i32(low - taken)));
    taken += length;
    rest = (rest & ~group) >>> 0;
  }
  return result;
}

/** Where a lane (or warp) is among those of a layout: its coordinate, and whether it is the first of those that hold the same data. */
export function coordinateOf(
  b: LLBuilder,
  encoding: DistributedParams,
  shape: readonly number[],
  dim: "lane" | "warp",
  id: Value,
): { readonly coordinate: Value[]; readonly isRepresentative: Value } {
  const params = toLinearEncoding(shape, encoding);
  const { layout } = params;
  const free = layout.getFreeVariableMasks().get(dim) ?? 0;
  let isRepresentative = b.i1(true);
  let linear = id;
  if (free !== 0) {
    isRepresentative = b.icmp("eq", b.and(b.i32(free), linear), b.i32(0));
    linear = extractBits(b, linear, ~free & (layout.getInDimSize(dim) - 1));
  }
  const order = orderPerDim(layout, dim, getOrder(params, shape));
  return { coordinate: delinearizeInOrder(b, linear, basesPerDim(layout, dim), order), isRepresentative };
}
