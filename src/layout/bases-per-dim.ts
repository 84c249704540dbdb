/** Reading box sizes and orders off the bases of a layout. Source: Dialect.cpp. */
import type { LinearLayout } from "./linear-layout.js";

/**
 * How many indices of `inDim` lie along each out dim: [4, 8] when two bases move dim0 and three dim1. Bases 0 (duplicates) are
 * skipped; or else (`skipBroadcast` false) they count for the out dim of the last basis before them that moves.
 */
export function basesPerDim(layout: LinearLayout, inDim: string, skipBroadcast = true): number[] {
  const sizes = new Array<number>(layout.getNumOutDims()).fill(1);
  let last = 0;
  for (const v of layout.getPackedBases(inDim)) {
    if (v !== 0) last = firstMoved(layout, v);
    if (v !== 0 || !skipBroadcast) sizes[last]! *= 2;
  }
  return sizes;
}

/** The out dims in the order in which the bases of `inDim` move them, then the others as in `defaultOrder`. */
export function orderPerDim(layout: LinearLayout, inDim: string, defaultOrder: readonly number[]): number[] {
  const order: number[] = [];
  for (const v of layout.getPackedBases(inDim)) {
    if (v === 0) continue;
    const dim = firstMoved(layout, v);
    if (!order.includes(dim)) order.push(dim);
  }
  for (const dim of defaultOrder) if (!order.includes(dim)) order.push(dim);
  return order;
}

/** The first out dim in which a packed basis other than 0 moves. */
export function firstMoved(layout: LinearLayout, v: number): number {
  let d = 0;
  while (layout.coordinate(v, d) === 0) d++;
  return d;
}
