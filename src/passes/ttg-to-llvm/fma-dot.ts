/**
 * Dots by multiplying and adding in the lanes, where the result has a blocked layout.
 * Source: lib/Conversion/TritonGPUToLLVM/DotOpToLLVM/FMADotUtility.cpp.
 */
import type { DotOp } from "../../dialects/tt/ops/dot.js";
import { distributedParams } from "../../dialects/ttg/encodings/define-encoding.js";
import type { TensorType } from "../../ir/builtin-types.js";
import type { View } from "../../ir/define-op.js";
import type { Value } from "../../ir/value.js";
import type { BlockedParams } from "../../layout/encoding-params.js";
import { getContigPerThread, getRepOrder, getShapePerCTAOf } from "../../layout/encoding-queries.js";
import type { Lowering } from "./lowering.js";

/** A row of A times a column of B, added to an element of C. */
export type MultiplyVectors = (row: readonly Value[], column: readonly Value[], start: Value) => Value;

const shapePerCTA = (value: Value): number[] => {
  const { shape, encoding } = (value.type as TensorType).params;
  return getShapePerCTAOf(distributedParams(encoding)!, shape);
};

/** A shape or tile of two dimensions as one of three, with a batch of one in front; orders likewise. */
const withBatch = (shape: readonly number[]): number[] => (shape.length === 3 ? [...shape] : [1, ...shape]);
const orderWithBatch = (order: readonly number[]): number[] => (order.length === 3 ? [...order] : [...order.map((d) => d + 1), 0]);
const product = (shape: readonly number[]): number => shape.reduce((n, extent) => n * extent, 1);
function linear(coordinate: readonly number[], shape: readonly number[], order: readonly number[]): number {
  return order.reduceRight((sum, d) => sum * shape[d]! + coordinate[d]!, 0);
}

/** A dot by multiplications and additions of elements in each thread. */
export function lowerFmaDot(lo: Lowering, { a, b, c, d }: View<typeof DotOp>, encoding: BlockedParams, multiply: MultiplyVectors): void {
  const acc = [...lo.elements(c)];
  const { shape } = (d.type as TensorType).params;
  const contiguous = getContigPerThread(encoding, shape);
  const perThread = withBatch(contiguous);
  const tile = withBatch(contiguous.map((size, i) => size * encoding.threadsPerWarp[i]! * encoding.warpsPerCTA[i]!));
  const inOrder = orderWithBatch(encoding.order);
  const repOrder = orderWithBatch(getRepOrder(encoding));
  const reps = withBatch(shapePerCTA(d)).map((extent, i) => Math.ceil(extent / tile[i]!));
  const K = withBatch(shapePerCTA(a))[2]!;
  const elementsA = lo.elements(a);
  const elementsB = lo.elements(b);

  /** The element of an operand: its place in the repetition, then the repetition. */
  const pick = (elements: readonly Value[], isA: boolean, rep: readonly number[], at: readonly number[], k: number): Value => {
    const tileShape = isA ? [perThread[0]!, perThread[1]!, K] : [perThread[0]!, K, perThread[2]!];
    const repShape = isA ? [reps[0]!, reps[1]!, 1] : [reps[0]!, 1, reps[2]!];
    const inTile = isA ? [at[0]!, at[1]!, k] : [at[0]!, k, at[2]!];
    const which = isA ? [rep[0]!, rep[1]!, 0] : [rep[0]!, 0, rep[2]!];
    return elements[linear(inTile, tileShape, inOrder) + linear(which, repShape, repOrder) * product(tileShape)]!;
  };
  const along = Array.from({ length: K }, (_, k) => k);
  for (const rep of coordinates(reps))
    for (const at of coordinates(perThread)) {
      const index = linear(at, perThread, inOrder) + linear(rep, reps, repOrder) * product(perThread);
      const row = along.map((k) => pick(elementsA, true, rep, at, k));
      const column = along.map((k) => pick(elementsB, false, rep, at, k));
      acc[index] = multiply(row, column, acc[index]!);
    }
  lo.setElements(d, acc);
}
/** All coordinates of a shape, the last dimension fastest. */
function coordinates(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>((list, extent) => list.flatMap((c) => Array.from({ length: extent }, (_, i) => [...c, i])), [[]]);
}
