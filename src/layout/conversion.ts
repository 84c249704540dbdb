/**
 * The data movement that a conversion between two distributed layouts needs.
 *
 * `dst.invertAndCompose(src)` maps each place of the result to the place that its element comes from. Where that map is the identity
 * in `block`, nothing crosses CTAs; then in `warp`, nothing crosses warps; then in `lane`, threads only rearrange registers.
 * Source: lib/Analysis/Utility.cpp.
 */
import { rankOf } from "./gf2.js";
import type { LinearLayout } from "./linear-layout.js";
import { getWarpLayoutConvertDecomposition } from "./warp-conversion.js";

/** The map from places of dst to places of src, without the slowest dims as long as they stay put. */
export function minimalCvtLayout(src: LinearLayout, dst: LinearLayout): LinearLayout {
  let known = minimalOf.get(src);
  if (!known) minimalOf.set(src, (known = new WeakMap()));
  let cvt = known.get(dst);
  if (!cvt) known.set(dst, (cvt = computeMinimalCvtLayout(src, dst)));
  return cvt;
}
/** By source, then by destination: one question about a conversion follows another. */
const minimalOf = new WeakMap<LinearLayout, WeakMap<LinearLayout, LinearLayout>>();
function computeMinimalCvtLayout(src: LinearLayout, dst: LinearLayout): LinearLayout {
  let cvt = dst.invertAndCompose(src);
  const srcDims = [...src.inDimNames].reverse();
  const dstDims = [...dst.inDimNames].reverse();
  for (let i = 0; i < Math.min(srcDims.length, dstDims.length) && srcDims[i] === dstDims[i]; i++) {
    const rest = cvt.quotient([srcDims[i]!]);
    if (rest === undefined) break;
    cvt = rest;
  }
  return cvt;
}

/** Does the conversion at most rearrange the registers of each thread? */
export function cvtReordersRegisters(src: LinearLayout, dst: LinearLayout): boolean {
  return ["", "register"].includes(minimalCvtLayout(src, dst).outDimNames.join());
}

/** Does the conversion stay within warps and take few enough shuffles to be done with them? */
export function cvtNeedsWarpShuffle(src: LinearLayout, dst: LinearLayout): boolean {
  if (minimalCvtLayout(src, dst).outDimNames.join() !== "register,lane") return false;
  const decomposition = getWarpLayoutConvertDecomposition(src, dst, 32);
  return decomposition !== undefined && decomposition.mixedTranspositions.length < 2;
}

/** Does the conversion go through shared memory? */
export function cvtNeedsSharedMemory(src: LinearLayout, dst: LinearLayout): boolean {
  return !cvtReordersRegisters(src, dst) && !cvtNeedsWarpShuffle(src, dst);
}

/** `from.invertAndCompose(memory)`, where what several CTAs have is looked for in the own one. */
export function composeBlockLocal(memory: LinearLayout, from: LinearLayout): LinearLayout {
  const cvt = from.invertAndCompose(memory);
  if (!memory.hasInDim("block")) return cvt;
  const shift = cvt.outShift[cvt.outDimNames.indexOf("block")]!;
  const repeated = [...memory.getPackedBases("block")].flatMap((v, i) => (v === 0 ? [i] : []));
  const others = repeated.reduce((mask, i) => mask & ~(1 << (shift + i)), -1);
  return cvt.withBases(
    cvt.inDimNames.map((name) => [
      name,
      [...cvt.getPackedBases(name)].map((v, i) => (v & others) | (name === "block" && repeated.includes(i) ? 1 << (shift + i) : 0)),
    ]),
  );
}

/** Does a conversion load from the own CTA's memory alone? */
export const isCvtBlockSync = (src: LinearLayout, dst: LinearLayout): boolean =>
  !src.hasInDim("block") || composeBlockLocal(src, dst).isIdentityOnOutDim("block");

/** May the barriers of a conversion be warp-wide: does nothing cross warps, and no warp repeat another's elements? */
export function isCvtWarpSync(src: LinearLayout, dst: LinearLayout): boolean {
  const repeats = (layout: LinearLayout): boolean => (layout.getFreeVariableMasks().get("warp") ?? 0) !== 0;
  return dst.invertAndCompose(src).isTrivialOver(["warp"]) && !repeats(src) && !repeats(dst);
}

/** How far elements travel, and by what means. */
export interface ConversionShape {
  /** The widest thing that an element leaves its place within: `identity` nothing moves at all. */
  readonly scope: "identity" | "thread" | "warp" | "cta" | "cluster";
  readonly means: "nothing" | "registers" | "warp shuffles" | "shared memory" | "distributed shared memory";
  readonly moves: ConversionMoves;
}

/** Places of the result (duplicates included) by where their element comes from. */
export interface ConversionMoves {
  /** The same register of the same thread. */
  readonly stay: number;
  /** Another register of the same thread. */
  readonly betweenRegisters: number;
  /** Another lane of the same warp. */
  readonly betweenLanes: number;
  /** Another warp of the same CTA. */
  readonly betweenWarps: number;
  /** Another CTA. */
  readonly betweenBlocks: number;
}

/** The shape of a conversion and its moves. */
export function conversionShape(src: LinearLayout, dst: LinearLayout): ConversionShape {
  const moves = countMoves(src, dst);
  const outs = minimalCvtLayout(src, dst).outDimNames;
  if (outs.length === 0) return { scope: "identity", means: "nothing", moves };
  if (cvtReordersRegisters(src, dst)) return { scope: "thread", means: "registers", moves };
  const crossesBlocks = outs.includes("block");
  const scope = crossesBlocks ? "cluster" : outs.includes("warp") ? "cta" : "warp";
  if (cvtNeedsWarpShuffle(src, dst)) return { scope, means: "warp shuffles", moves };
  return { scope, means: crossesBlocks ? "distributed shared memory" : "shared memory", moves };
}

/** One place of the result and the place of the source that its element comes from, each as `register, lane, warp, block`. */
export interface Move {
  readonly from: Readonly<Record<string, number>>;
  readonly to: Readonly<Record<string, number>>;
}

/** Where each register of one thread of the result comes from. */
export function movesInto(
  src: LinearLayout,
  dst: LinearLayout,
  place: { readonly lane: number; readonly warp: number; readonly block: number },
): Move[] {
  const cvt = dst.invertAndCompose(src);
  return Array.from({ length: dst.getInDimSize("register") }, (_, register) => {
    const to = { register, ...place };
    return { to, from: cvt.apply(to) };
  });
}

/** Counts moves by algebra: the places that keep their lane, say, are the kernel of a linear map. */
function countMoves(src: LinearLayout, dst: LinearLayout): ConversionMoves {
  const cvt = dst.invertAndCompose(src);
  const total = dst.getTotalInDimSize();
  const keeping = (dims: readonly string[]): number => total / 2 ** rankOf(displacement(cvt, dims));
  const block = keeping(["block"]);
  const warp = keeping(["block", "warp"]);
  const lane = keeping(["block", "warp", "lane"]);
  const register = keeping(["block", "warp", "lane", "register"]);
  return {
    stay: register,
    betweenRegisters: lane - register,
    betweenLanes: warp - lane,
    betweenWarps: block - warp,
    betweenBlocks: total - block,
  };
}

/** The map place -> from ^ to in the given dims, as packed vectors. */
function displacement(cvt: LinearLayout, dims: readonly string[]): Int32Array {
  const vectors = new Int32Array(cvt.packed.length);
  let shift = 0;
  for (const dim of dims) {
    const out = cvt.outDimNames.indexOf(dim);
    const at = cvt.inDimNames.indexOf(dim);
    const outBits = out < 0 ? 0 : cvt.outShift[out + 1]! - cvt.outShift[out]!;
    const inBits = at < 0 ? 0 : cvt.inStart[at + 1]! - cvt.inStart[at]!;
    for (let i = 0; i < vectors.length; i++) if (out >= 0) vectors[i]! ^= cvt.coordinate(cvt.packed[i]!, out) << shift;
    for (let b = 0; b < inBits; b++) vectors[cvt.inStart[at]! + b]! ^= 1 << (shift + b);
    shift += Math.max(outBits, inBits);
  }
  return vectors;
}
