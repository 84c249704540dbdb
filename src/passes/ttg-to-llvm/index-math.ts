/** Coordinates and linear indices. Source: lib/Conversion/TritonGPUToLLVM/Utility.cpp, linearize and delinearize. */
import type { Value } from "../../ir/value.js";
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
