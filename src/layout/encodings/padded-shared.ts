/**
 * `#ttg.padded_shared`: a shared_linear-like map with `paddings[i]` unused elements after every `intervals[i]` elements, so that
 * the place of element i is `i + sum_k floor(i / interval_k) * padding_k`. Source: PaddedSharedEncodingAttr.
 */
import type { PaddedSharedParams } from "../encoding-params.js";
import type { LinearLayout } from "../linear-layout.js";
import { identityStandardND, standardOutDimNames } from "../standard-dims.js";
import { combineCtaCgaWithShape } from "./combine-cta-cga.js";
import { movesOneDimEach } from "./linear.js";
import { isPowerOf2 } from "./matrix-order.js";
import { offsetOrder, SHARED_DIMS } from "./shared-linear.js";

/** The linear component of the short form `order`, `shape`: rows as they come. */
export function paddedIdentity(order: readonly number[], shape: readonly number[], cga: LinearLayout): LinearLayout {
  return combineCtaCgaWithShape(identityStandardND("offset", shape, order), cga, shape);
}

/** Does the short form `order`, `shape` describe the linear component? */
export function isPaddedIdentity(layout: LinearLayout): boolean {
  if (layout.getInDimSizeLog2("block") !== 0) return false;
  const identity = identityStandardND("offset", layout.getOutDimSizes(), offsetOrder(layout));
  return identity.transposeOuts(layout.outDimNames).equals(layout.sublayout(["offset"], layout.outDimNames));
}

/** Elements including padding; there is none behind the last element. */
export function getPaddedSize({ intervals, paddings }: PaddedSharedParams, shape: readonly number[]): number {
  const size = shape.reduce((product, n) => product * n, 1);
  return intervals.reduce((total, interval, i) => {
    const padding = paddings[i]!;
    return total + Math.floor(size / interval) * padding - (size % interval === 0 ? padding : 0);
  }, size);
}

/** Where offset `offset` of the linear component lies once padding is counted. */
export function paddedOffset({ intervals, paddings }: PaddedSharedParams, offset: number): number {
  return intervals.reduce((total, interval, i) => total + Math.floor(offset / interval) * paddings[i]!, offset);
}

/** Upstream's complaints about the parameters. */
export function verifyPaddedShared({ intervals, paddings, linearComponent: layout }: PaddedSharedParams): string[] {
  if (intervals.length !== paddings.length) return [`intervals size (${intervals.length}) must match paddings size (${paddings.length})`];
  if (intervals.length === 0) return ["must have at least one interval-padding pair"];
  if (!intervals.every(isPowerOf2)) return ["interval values must all be power of two"];
  if (!paddings.every(isPowerOf2)) return ["padding values must all be power of two"];
  if (new Set(intervals).size !== intervals.length) return ["interval values cannot have duplicates"];
  if (layout.getNumInDims() === 0 && layout.getNumOutDims() === 0) return ["linearComponent cannot be empty"];
  if (layout.inDimNames.join() !== SHARED_DIMS.join()) return ["linearComponent must have [offset, block] as input dims"];
  if (layout.outDimNames.join() !== standardOutDimNames(layout.getNumOutDims()).join())
    return ["Expected output dimensions to be ['dim0', 'dim1', ...]."];
  if (!layout.isInvertible()) return ["Broadcasting is not supported."];
  for (const dim of SHARED_DIMS) {
    const bases = layout.getInDimBases(dim);
    if (!movesOneDimEach(layout.sublayout([dim], layout.outDimNames))) return ["Each offset basis must move in at most one dimension."];
    if (!bases.every((basis) => basis.every((c) => c === 0 || isPowerOf2(c)))) return ["Each offset basis must be 0 or a power of two."];
  }
  return [];
}

/** Elements that a buffer of `elements` takes once padding is counted; none goes behind the last. */
export function paddedSize({ intervals, paddings }: PaddedSharedParams, elements: number): number {
  return intervals.reduce((total, interval, i) => {
    const behindLast = elements % interval === 0 ? 1 : 0;
    return total + (Math.floor(elements / interval) - behindLast) * paddings[i]!;
  }, elements);
}
