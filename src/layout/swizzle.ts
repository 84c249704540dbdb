/**
 * The best way to pass a tensor through shared memory from one distributed layout to another: a map from memory places
 * (in dims vector, bank, segment, reps) to the tensor such that the store and the load are as wide as both layouts allow and hit
 * different banks.
 *
 * - vector: elements next to each other in one access; both layouts hold them in registers.
 * - bank: the place within a row of 32 banks.
 * - segment: the row. Bases that the lanes of neither side move come first; where those run out, sums of a basis that only the
 *   store moves and one that only the load moves: xor swizzling.
 * - reps: bases that both sides hold in registers, so the exchange may run in rounds and reuse its memory.
 *
 * Tensors are flattened throughout: only positions count. Source: lib/Tools/GenericSwizzling.cpp.
 */

import { Bug } from "../support/assert.js";
import { bankConflicts } from "./bank-conflicts.js";
import { ColumnAction, regPermForDivide } from "./column-action.js";
import { composeBlockLocal } from "./conversion.js";
import { divideRight } from "./divide.js";
import { complementBasis, intersectionBasis } from "./gf2.js";
import { type Dim, LinearLayout } from "./linear-layout.js";

/**
 * Which lane bits an instruction uses in one wavefront, at full width (ld.shared.v4, ldmatrix.x4, ...): those within the
 * contiguous part of an access (registers make up for missing ones), and those in the addresses (three, likewise).
 */
export interface LocalMemOpTile {
  readonly laneContig: readonly number[];
  readonly laneAddr: readonly number[];
}

/** A swizzling and the store and load instructions (places in the given lists) that it is made for. */
export interface Swizzling {
  readonly smem: LinearLayout;
  readonly srcTile: number;
  readonly dstTile: number;
}

/**
 * The swizzling with the fewest conflicts over all pairs of instructions that fit; the pair that needs most rounds (reps) wins a tie.
 * Without a full-width pair: `optimalSwizzlingLdSt`. Neither layout repeats an element in registers of one thread.
 */
export function optimalSwizzling(
  src: LinearLayout,
  dst: LinearLayout,
  srcTiles: readonly LocalMemOpTile[],
  dstTiles: readonly LocalMemOpTile[],
  bitwidth: number,
): Swizzling {
  const from = new Side(src);
  const to = new Side(dst.transposeOuts(src.outDimNames));
  const totalBases = Math.log2(128 / bitwidth);
  let best: (Swizzling & { readonly conflicts: number; readonly reps: number }) | undefined;
  srcTiles.forEach((srcInstr, srcTile) => {
    dstTiles.forEach((dstInstr, dstTile) => {
      const vec = optimalSwizzlingTile(from, to, totalBases, srcInstr, dstInstr);
      if (vec === undefined) return;
      const tileSrc = addressTile(srcInstr, from, vec);
      const tileDst = addressTile(dstInstr, to, vec);
      if (tileSrc === undefined || tileDst === undefined) return;
      const missing = (instr: LocalMemOpTile): number => instr.laneContig.length + instr.laneAddr.length - 3;
      const leaveReps = Math.min(missing(srcInstr), missing(dstInstr));
      const smem = swizzleFor(from, to, bitwidth, vec, tileSrc, tileDst, src.getOutDims(), leaveReps);
      const { read, write } = bankConflicts(tileSrc, tileDst, smem);
      const reps = smem.getInDimSize("reps");
      const conflicts = read + write;
      if (best === undefined || conflicts < best.conflicts || (conflicts === best.conflicts && reps > best.reps))
        best = { smem, srcTile, dstTile, conflicts, reps };
    });
  });
  if (best !== undefined) return { smem: best.smem, srcTile: best.srcTile, dstTile: best.dstTile };
  return { smem: optimalSwizzlingLdSt(src, dst, bitwidth), srcTile: 0, dstTile: 0 };
}

/** The best swizzling for plain loads and stores. Neither layout repeats an element in registers of one thread. */
export function optimalSwizzlingLdSt(src: LinearLayout, dst: LinearLayout, bitwidth: number): LinearLayout {
  const from = new Side(src);
  const to = new Side(dst.transposeOuts(src.outDimNames));
  let vec = intersectionBasis(from.registers, to.registers, from.dim).slice(0, Math.log2(128 / bitwidth));
  let srcFillsBank: boolean | undefined;
  if (2 ** vec.length * bitwidth < 32) [vec, srcFillsBank] = fillBank(from, to, vec, bitwidth);
  const log2Words = Math.floor(Math.log2(Math.max(1, (2 ** vec.length * bitwidth) / 32)));
  const tileSrc = from.lanes.slice(0, from.lanes.length - log2Words);
  const tileDst = to.lanes.slice(0, to.lanes.length - log2Words);
  const smem = swizzleFor(from, to, bitwidth, vec, tileSrc, tileDst, src.getOutDims(), 0);
  return log2Words < 2 ? registersFirst(smem, from, to, srcFillsBank) : smem;
}

/** The bases of one side, flattened. */
class Side {
  readonly layout: LinearLayout;
  readonly dim: number;
  readonly registers: readonly number[];
  readonly lanes: readonly number[];
  readonly warps: readonly number[];
  /** The bases that pick the CTA of a cluster; none where the layout is one CTA's. */
  readonly blocks: readonly number[];

  constructor(layout: LinearLayout) {
    this.layout = layout.flattenOuts();
    this.dim = layout.getTotalOutDimSizeLog2();
    this.registers = Array.from(layout.getPackedBases("register"));
    this.lanes = Array.from(layout.getPackedBases("lane"));
    this.warps = layout.hasInDim("warp") ? Array.from(layout.getPackedBases("warp")) : [];
    this.blocks = layout.hasInDim("block") ? Array.from(layout.getPackedBases("block")) : [];
  }
}

/**
 * The contiguous tile that both instructions access, as bases: registers of both sides, then lanes. Undefined if they do not fit
 * together: the lanes of one side that the tile has must be registers, or the same lanes, of the other.
 */
function optimalSwizzlingTile(a: Side, b: Side, totalBases: number, instrA: LocalMemOpTile, instrB: LocalMemOpTile): number[] | undefined {
  const regsA = totalBases - instrA.laneContig.length;
  const regsB = totalBases - instrB.laneContig.length;
  if (regsA < regsB) return optimalSwizzlingTile(b, a, totalBases, instrB, instrA);
  const cvt = b.layout.invertAndCompose(a.layout);
  const vec = intersectionBasis(a.registers, b.registers, a.dim);
  if (vec.length < regsB) return undefined;
  const laneTileA = instrA.laneContig.map((lane) => a.lanes[lane]!);
  const laneTileB = instrB.laneContig.map((lane) => b.lanes[lane]!);
  if (laneTileA.includes(0) || laneTileB.includes(0)) return undefined;
  for (const lane of instrB.laneContig.slice(0, regsA - regsB)) if (cvt.getBasis("lane", lane, "register") === 0) return undefined;
  const others = instrB.laneContig.slice(instrB.laneContig.length - instrA.laneContig.length);
  if (instrA.laneContig.some((lane, i) => cvt.getBasis("lane", others[i]!, "lane") !== 1 << lane)) return undefined;
  return [...vec.slice(0, regsB), ...laneTileB];
}

/** The three bases that the addresses of one wavefront span: registers outside the vector, then the instruction's lanes. */
function addressTile(instr: LocalMemOpTile, side: Side, vec: readonly number[]): number[] | undefined {
  const needed = 3 - instr.laneAddr.length;
  const registers = side.registers.filter((r) => !vec.includes(r)).slice(0, needed);
  return registers.length < needed ? undefined : [...registers, ...instr.laneAddr.map((lane) => side.lanes[lane]!)];
}

function swizzleFor(
  src: Side,
  dst: Side,
  bitwidth: number,
  vec: readonly number[],
  tileSrc: readonly number[],
  tileDst: readonly number[],
  outDims: readonly Dim[],
  leaveReps: number,
): LinearLayout {
  const dim = src.dim;
  const blocks = src.blocks.filter((v) => v !== 0);
  const within = dim - vec.length - blocks.length;
  const bankBases = Math.min(Math.floor(Math.log2(1024 / (2 ** vec.length * bitwidth))), within);
  const segment = computeSegment([...vec, ...tileSrc, ...blocks], [...vec, ...tileDst, ...blocks], dim, within - bankBases);
  const bank = complementBasis([...vec, ...segment, ...blocks], dim);

  // A segment that both sides hold in registers becomes a repetition. The first `leaveReps` stay, to widen instructions by.
  const reps: number[] = [];
  const kept: number[] = [];
  for (const s of segment) {
    if (!src.registers.includes(s) || !dst.registers.includes(s)) kept.push(s);
    else if (leaveReps > 0) {
      leaveReps--;
      kept.push(s);
    } else reps.push(s);
  }
  const unflatten = (bases: readonly number[]): number[][] => bases.map((v) => [v]);
  const total = outDims.reduce((product, [, size]) => product * size, 1);
  return LinearLayout.fromBases(
    [
      ["vector", unflatten(vec)],
      ["bank", unflatten(bank)],
      ["segment", unflatten(kept)],
      ["reps", unflatten(reps)],
      ...(src.layout.hasInDim("block") ? [["block", unflatten(src.blocks)] as const] : []),
    ],
    [["flat", total]],
  ).reshapeOuts(outDims);
}

/** The bases that pick the row of the banks, `length` of them: best those that neither side's accesses move. */
function computeSegment(bankSrc: readonly number[], bankDst: readonly number[], dim: number, length: number): number[] {
  const srcSet = new Set(bankSrc.filter((v) => v !== 0));
  const dstSet = new Set(bankDst.filter((v) => v !== 0));
  const segment: number[] = [];
  for (let b = 0; b < dim; b++) if (!srcSet.has(1 << b) && !dstSet.has(1 << b)) segment.push(1 << b);
  if (segment.length >= length) return segment.slice(0, length);

  const ascending = (x: number, y: number): number => x - y;
  let few = [...srcSet].filter((v) => !dstSet.has(v)).sort(ascending);
  let many = [...dstSet].filter((v) => !srcSet.has(v)).sort(ascending);
  if (few.length > many.length) [few, many] = [many, few];
  const conflicts = Math.min(Math.max(0, length - few.length - segment.length), few.length);
  for (let i = conflicts; i < few.length; i++) segment.push(few[i]! ^ many[i]!);
  segment.push(...few.slice(0, conflicts), ...many.slice(0, conflicts));
  return segment.slice(0, length);
}

/**
 * Elements narrower than a bank: fills the vector up to 32 bits with bases that one side has in registers and the other in warps,
 * then with warps. Says which side the registers came from.
 */
function fillBank(src: Side, dst: Side, common: readonly number[], bitwidth: number): [vec: number[], srcFillsBank: boolean] {
  const perBank = Math.log2(32 / bitwidth);
  const warpsSrc = src.warps.filter((w) => w !== 0);
  const warpsDst = dst.warps.filter((w) => w !== 0);
  const outside = (registers: readonly number[]): number[] => registers.filter((r) => !common.includes(r));
  const srcToWarp = intersectionBasis(outside(src.registers), warpsDst, src.dim);
  const dstToWarp = intersectionBasis(outside(dst.registers), warpsSrc, src.dim);
  const tie = srcToWarp.length === dstToWarp.length && srcToWarp.length > 0;
  const srcFills = tie ? Math.min(...srcToWarp) < Math.min(...dstToWarp) : srcToWarp.length > dstToWarp.length;
  const vec = [...common, ...(srcFills ? srcToWarp : dstToWarp)];
  if (vec.length < perBank) vec.push(...intersectionBasis(warpsSrc, warpsDst, src.dim));
  for (let i = 0; vec.length < perBank && (i < warpsSrc.length || i < warpsDst.length); i++) {
    if (i < warpsSrc.length && !vec.includes(warpsSrc[i]!)) vec.push(warpsSrc[i]!);
    if (vec.length < perBank && i < warpsDst.length && !vec.includes(warpsDst[i]!) && !src.blocks.includes(warpsDst[i]!))
      vec.push(warpsDst[i]!);
  }
  return [vec.slice(0, perBank), srcFills];
}

/** How one side of a conversion accesses shared memory. */
export interface SwizzledSide {
  /** Registers in the order in which they take part, round after round. */
  readonly order: ColumnAction;
  /** Layout of one round: registers, lanes and warps to offsets in elements; also blocks, where the sides have them. */
  readonly layout: LinearLayout;
  /** The instruction: 0 plain, 1 st- or ldmatrix, 2 its .trans. */
  readonly tile: number;
}
export interface SwizzledConversion {
  readonly rounds: number;
  readonly store: SwizzledSide;
  readonly load: SwizzledSide;
}

/**
 * A conversion through shared memory on a target, by plain accesses alone if it has no others. The layouts are those of one CTA, or both
 * have blocks: then a CTA stores what it has in its own memory, and loads from others'. They repeat no element in registers of one thread.
 */
export function swizzledConversion(src: LinearLayout, dst: LinearLayout, target: MatrixInstructions, bitwidth: number): SwizzledConversion {
  const { smem, srcTile, dstTile } = swizzlingOn(target, src, dst, bitwidth);
  const rounds = smem.getInDimSize("reps");
  const reps = LinearLayout.identity1D(rounds, "register", "reps");
  const side = (layout: LinearLayout, total: LinearLayout, tile: number): SwizzledSide => {
    const order = regPermForDivide(total, reps, false);
    const one = order && divideRight(order.apply(total), reps);
    if (!order || !one) throw new Bug("a swizzling does not divide into its rounds");
    const size = one.getTotalOutDimSize();
    if (!layout.hasInDim("block")) return { order, layout: one.reshapeOuts([["offset", size]]), tile };
    const blocks = layout.getInDimSize("block");
    return {
      order,
      layout: one.reshapeOuts([
        ["offset", size / blocks],
        ["block", blocks],
      ]),
      tile,
    };
  };
  return { rounds, store: side(src, src.invertAndCompose(smem), srcTile), load: side(dst, composeBlockLocal(smem, dst), dstTile) };
}

/** The best swizzling on a target; no matrix instruction reads another CTA's memory. */
export function swizzlingOn(target: MatrixInstructions, src: LinearLayout, dst: LinearLayout, bitwidth: number): Swizzling {
  if (!target.ldMatrix && !target.stMatrix) return { smem: optimalSwizzlingLdSt(src, dst, bitwidth), srcTile: 0, dstTile: 0 };
  const crossCTA = src.hasInDim("block") && !dst.invertAndCompose(src).isTrivialOver(["block"]);
  const tiles = getSrcDstTiles(crossCTA ? { ...target, ldMatrix: false } : target, bitwidth);
  return optimalSwizzling(src, dst, tiles.src, tiles.dst, bitwidth);
}

/** Brings the bank bases that one side holds in registers to the front, so that side's accesses may be wider than the vector. */
function registersFirst(smem: LinearLayout, src: Side, dst: Side, srcFillsBank: boolean | undefined): LinearLayout {
  const banks = Array.from(smem.getPackedBases("bank"));
  const held = (side: Side): number[] => banks.flatMap((v, i) => (side.registers.includes(v) ? [i] : []));
  const inSrc = held(src);
  const inDst = held(dst);
  const first = (srcFillsBank ?? inSrc.length > inDst.length) ? inSrc : inDst;
  const order = [...first, ...Array.from(banks.keys()).filter((i) => !first.includes(i))];
  return new ColumnAction(order, "bank", banks.length).apply(smem);
}

export interface MatrixInstructions {
  readonly ldMatrix: boolean;
  readonly stMatrix: boolean;
}

/** The instructions that a target has for the store and the load of a conversion: ld/st.shared.v4, then st- or ldmatrix, then their .trans. */
export function getSrcDstTiles(
  target: MatrixInstructions,
  bitwidth: number,
): { readonly src: readonly LocalMemOpTile[]; readonly dst: readonly LocalMemOpTile[] } {
  const plain: LocalMemOpTile = { laneContig: [], laneAddr: [0, 1, 2] };
  const matrix: LocalMemOpTile = { laneContig: [0, 1], laneAddr: [2, 3, 4] };
  const transposed: LocalMemOpTile = { laneContig: [2, 3, 4], laneAddr: [0, 1] };
  const tiles = (hasMatrix: boolean): LocalMemOpTile[] => [
    plain,
    ...(hasMatrix && bitwidth <= 32 ? [matrix] : []),
    ...(hasMatrix && bitwidth === 16 ? [transposed] : []),
  ];
  return { src: tiles(target.stMatrix), dst: tiles(target.ldMatrix) };
}
