/**
 * Questions about encodings: what a thread, a warp, a CTA holds of a tensor of a given shape. Those that take a shape are answered
 * from the linear layout, as upstream does since linear layouts describe every distributed encoding.
 * Source: Dialect.cpp, LinearEncodingAttr.
 */
import { basesPerDim, firstMoved, orderPerDim } from "./bases-per-dim.js";
import type { DistributedParams, EncodingParams, LinearParams, SharedParams } from "./encoding-params.js";
import { encodingsEqual } from "./encoding-text.js";
import { getCTASplitNum, getShapePerCTA } from "./encodings/cga.js";
import { recordOf } from "./encodings/index.js";
import { linearOrder, linearToLinearLayout } from "./encodings/linear.js";
import type { LinearLayout } from "./linear-layout.js";
import { toLinearLayout } from "./to-linear-layout.js";

// ---- without a shape ---------------------------------------------------------------------------------------------------

/** How CTAs share the tensor; undefined for tensor memory that only knows its split numbers. */
export const getCTALayout = (params: EncodingParams): LinearLayout | undefined => recordOf(params).cga(params, getCTALayout);

/** Parts that CTAs cut each dimension into. */
export function getCTASplitNumOf(params: EncodingParams): number[] {
  if (params.kind === "tensor_memory_encoding" || params.kind === "tensor_memory_scales_encoding")
    return [params.CTASplitM, params.CTASplitN];
  return getCTASplitNum(getCTALayout(params)!);
}

/** CTAs of the cluster. */
export function getNumCTAs(params: EncodingParams): number {
  // A linear layout need not divide the tensor among CTAs first.
  const layout = "layout" in params ? params.layout : getCTALayout(params);
  return layout?.hasInDim("block") ? layout.getInDimSize("block") : 1;
}

/** Dimensions of the tensors that the encoding is for. */
export const getRank = (params: EncodingParams): number => recordOf(params).rank(params, getRank);

/** The order in which the encoding's tile repeats over the tensor, fastest dimension first. */
export const getRepOrder = (params: DistributedParams): number[] => recordOf(params).order!(params, getRank(params), getRepOrder);

/** The order in which shared memory runs through the tensor, fastest dimension first. */
export const getSharedOrder = (params: SharedParams, rank: number): number[] => recordOf(params).order!(params, rank, getRepOrder);

/** Whether elements known to be equal are computed one by one all the same. */
export const computesEqualElements = (params: DistributedParams): boolean => recordOf(params).computesEqualElements === true;

/** The alignment in bytes that a buffer of this encoding needs. */
export const getSharedAlignment = (params: SharedParams): number => recordOf(params).alignment?.(params) ?? 16;

/** Where an offset of the linear layout is in shared memory; undefined where it is there already. */
export function placeOf(params: EncodingParams): ((offset: number) => number) | undefined {
  const { padding } = recordOf(params);
  return padding && ((offset) => padding.place(params, offset));
}

/** The unused elements in shared memory: so many after every so many. */
export const paddingsOf = (params: EncodingParams): readonly (readonly [every: number, adds: number])[] =>
  recordOf(params).padding?.pairs(params) ?? [];

/** The layout that an encoding's parameters hold in full, padding aside; undefined where it follows from a shape. */
export const linearComponentOf = (params: EncodingParams): LinearLayout | undefined => recordOf(params).component?.of(params);

/** The encoding with another such layout. */
export const withLinearComponent = (params: EncodingParams, layout: LinearLayout): SharedParams | undefined =>
  recordOf(params).component?.with(params, layout);

/** Elements that a buffer of so many takes, padding included. */
export const sizeInMemory = (params: EncodingParams, elements: number): number =>
  recordOf(params).padding?.size(params, elements) ?? elements;

// ---- with a shape ------------------------------------------------------------------------------------------------------

/** The encoding as `#ttg.linear`, for tensors of this shape. */
export function toLinearEncoding(shape: readonly number[], params: DistributedParams): LinearParams {
  return { kind: "linear", layout: toLinearLayout(shape, params) };
}

/** One CTA's part of the shape. */
export function getShapePerCTAOf(params: EncodingParams, shape: readonly number[]): number[] {
  return getShapePerCTA(getCTASplitNumOf(params), shape);
}

/** As `getShapePerCTAOf`, in elements of memory: fp4 padding doubles the contiguous dimension. */
export function getAllocationShapePerCTA(params: EncodingParams, shape: readonly number[]): number[] {
  if (params.kind !== "nvmma_shared" || !params.fp4Padded) return getShapePerCTAOf(params, shape);
  const packed = getSharedOrder(params, shape.length)[0];
  return getShapePerCTAOf(
    params,
    shape.map((size, d) => (d === packed ? size * 2 : size)),
  );
}

/** Elements that a thread holds along each dimension, duplicates included. */
export function getElemsPerThread(params: DistributedParams, shape: readonly number[]): number[] {
  return basesPerDim(linearToLinearLayout(shape, toLinearEncoding(shape, params)), "register", false);
}

/** Elements that a thread holds: the number of its registers, counting one per element. */
export function getTotalElemsPerThread(params: DistributedParams, shape: readonly number[]): number {
  return product(getElemsPerThread(params, shape));
}

/** Different elements that a thread holds. */
export const getUniqueElemsPerThread = (params: DistributedParams, shape: readonly number[]): number =>
  toLinearLayout(shape, params).removeZeroBasesAlongDim("register").getInDimSize("register");

/** Lanes along each dimension, those with duplicates not counted. */
export function getThreadsPerWarp(params: DistributedParams, shape: readonly number[]): number[] {
  return basesPerDim(toLinearLayout(shape, params), "lane");
}

/** Warps along each dimension, those with duplicates not counted. */
export function getWarpsPerCTA(params: DistributedParams, shape: readonly number[]): number[] {
  return basesPerDim(toLinearLayout(shape, params), "warp");
}

/** The order of the dimensions as a thread's registers run through them. */
export function getOrder(params: DistributedParams, shape: readonly number[]): number[] {
  return linearOrder(toLinearLayout(shape, params));
}

/** The order of the dimensions as lanes run through them. */
export function getThreadOrder(params: DistributedParams, shape: readonly number[]): number[] {
  const layout = toLinearLayout(shape, params);
  return orderPerDim(layout, "lane", linearOrder(layout));
}

/** The order of the dimensions as warps run through them. */
export function getWarpOrder(params: DistributedParams, shape: readonly number[]): number[] {
  const layout = toLinearLayout(shape, params);
  return orderPerDim(layout, "warp", linearOrder(layout));
}

/** The order in which to lay the tensor out in memory: that of registers, or that of lanes where registers have no say. */
export function getOrderForMemory(params: DistributedParams, shape: readonly number[]): number[] {
  const order = getOrder(params, shape);
  const threadOrder = getThreadOrder(params, shape);
  return getElemsPerThread(params, shape)[threadOrder[0]!] === 1 ? threadOrder : order;
}

/** Elements next to each other that a thread holds in consecutive registers, along each dimension. */
export function getContigPerThread(params: DistributedParams, shape: readonly number[]): number[] {
  return contig(
    toLinearLayout(shape, params),
    "register",
    shape.map(() => 1),
  );
}

/** As `getContigPerThread`, going on through the lanes. */
export function getContigPerWarp(params: DistributedParams, shape: readonly number[]): number[] {
  return contig(toLinearLayout(shape, params), "lane", getContigPerThread(params, shape));
}

/** As `getContigPerThread`, at most one CTA's part of the shape: elements next to each other that are not duplicates. */
export function getUniqueContigPerThread(params: DistributedParams, shape: readonly number[]): number[] {
  const perCTA = getShapePerCTAOf(params, shape);
  return getContigPerThread(params, shape).map((size, d) => Math.min(size, perCTA[d]!));
}

/** The elements of a thread within one repetition of the tile, along each dimension. */
export function getSizePerThread(params: DistributedParams, shape: readonly number[]): number[] {
  const layout = toLinearLayout(shape, params);
  const split = basesPerDim(layout, "block");
  const remaining = layout.getOutDimSizes().map((size, d) => size / split[d]!);
  // Registers that reach the far half of what is left are repetitions; they go in rounds over the dimensions.
  const registers = [...layout.getPackedBases("register")];
  const repeated: number[] = [];
  while (registers.length > 0) {
    const last = registers[registers.length - 1]!;
    if (last === 0) break;
    const dim = firstMoved(layout, last);
    if (!repeated.includes(dim)) repeated.push(dim);
    if (dim !== repeated[repeated.length - 1] || 2 * layout.coordinate(last, dim) !== remaining[dim]) break;
    remaining[dim]! /= 2;
    registers.pop();
  }
  const kept = layout.withBases(layout.inDimNames.map((dim) => [dim, dim === "register" ? registers : layout.getPackedBases(dim)]));
  return basesPerDim(kept, "register");
}

/** The part of the tensor that the threads of a CTA cover at once: size per thread x lanes x warps. */
export function getShapePerCTATile(params: DistributedParams, shape: readonly number[]): number[] {
  const threads = getThreadsPerWarp(params, shape);
  const warps = getWarpsPerCTA(params, shape);
  return getSizePerThread(params, shape).map((size, d) => size * threads[d]! * warps[d]!);
}

/** Do two encodings place every element of the shape alike? */
export function areLayoutsEquivalent(shape: readonly number[], a: EncodingParams, b: EncodingParams): boolean {
  return encodingsEqual(a, b) || toLinearLayout(shape, a).equals(toLinearLayout(shape, b));
}

/** Would viewing one tensor as another of equal size move data, because duplicates or elements per thread differ? */
export function isExpensiveView(
  src: DistributedParams,
  srcShape: readonly number[],
  dst: DistributedParams,
  dstShape: readonly number[],
): boolean {
  const srcMasks = toLinearLayout(srcShape, src).getFreeVariableMasks();
  for (const [dim, mask] of toLinearLayout(dstShape, dst).getFreeVariableMasks()) if (srcMasks.get(dim) !== mask) return true;
  return getTotalElemsPerThread(src, srcShape) !== getTotalElemsPerThread(dst, dstShape);
}

/** Does the first `numElems` memory hold the first elements of the tensor in row-major order, and so on? */
export function isInnermostContiguous(params: EncodingParams, shape: readonly number[], numElems: number): boolean {
  const layout = toLinearLayout(shape, params);
  return (
    layout
      .transposeOuts([...layout.outDimNames].reverse())
      .flattenOuts()
      .getNumConsecutiveInOut() >= numElems
  );
}

function contig(layout: LinearLayout, inDim: string, lower: readonly number[]): number[] {
  const bases = layout.getPackedBases(inDim);
  const sizes = [...lower];
  let next = 0;
  for (const dim of linearOrder(layout)) {
    while (next < bases.length && bases[next] === sizes[dim]! << layout.outShift[dim]!) {
      sizes[dim]! *= 2;
      next++;
    }
  }
  return sizes;
}

function product(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total * size, 1);
}
