/** `#ttg.blocked`: registers, lanes and warps tile the tensor as nested boxes. Source: BlockedEncodingAttr. */

import type { BlockedParams } from "../encoding-params.js";
import type { LinearLayout } from "../linear-layout.js";
import { identityStandardND } from "../standard-dims.js";
import { cgaFromSplitParams, getCTASplitNum, getShapePerCTA } from "./cga.js";
import { combineCtaCgaWithShape } from "./combine-cta-cga.js";
import { CGA, cgaText, type Encoding, HAS_CGA, ints, list, ORDER, WARPS } from "./encoding.js";
import { isPowerOf2, verifyLayoutOrder } from "./matrix-order.js";

/** register, lane, warp, block -> dim0, dim1, ... */
export function blockedToLinearLayout(shape: readonly number[], params: BlockedParams): LinearLayout {
  const { sizePerThread, threadsPerWarp, warpsPerCTA, order, cga } = params;
  const ctaLayout = identityStandardND("register", sizePerThread, order)
    .multiply(identityStandardND("lane", threadsPerWarp, order))
    .multiply(identityStandardND("warp", warpsPerCTA, order));
  return combineCtaCgaWithShape(ctaLayout, cga, shape);
}

/** Upstream's complaints about the parameters. */
export function verifyBlocked({ sizePerThread, threadsPerWarp, warpsPerCTA, order, cga }: BlockedParams): string[] {
  if (new Set([sizePerThread.length, threadsPerWarp.length, warpsPerCTA.length, order.length]).size !== 1)
    return ["sizePerThread, threadsPerWarp, warpsPerCTA, and order must all have the same rank."];
  if (!sizePerThread.every(isPowerOf2)) return ["Every element in sizePerThread must be a power of two."];
  if (!threadsPerWarp.every(isPowerOf2)) return ["Every element in threadsPerWarp must be a power of two."];
  if (!warpsPerCTA.every(isPowerOf2)) return ["Every element in warpsPerCTA must be a power of two."];
  if (order.length !== cga.getNumOutDims()) return ["BlockedEncodingAttr and CTALayout's fields must have the same rank."];
  return verifyLayoutOrder(order);
}

/** The inputs from which a blocked encoding is made. */
export interface BlockedRequest {
  readonly shape: readonly number[];
  readonly sizePerThread: readonly number[];
  readonly order: readonly number[];
  readonly numWarps: number;
  readonly threadsPerWarp: number;
}

/** Lanes, then warps, fill the dimensions in `order` as far as one CTA's part of the shape goes; the slowest one takes what is left. */
export function makeBlocked(request: BlockedRequest, cga: LinearLayout): BlockedParams {
  const { shape, sizePerThread, order, numWarps } = request;
  const rank = sizePerThread.length;
  const shapePerCTA = getShapePerCTA(getCTASplitNum(cga), shape);
  const threadsPerWarp = new Array<number>(rank).fill(1);
  const warpsPerCTA = new Array<number>(rank).fill(1);
  let remainingLanes = request.threadsPerWarp;
  let remainingThreads = numWarps * request.threadsPerWarp;
  let remainingWarps = numWarps;
  let lanes = 1;
  let warps = 1;
  for (const dim of order.slice(0, rank - 1)) {
    const threads = clamp(remainingThreads, Math.max(1, Math.trunc(shapePerCTA[dim]! / sizePerThread[dim]!)));
    threadsPerWarp[dim] = clamp(threads, remainingLanes);
    warpsPerCTA[dim] = clamp(Math.trunc(threads / threadsPerWarp[dim]!), remainingWarps);
    remainingWarps = Math.trunc(remainingWarps / warpsPerCTA[dim]!);
    remainingLanes = Math.trunc(remainingLanes / threadsPerWarp[dim]!);
    remainingThreads = Math.trunc(remainingThreads / threads);
    lanes *= threadsPerWarp[dim]!;
    warps *= warpsPerCTA[dim]!;
  }
  const slowest = order[rank - 1]!;
  threadsPerWarp[slowest] = Math.trunc(request.threadsPerWarp / lanes);
  warpsPerCTA[slowest] = Math.trunc(numWarps / warps);
  return { kind: "blocked", sizePerThread, threadsPerWarp, warpsPerCTA, order, cga };
}

/** As `makeBlocked`; `numCTAs` CTAs split the tensor, the slowest dimension first. */
export function makeBlockedForCTAs(request: BlockedRequest, numCTAs: number): BlockedParams {
  const { shape, sizePerThread, order } = request;
  const rank = sizePerThread.length;
  const CTAsPerCGA = new Array<number>(rank).fill(1);
  let remaining = numCTAs;
  for (const dim of [...order].reverse()) {
    CTAsPerCGA[dim] = clamp(remaining, Math.max(1, Math.trunc(shape[dim]! / sizePerThread[dim]!)));
    remaining = Math.trunc(remaining / CTAsPerCGA[dim]!);
  }
  const CTASplitNum = [...CTAsPerCGA];
  if (rank > 0) CTAsPerCGA[rank - 1]! *= remaining;
  return makeBlocked(request, cgaFromSplitParams(CTAsPerCGA, CTASplitNum, order));
}

/** The encoding every tensor gets on entering TritonGPU: one element per thread, the last dimension fastest. */
export function getDefaultBlockedEncoding(
  shape: readonly number[],
  numWarps: number,
  threadsPerWarp: number,
  numCTAs: number,
): BlockedParams {
  const order = shape.map((_, i) => shape.length - 1 - i);
  return makeBlockedForCTAs({ shape, sizePerThread: shape.map(() => 1), order, numWarps, threadsPerWarp }, numCTAs);
}

/** `value`, at least 1 and at most `high`. */
function clamp(value: number, high: number): number {
  return Math.max(1, Math.min(value, high));
}

export const BLOCKED: Encoding<BlockedParams> = {
  kind: "blocked",
  dialect: "ttg",
  group: "distributed",
  what: "registers, lanes and warps tile the tensor as nested boxes",
  fields: [
    ints("sizePerThread", "elements of a thread along each dimension"),
    ints("threadsPerWarp", "lanes along each dimension"),
    WARPS,
    ORDER,
    CGA,
  ],
  text({ sizePerThread, threadsPerWarp, warpsPerCTA, order, cga }) {
    const boxes = `sizePerThread = ${list(sizePerThread)}, threadsPerWarp = ${list(threadsPerWarp)}, warpsPerCTA = ${list(warpsPerCTA)}`;
    return `{${boxes}, order = ${list(order)}${cgaText(cga)}}`;
  },
  verify: verifyBlocked,
  toLinearLayout: blockedToLinearLayout,
  ...HAS_CGA,
  order: ({ order }) => [...order],
};
