/** Fitting a layout to a shape. Source: LayoutUtils.cpp. */
import { LayoutError } from "./layout-error.js";
import { LinearLayout } from "./linear-layout.js";
import { type PackedBases, shiftsOf } from "./packed-bases.js";

/** Sizes by out dim. */
export type Shape = Readonly<Record<string, number>>;

/**
 * Shrinks out dims that exceed `shape`, in dims untouched: the bases with the largest coordinates there become 0, so what
 * they pointed to is a duplicate. With out dim size 32 and `shape` 8, the bases 8, 4, 1, 2, 16 become 0, 4, 1, 2, 0.
 * With `broadcastRegisters` false, register bases are dropped instead of set to 0. Works for coordinates that are powers of two.
 */
export function ensureLayoutNotLargerThan(layout: LinearLayout, shape: Shape, broadcastRegisters = true): LinearLayout {
  const sizes = layout.getOutDimSizes();
  const desired = layout.outDimNames.map((dim) => sizeOf(shape, dim));
  if (desired.every((size, d) => sizes[d]! <= size)) return layout;

  const bases = layout.getBases();
  const dropped = new Set<number>();
  for (let d = 0; d < sizes.length; d++) {
    let size = sizes[d]!;
    if (size <= desired[d]!) continue;
    const moving = bases.flatMap(([inDim, vectors]) => vectors.flatMap((vector, pos) => (vector[d] === 0 ? [] : [{ inDim, vector, pos }])));
    moving.sort((a, b) => b.vector[d]! - a.vector[d]!);
    for (const { inDim, vector, pos } of moving) {
      // In a swizzled layout several bases may lead beyond the size.
      if (size <= desired[d]! && vector[d]! < desired[d]!) break;
      if (!broadcastRegisters && inDim === "register") dropped.add(pos);
      else vector[d] = 0;
      size >>= 1;
    }
  }
  const shrunk = bases.map(
    ([inDim, vectors]) => [inDim, inDim === "register" ? vectors.filter((_, pos) => !dropped.has(pos)) : vectors] as const,
  );
  return LinearLayout.fromBases(
    shrunk,
    layout.outDimNames.map((dim, d) => [dim, Math.min(sizes[d]!, desired[d]!)] as const),
    false,
  );
}

/**
 * Grows out dims that fall short of `shape`, by repeating the layout along its first in dim (register or offset). The out
 * dims are filled in their order, the first one fastest.
 */
export function ensureLayoutNotSmallerThan(layout: LinearLayout, shape: Shape): LinearLayout {
  const sizes = layout.outDimNames.map((_, d) => layout.outShift[d + 1]! - layout.outShift[d]!);
  const grown = layout.outDimNames.map((dim, d) => Math.max(sizes[d]!, floorLog2(sizeOf(shape, dim))));
  if (grown.every((size, d) => size === sizes[d])) return layout;
  if (layout.getNumInDims() === 0) throw new LayoutError("a layout without in dims cannot be repeated");

  const shifts = shiftsOf(grown);
  if (shifts[grown.length]! > 31) throw new LayoutError("LinearLayout too large");
  const move = (v: number): number => layout.outDimNames.reduce((packed, _, d) => packed | (layout.coordinate(v, d) << shifts[d]!), 0);
  const bases = layout.inDimNames.map((inDim, i): PackedBases => {
    const moved = Array.from(layout.getPackedBases(inDim), move);
    if (i > 0) return [inDim, moved];
    for (let d = 0; d < grown.length; d++) for (let b = sizes[d]!; b < grown[d]!; b++) moved.push(1 << (shifts[d]! + b));
    return [inDim, moved];
  });
  const start = shiftsOf(bases.map(([, vectors]) => vectors.length));
  return new LinearLayout(
    layout.inDimNames,
    start,
    Int32Array.from(bases.flatMap(([, vectors]) => Array.from(vectors))),
    layout.outDimNames,
    shifts,
  );
}

function floorLog2(size: number): number {
  return 31 - Math.clz32(size);
}

function sizeOf(shape: Shape, dim: string): number {
  const size = shape[dim];
  if (size === undefined) throw new LayoutError(`no size is given for ${dim}`);
  return size;
}
