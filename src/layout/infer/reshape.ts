/** Encodings of tt.reshape and ttg.memdesc_reshape. Source: Dialect.cpp, inferReshapeOpEncoding; Ops.cpp, MemDescReshapeOp. */
import { type BlockedParams, type DistributedParams, type EncodingParams, isDistributed, type SharedParams } from "../encoding-params.js";
import { areLayoutsEquivalent, getNumCTAs, getSharedAlignment, linearComponentOf, withLinearComponent } from "../encoding-queries.js";
import { encodingsEqual, encodingText } from "../encoding-text.js";
import { getDefaultBlockedEncoding } from "../encodings/blocked.js";
import { defaultCga, getCTAsPerCGA } from "../encodings/cga.js";
import { linearKind } from "../encodings/generic-linear.js";
import { nvmmaSharedProblem } from "../encodings/nvmma-shared.js";
import { reshapeLayout } from "../standard-dims.js";
import { toLinearLayout } from "../to-linear-layout.js";
import type { Inferred, InferredDistributed } from "./inferred.js";
import { getReshapeDecomposition, type ReshapeStep } from "./reshape-decomposition.js";

/**
 * The encoding under which a reshape moves nothing: blocked where a blocked one can say it, else linear. (A reshape with
 * `allow_reorder` may have any other encoding as well; see `verifyReshape`.)
 */
export function inferReshapeOpEncoding(srcShape: readonly number[], src: EncodingParams, dstShape: readonly number[]): InferredDistributed {
  if (product(srcShape) !== product(dstShape)) return { error: "numel of dst shape does not match numel of src shape" };
  const blocked = src.kind === "blocked" ? inferBlocked(srcShape, src, dstShape) : undefined;
  if (blocked !== undefined) return { encoding: blocked };
  if (!isDistributed(src)) return { error: "Failed MemDescReshapeOp encoding inference" };
  return { encoding: { kind: linearKind(src), layout: reshapeLayout(toLinearLayout(srcShape, src), dstShape) } };
}

/** Complaints about a reshape between these tensors; with `allowReorder` elements may change places, so any encoding will do. */
export function verifyReshape(
  srcShape: readonly number[],
  src: DistributedParams,
  dstShape: readonly number[],
  dst: DistributedParams,
  allowReorder: boolean,
): string[] {
  if (product(srcShape) !== product(dstShape)) return ["number of src and dst elements of reshape must be the same"];
  if (allowReorder) return [];
  const inferred = inferReshapeOpEncoding(srcShape, src, dstShape);
  return "error" in inferred ? [inferred.error] : verifyLayoutsAreEqual(dstShape, inferred.encoding, dst);
}

/** Complaints unless two encodings place the elements of the shape alike. */
export function verifyLayoutsAreEqual(shape: readonly number[], expected: EncodingParams, got: EncodingParams): string[] {
  if (areLayoutsEquivalent(shape, expected, got)) return [];
  return [`Expected result encoding ${encodingText(expected)} but was ${encodingText(got)}`];
}

/** The encoding of a reshaped buffer: nvmma_shared and padded_shared where they can say it, else shared_linear. */
export function inferMemDescReshapeOpEncoding(
  srcShape: readonly number[],
  src: SharedParams,
  dstShape: readonly number[],
): Inferred<SharedParams> {
  if (product(srcShape) !== product(dstShape)) return { error: "dst shape has different number of elements than src" };
  const component = linearComponentOf(src);
  if (component) return { encoding: withLinearComponent(src, reshapeLayout(component, dstShape))! };
  const reshaped = reshapeLayout(toLinearLayout(srcShape, src), dstShape);
  if (src.kind === "nvmma_shared" && getNumCTAs(src) === 1) {
    const innerOf = (shape: readonly number[]): number | undefined => shape[src.transposed ? 0 : shape.length - 1];
    const candidate = { ...src, cga: defaultCga(dstShape.length) };
    const fits = innerOf(srcShape) === innerOf(dstShape) && nvmmaSharedProblem(dstShape, candidate) === undefined;
    if (fits && reshaped.equals(toLinearLayout(dstShape, candidate))) return { encoding: candidate };
  }
  return { encoding: { kind: "shared_linear", layout: reshaped, alignment: getSharedAlignment(src) } };
}

/**
 * The blocked encoding after a reshape, undefined if there is none. A reshape merges and splits dimensions step by step; merging
 * works when the merged dimensions follow each other in the physical order, and the minor ones are used up by registers, lanes
 * and warps before the major ones have any. Going back gives the source encoding again.
 */
function inferBlocked(srcShape: readonly number[], src: BlockedParams, dstShape: readonly number[]): BlockedParams | undefined {
  if (srcShape.join() === dstShape.join()) return src;
  const numWarps = product(src.warpsPerCTA);
  const threadsPerWarp = product(src.threadsPerWarp);
  const numCTAs = product(getCTAsPerCGA(src.cga));
  // The default encoding always becomes the default encoding.
  if (encodingsEqual(src, getDefaultBlockedEncoding(srcShape, numWarps, threadsPerWarp, numCTAs)))
    return getDefaultBlockedEncoding(dstShape, numWarps, threadsPerWarp, numCTAs);
  if (numCTAs !== 1) return undefined;

  const boxes = [src.sizePerThread, src.threadsPerWarp, src.warpsPerCTA];
  if (boxes.some((box) => srcShape.some((size, d) => size >= box[d]! && size % box[d]! !== 0))) return undefined;
  const steps = getReshapeDecomposition(srcShape, dstShape);
  const place = (dim: number): number => src.order.indexOf(dim);
  if (steps.some((step) => !isConsecutive(step.src.map(place).reverse()))) return undefined;
  if (steps.some((step) => !fillsMinorFirst(step, srcShape, boxes))) return undefined;

  const remaining = [...dstShape];
  const [sizePerThread = [], dstThreads = [], warpsPerCTA = []] = boxes.map((box) => splitBox(box, steps, remaining));
  // Result dimensions come in the physical order of the source dimensions that they are made of.
  const byPlace = [...steps].sort((a, b) => place(a.src[0]!) - place(b.src[0]!));
  const order = byPlace.flatMap((step) => [...step.dst].reverse());
  return { kind: "blocked", sizePerThread, threadsPerWarp: dstThreads, warpsPerCTA, order, cga: defaultCga(dstShape.length) };
}

/** 3, 4, 5? */
function isConsecutive(places: readonly number[]): boolean {
  return places.every((place, i) => i === 0 || place === places[i - 1]! + 1);
}

/**
 * Do registers, then lanes, then warps use up each minor source dimension of a step before a more major one has more than 1? A box
 * may exceed the shape only in the most major dimension, after everything else.
 */
function fillsMinorFirst({ src }: ReshapeStep, srcShape: readonly number[], boxes: readonly (readonly number[])[]): boolean {
  const remaining = src.map((dim) => srcShape[dim]!);
  for (const box of boxes) {
    for (let i = src.length - 1; i >= 0; i--) {
      const size = box[src[i]!]!;
      if (size === 1) continue;
      if (remaining.slice(i + 1).some((left) => left !== 1)) return false;
      remaining[i] = remaining[i]! >= size ? remaining[i]! / size : 0;
      if (remaining[i] === 0 && i !== 0) return false;
    }
  }
  return true;
}

/** Deals a box over the result dimensions, minor ones first, and takes it off `remaining`; what exceeds the shape goes to the most major one. */
function splitBox(box: readonly number[], steps: readonly ReshapeStep[], remaining: number[]): number[] {
  const result = remaining.map(() => 1);
  for (const { src, dst } of steps) {
    let left = product(src.map((dim) => box[dim]!));
    for (const dim of [...dst].reverse()) {
      const size = Math.min(left, remaining[dim]!);
      result[dim] = size;
      left = Math.trunc(left / size);
      remaining[dim] = Math.trunc(remaining[dim]! / size);
    }
    result[dst[0]!]! *= left;
  }
  return result;
}

function product(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total * size, 1);
}
