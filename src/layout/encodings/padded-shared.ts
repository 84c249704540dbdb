/**
 * `#ttg.padded_shared`: a shared_linear-like map with `paddings[i]` unused elements after every `intervals[i]` elements, so that
 * the place of element i is `i + sum_k floor(i / interval_k) * padding_k`. Source: PaddedSharedEncodingAttr.
 */

import type { PaddedSharedParams } from "../encoding-params.js";
import type { LinearLayout } from "../linear-layout.js";
import { identityStandardND, standardOutDimNames } from "../standard-dims.js";
import { linearToCga } from "./cga.js";
import { combineCtaCgaWithShape } from "./combine-cta-cga.js";
import { bases, basesText, type Encoding, ints, list } from "./encoding.js";
import { movesOneDimEach } from "./linear.js";
import { isPowerOf2 } from "./matrix-order.js";
import { offsetOrder, SHARED_DIMS, sharedLinearToLinearLayout } from "./shared-linear.js";

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

/** Where offset `offset` of the linear component lies once padding is counted. */
export function paddedOffset({ intervals, paddings }: PaddedSharedParams, offset: number): number {
  return intervals.reduce((total, interval, i) => total + Math.floor(offset / interval) * paddings[i]!, offset);
}

/** Upstream's complaints about the parameters; since 3.8 CTAs may have the same elements. */
export function verifyPaddedShared({ intervals, paddings, linearComponent: layout }: PaddedSharedParams, ctasShare: boolean): string[] {
  if (intervals.length !== paddings.length) return [`intervals size (${intervals.length}) must match paddings size (${paddings.length})`];
  if (intervals.length === 0) return ["must have at least one interval-padding pair"];
  if (!intervals.every(isPowerOf2)) return ["interval values must all be power of two"];
  if (!paddings.every(isPowerOf2)) return ["padding values must all be power of two"];
  if (new Set(intervals).size !== intervals.length) return ["interval values cannot have duplicates"];
  if (layout.getNumInDims() === 0 && layout.getNumOutDims() === 0) return ["linearComponent cannot be empty"];
  if (layout.inDimNames.join() !== SHARED_DIMS.join()) return ["linearComponent must have [offset, block] as input dims"];
  if (layout.outDimNames.join() !== standardOutDimNames(layout.getNumOutDims()).join())
    return ["Expected output dimensions to be ['dim0', 'dim1', ...]."];
  if (!ctasShare && !layout.isInvertible()) return ["Broadcasting is not supported."];
  if (!layout.sublayout(["offset"], layout.outDimNames).isInjective()) return ["Broadcasting in offset dimension is not supported."];
  for (const dim of SHARED_DIMS) {
    const bases = layout.getInDimBases(dim);
    if (!movesOneDimEach(layout.sublayout([dim], layout.outDimNames))) return ["Each offset basis must move in at most one dimension."];
    if (!bases.every((basis) => basis.every((c) => c === 0 || isPowerOf2(c)))) return ["Each offset basis must be 0 or a power of two."];
  }
  return [];
}

/** Elements that a buffer of `elements` takes once padding is counted; none goes after the last. */
function paddedSize({ intervals, paddings }: PaddedSharedParams, elements: number): number {
  return intervals.reduce((total, interval, i) => {
    const behindLast = elements % interval === 0 ? 1 : 0;
    return total + (Math.floor(elements / interval) - behindLast) * paddings[i]!;
  }, elements);
}

export const PADDED_SHARED: Encoding<PaddedSharedParams> = {
  kind: "padded_shared",
  dialect: "ttg",
  group: "shared memory",
  what: "paddings between intervals of elements",
  fields: [
    { name: "[interval:+padding, ...]", type: "pads", what: "elements inserted after every interval" },
    bases("offset", "where each bit of the unpadded offset leads", "from order and shape"),
    bases("block", "where each bit of block leads", "from order and shape"),
    ints("order", "the dimensions, fastest first (with shape, instead of offset and block)", "-"),
    ints("shape", "the tensor (with order)", "-"),
  ],
  text({ intervals, paddings, linearComponent: layout }) {
    const pads = intervals.map((interval, i) => `${interval}:+${paddings[i]}`).join(", ");
    const rows = isPaddedIdentity(layout);
    return `[${pads}] {${rows ? `order = ${list(offsetOrder(layout))}, shape = ${list(layout.getOutDimSizes())}` : basesText(layout)}}`;
  },
  verify: (params) => verifyPaddedShared(params, true),
  toLinearLayout: (shape, { linearComponent }) => sharedLinearToLinearLayout(shape, linearComponent),
  cga: ({ linearComponent }) => linearToCga(linearComponent),
  rank: ({ linearComponent }) => linearComponent.getNumOutDims(),
  order: ({ linearComponent }) => offsetOrder(linearComponent),
  padding: {
    pairs: ({ intervals, paddings }) => intervals.map((every, i) => [every, paddings[i]!] as const),
    place: paddedOffset,
    size: paddedSize,
  },
  component: { of: ({ linearComponent }) => linearComponent, with: (params, linearComponent) => ({ ...params, linearComponent }) },
};
