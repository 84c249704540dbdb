/** Layouts whose out dims are those of a tensor, dim0, dim1, ... Source: LayoutUtils.cpp. */
import { LayoutError } from "./layout-error.js";
import { type Dim, LinearLayout } from "./linear-layout.js";
import { log2, shiftsOf } from "./packed-bases.js";

/** ["dim0", ..., "dim<rank-1>"]. */
export function standardOutDimNames(rank: number): readonly string[] {
  let names = NAMES[rank];
  if (names === undefined) {
    names = Array.from({ length: rank }, (_, i) => `dim${i}`);
    NAMES[rank] = names;
  }
  return names;
}

const NAMES: (readonly string[] | undefined)[] = [];

/** [["dim0", shape[0]], ...]. */
export function standardOutDimPairs(shape: readonly number[]): Dim[] {
  return shape.map((size, i): Dim => [`dim${i}`, size]);
}

/** The box of this shape, walked in `order` (fastest dimension first) by the index `inDim`. Out dims come in that order. */
export function identityStandardND(inDim: string, shape: readonly number[], order: readonly number[]): LinearLayout {
  if (shape.length !== order.length) throw new LayoutError("shape and order differ in rank");
  if (shape.length === 0) return LinearLayout.empty();
  const names = standardOutDimNames(shape.length);
  const shifts = shiftsOf(order.map((dim) => log2(shape[dim]!)));
  const packed = new Int32Array(shifts[order.length]!);
  for (let i = 0; i < packed.length; i++) packed[i] = 1 << i;
  return new LinearLayout(
    [inDim],
    [0, packed.length],
    packed,
    order.map((dim) => names[dim]!),
    shifts,
  );
}

/** The same elements under a row-major reshape of the tensor. */
export function reshapeLayout(layout: LinearLayout, shape: readonly number[]): LinearLayout {
  // Layouts count the first out dim as the fastest, tensors the last one.
  return layout
    .transposeOuts([...layout.outDimNames].reverse())
    .reshapeOuts(standardOutDimPairs(shape).reverse())
    .transposeOuts(standardOutDimNames(shape.length));
}

/** The same elements with tensor dimension i made of dimension `order[i]`; the names stay in place. */
export function transposeLinearLayout(layout: LinearLayout, order: readonly number[]): LinearLayout {
  const bases = layout.getBases().map(([name, vectors]) => [name, vectors.map((vector) => order.map((d) => vector[d]!))] as const);
  return LinearLayout.fromBases(bases, layout.outDimNames);
}

/** Without tensor dimension `dim`; those after it move up. */
export function removeStandardDim(layout: LinearLayout, dim: number): LinearLayout {
  const kept = layout.outDimNames.filter((_, i) => i !== dim);
  return layout.sublayout(layout.inDimNames, kept).renameOutDims(standardOutDimNames(kept.length));
}
