import { LLVMPointerType } from "../../dialects/llvm/types/types.js";
import { toLinearLayout } from "../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import type { Type } from "../../ir/attribute.js";
import { i8, i32, i64, intType, type TensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { actionRemoveBroadcastedRegs, broadcastAs } from "../../layout/column-action.js";
import { cvtNeedsSharedMemory, cvtNeedsWarpShuffle, isCvtBlockSync, isCvtWarpSync, minimalCvtLayout } from "../../layout/conversion.js";
import type { LinearLayout } from "../../layout/linear-layout.js";
import { swizzledConversion } from "../../layout/swizzle.js";
import type { TranspositionInfo } from "../../layout/transposition-selectors.js";
import { getWarpLayoutConvertDecomposition } from "../../layout/warp-conversion.js";
import { Bug } from "../../support/assert.js";
import { sharedMemoryBase } from "./control-flow.js";
import { scalarBits, vecType } from "./ll-builder.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";
import { lowerLdStShared } from "./shared-access.js";
import type { SharedPlace } from "./target-code.js";
import { laneAndWarpId, matrixVectorProduct } from "./thread-indices.js";
import { convertType } from "./type-converter.js";

function layoutOf(value: Value): LinearLayout {
  const { shape, encoding } = (value.type as TensorType).params;
  return toLinearLayout(shape, encoding!);
}
const withinCTA = (layout: LinearLayout): LinearLayout => layout.sublayout(["register", "lane", "warp"], layout.outDimNames);

export const CONVERT_LAYOUT: readonly LoweringRule[] = [
  rule(ConvertLayoutOp, ({ op, src, result }, lo) => lowerConversion(lo, op, src, result)),
];

/** A tensor in another layout. */
export function lowerConversion(lo: Lowering, op: Operation, src: Value, result: Value): false | void {
  const from = layoutOf(src);
  const to = layoutOf(result);
  const moved = minimalCvtLayout(from, to).inDimNames;
  if (moved.includes("block") && !lo.ctx.triton.convertsAcrossCTAs)
    return lo.fail(op, "a conversion that moves elements between CTAs cannot be lowered");
  if (moved.length === 0) return lo.alias(result, src);
  const element = convertType((src.type as TensorType).params.elementType);
  // The address is made before the elements are read.
  const base = cvtNeedsSharedMemory(from, to) ? sharedMemoryBase(lo, op) : undefined;
  return lo.setElements(
    result,
    convertElements(lo, op, from, to, lo.elements(src), element, () => base!),
  );
}

/** The registers of one layout as those of another, by the cheapest way; `base` is the scratch memory, where some is needed. */
export function convertElements(
  lo: Lowering,
  op: Operation,
  from: LinearLayout,
  to: LinearLayout,
  values: readonly Value[],
  element: Type,
  base: () => Value,
): readonly Value[] {
  if (cvtNeedsSharedMemory(from, to)) {
    const memory = base();
    const within = lo.ctx.triton.convertsAcrossCTAs ? (layout: LinearLayout) => layout : withinCTA;
    return throughSharedMemory(lo, within(from), within(to), values, element, memory);
  }
  if (cvtNeedsWarpShuffle(from, to))
    return lo.code.convertWithinWarp(lo, from, to, values, element) ?? withinWarp(lo, op, from, to, values, element);
  const renamed = minimalCvtLayout(from, to);
  if (!renamed.inDimNames.includes("register")) return values;
  return Array.from({ length: renamed.getInDimSize("register") }, (_, i) => values[renamed.applyPacked({ register: i })]!);
}

// --- shared memory ------------------------------------------------------------------------------

function throughSharedMemory(
  lo: Lowering,
  src: LinearLayout,
  dst: LinearLayout,
  values: readonly Value[],
  element: Type,
  base: Value,
): readonly Value[] {
  const { b, ctx } = lo;
  if (LLVMPointerType.is(element)) {
    const bits = values.map((v) => b.ptrtoint(v, i64(ctx)));
    return throughSharedMemory(lo, src, dst, bits, i64(ctx), base).map((v) => b.inttoptr(v, element));
  }
  const bits = scalarBits(element);
  if (bits < 8) {
    const bytes = values.map((v) => b.zext(v, i8(ctx)));
    return throughSharedMemory(lo, src, dst, bytes, i8(ctx), base).map((v) => b.trunc(v, element));
  }
  const uniqueSrc = actionRemoveBroadcastedRegs(src);
  if (!uniqueSrc.isIdentity) return throughSharedMemory(lo, uniqueSrc.apply(src), dst, uniqueSrc.applyToValues(values), element, base);
  const uniqueDst = actionRemoveBroadcastedRegs(dst);
  if (!uniqueDst.isIdentity) return broadcastAs(throughSharedMemory(lo, src, uniqueDst.apply(dst), values, element, base), dst);

  const { rounds, store, load } = swizzledConversion(src, dst, lo.code.matrices, bits);
  const stored = store.order.applyToValues(values);
  const size = store.layout.getInDimSize("register");
  const barrier = (): void => {
    if (!isCvtBlockSync(src, dst)) lo.code.clusterBarrier(lo);
    else lo.code.barrier(lo, isCvtWarpSync(src, dst));
  };
  const place = (layout: LinearLayout) => ({ layout, element, base, maskSpan: 0 });
  const access = (tile: number, at: Omit<SharedPlace, "affineOffset">, vals: readonly Value[]): readonly Value[] => {
    if (tile === 0) return lowerLdStShared(lo, { ...at, affineOffset: b.i32(0) }, vals);
    const layout = at.layout.sublayout(["register", "lane", "warp"], ["offset"]);
    const moved = lo.code.moveMatrices(lo, { ...at, layout, affineOffset: () => b.i32(0) }, vals, [tile === 2]);
    if (!moved) throw new Bug("a swizzling was made for a matrix instruction that does not fit");
    return moved;
  };
  const out: Value[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round > 0) barrier();
    access(store.tile, place(store.layout), stored.slice(round * size, (round + 1) * size));
    barrier();
    out.push(...access(load.tile, place(load.layout), []));
  }
  return load.order.inverse().applyToValues(out);
}

// --- shuffles -----------------------------------------------------------------------------------

/** See warp-conversion.ts for how the conversion is cut into pieces. */
function withinWarp(
  lo: Lowering,
  op: Operation,
  src: LinearLayout,
  dst: LinearLayout,
  given: readonly Value[],
  element: Type,
): readonly Value[] {
  const { b, ctx } = lo;
  const bits = scalarBits(element);
  const pieces = getWarpLayoutConvertDecomposition(src, dst, bits);
  if (!pieces) throw new Bug(`${op.name} is no permutation within warps`);
  const { pReg, pLane, mixedTranspositions, nPack } = pieces;
  const laneIsTrivial = pLane.squareSublayoutIsIdentity(["lane"]);

  let values: readonly Value[] = actionRemoveBroadcastedRegs(src).applyToValues(given);
  const size = pReg.getInDimSize("register");
  if (size > values.length) values = Array.from({ length: size }, (_, i) => values[i % values.length]!);
  const renamed: Value[] = [];
  for (const [i, value] of values.entries()) renamed[pReg.applyPacked({ register: i })] = value;
  values = renamed;

  const perWord = 1 << nPack;
  const widened = 32 / perWord;
  const ownInt = intType(ctx, bits);
  if (perWord > 1) {
    const words: Value[] = [];
    if (bits === 8 && widened === 16) {
      for (let i = 0; i < values.length; i += perWord) {
        const low = b.zext(b.bitcast(values[i]!, ownInt), i32(ctx));
        const high = b.zext(b.bitcast(values[i + 1]!, ownInt), i32(ctx));
        words.push(b.or(low, b.shl(high, b.i32(16))));
      }
    } else {
      if (bits < widened) values = values.map((v) => b.zext(element === ownInt ? v : b.bitcast(v, ownInt), intType(ctx, widened)));
      for (let i = 0; i < values.length; i += perWord) words.push(b.bitcast(b.packVector(values.slice(i, i + perWord)), i32(ctx)));
    }
    values = words;
  }

  const [only] = mixedTranspositions;
  values =
    mixedTranspositions.length === 1 && laneIsTrivial && isShippable(only!)
      ? ship(lo, values, nPack, only!)
      : swap(lo, values, nPack, pLane, laneIsTrivial, mixedTranspositions);

  if (perWord > 1) {
    const vector = vecType(bits < widened ? intType(ctx, widened) : element, perWord);
    values = values.flatMap((v) => b.unpackVector(b.bitcast(v, vector)));
    if (bits < widened)
      values = values.map((v) => {
        const narrow = b.trunc(v, ownInt);
        return element === ownInt ? narrow : b.bitcast(narrow, element);
      });
  }
  const unique = actionRemoveBroadcastedRegs(dst);
  values = values.slice(0, unique.apply(dst).getInDimSize("register"));
  return unique.isIdentity ? values : broadcastAs(values, dst);
}

/** `ship` cannot mix elements of different registers in one lane. */
const isShippable = ({ topPreSel, topPostSel }: TranspositionInfo): boolean =>
  topPreSel === topPostSel ||
  (topPreSel === 0x5140 && topPostSel === 0x6240) ||
  (topPreSel === 0x6420 && topPostSel === 0x5410) ||
  (topPreSel === 0x3210 && topPostSel === 0x3120);

/**
 * Exchanges register bits with lane bits, and permutes lanes, in place: r ^= l by selects, l ^= r by shuffles, r ^= l by selects.
 *
 *     [ A B ] selp [ A D ] shfl [ A D ] selp [ A C ]
 *     [ C D ] ---> [ C B ] ---> [ B C ] ---> [ B D ]
 */
function swap(
  lo: Lowering,
  given: readonly Value[],
  nPack: number,
  pLane: LinearLayout,
  laneIsTrivial: boolean,
  transpositions: readonly TranspositionInfo[],
): readonly Value[] {
  const { b } = lo;
  const { lane } = laneAndWarpId(lo);
  const inverse = pLane.invert();
  const laneBases = inverse.getPackedBases("lane");
  const stage = (values: readonly Value[], t: TranspositionInfo, pre: boolean): readonly Value[] => {
    const registerBit = t.transposition[0] - nPack;
    const laneBit = pre ? Math.log2(laneBases[t.transposition[1]]!) : t.transposition[1];
    const top = pre ? t.topPreSel : t.topPostSel;
    const bottom = pre ? t.botPreSel : t.botPostSel;
    const bitIsOff = b.icmp("eq", b.and(lane, b.i32(1 << laneBit)), b.i32(0));
    const out: Value[] = [];
    forPairs(values.length, registerBit, (r0, r1) => {
      const [v0, v1] = [values[r0]!, values[r1]!];
      if (top === 0x3210 && bottom === 0x7654) {
        out[r0] = b.select(bitIsOff, v0, v1);
        out[r1] = b.select(bitIsOff, v1, v0);
        return;
      }
      const sel1 = b.select(bitIsOff, b.i32(top), b.i32(pre ? bottom : top ^ 0x4444));
      const sel2 = b.select(bitIsOff, b.i32(bottom), b.i32(pre ? top : bottom ^ 0x4444));
      out[r0] = lo.code.permuteBytes(lo, v0, v1, sel1);
      out[r1] = lo.code.permuteBytes(lo, v0, v1, sel2);
    });
    return out;
  };
  let values = given;
  for (const t of transpositions) values = stage(values, t, true);
  const permutedLane = laneIsTrivial ? undefined : matrixVectorProduct(lo, inverse, lane);
  values = values.map((value, r) => {
    let mask = 0;
    for (const { transposition } of transpositions) if ((r & (1 << (transposition[0] - nPack))) !== 0) mask |= laneBases[transposition[1]]!;
    if (permutedLane) return lo.code.shuffleIdx(lo, value, b.xor(permutedLane, b.i32(mask)));
    return mask === 0 ? value : lo.code.shuffleXor(lo, value, mask);
  });
  for (const t of transpositions) values = stage(values, t, false);
  return values;
}

/** One exchange of a register bit and a lane bit: what moves goes through a register of its own. */
function ship(lo: Lowering, values: readonly Value[], nPack: number, t: TranspositionInfo): readonly Value[] {
  const { b } = lo;
  const laneMask = 1 << t.transposition[1];
  const { lane } = laneAndWarpId(lo);
  const bitIsOff = b.icmp("eq", b.and(lane, b.i32(laneMask)), b.i32(0));
  const out: Value[] = [];
  forPairs(values.length, t.transposition[0] - nPack, (r0, r1) => {
    const [v0, v1] = [values[r0]!, values[r1]!];
    if (t.topPreSel === 0x3210 && t.topPostSel === 0x3210) {
      const shipped = lo.code.shuffleXor(lo, b.select(bitIsOff, v1, v0), laneMask);
      out[r0] = b.select(bitIsOff, v0, shipped);
      out[r1] = b.select(bitIsOff, shipped, v1);
      return;
    }
    const shipSelector = b.select(bitIsOff, b.i32(t.botPreSel), b.i32(t.topPreSel));
    const shipped = lo.code.shuffleXor(lo, lo.code.permuteBytes(lo, v0, v1, shipSelector), laneMask);
    const [diagonal, other] = shipDiagonals(t.topPostSel);
    const sel1 = b.select(bitIsOff, b.i32(t.topPostSel), b.i32(other));
    const sel2 = b.select(bitIsOff, b.i32(diagonal), b.i32(t.botPostSel ^ 0x4444));
    out[r0] = lo.code.permuteBytes(lo, v0, shipped, sel1);
    out[r1] = lo.code.permuteBytes(lo, v1, shipped, sel2);
  });
  return out;
}
function shipDiagonals(post: number): readonly [number, number] {
  if (post === 0x3120) return [0x7564, 0x7564];
  const high = (post & 0x4444) >> 2;
  const selector = post ^ ((post & 0x1000) !== 0 ? high << 1 : high);
  return [selector, selector ^ 0x4444];
}
/** Pairs of registers that differ in one bit, those of a tile together. */
function forPairs(count: number, bit: number, body: (r0: number, r1: number) => void): void {
  const tile = 2 << bit;
  for (let first = 0; first < count; first += tile) for (let i = 0; i < tile / 2; i++) body(first + i, first + i + (1 << bit));
}
