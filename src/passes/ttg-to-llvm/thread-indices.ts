/**
 * Who and where a thread is: its ids, and the coordinates of the tensor elements it holds, by linear layouts.
 *
 * A layout's image of (register, lane, warp, block) is the xor of the images of its parts, so the part of lane and warp is
 * computed once, and each register only xors a constant onto it.
 * Source: lib/Conversion/TritonGPUToLLVM/Utility.cpp: getThreadId, getLaneAndWarpId, applyLinearLayout, emitIndices.
 */
import { toLinearLayout } from "../../dialects/ttg/encodings/define-encoding.js";
import { firstThreadOfGroup, maybeLookupNumWarps } from "../../dialects/ttg/num-warps.js";
import { WarpIdOp } from "../../dialects/ttg/ops/since-3-7.js";
import { i32, type TensorType } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import type { LinearLayout } from "../../layout/linear-layout.js";
import { PassError } from "../../pass/pass-error.js";
import type { LLBuilder } from "./ll-builder.js";
import type { Lowering } from "./lowering.js";

/** An index that is known when compiling, or a value. */
export type Index = number | Value;

/** The number of warps that run the op being lowered. */
export function numWarpsAt(lo: Lowering): number {
  const warps = maybeLookupNumWarps(lo.op);
  if (warps === undefined) throw new PassError(lo.op, "the module does not say how many warps it has", "pass.num-warps");
  return warps;
}

/** The thread's number in its CTA, or among those of its group of warps (i32). */
export function threadId(lo: Lowering): Value {
  const { b } = lo;
  let tid = lo.code.threadId(lo);
  const first = firstThreadOfGroup(lo.op);
  if (first !== undefined) tid = b.sub(tid, b.i32(first));
  // Says to LLVM how large it can be.
  return b.and(tid, b.i32(numWarpsAt(lo) * lo.target.threadsPerWarp - 1));
}

export interface LaneAndWarp {
  readonly lane: Value;
  /** 0 when there is but one warp. */
  readonly warp: Index;
}
/** The lane of the thread in its warp, and the warp's number. */
export function laneAndWarpId(lo: Lowering): LaneAndWarp {
  const { b } = lo;
  const tid = threadId(lo);
  const warpSize = b.i32(lo.target.threadsPerWarp);
  if (numWarpsAt(lo) === 1) return { lane: tid, warp: 0 };
  const lane = b.urem(tid, warpSize);
  return { lane, warp: lo.forms.warpIdOp ? b.value(WarpIdOp, { omitUniformHint: true }, i32(lo.ctx)) : b.udiv(tid, warpSize) };
}
/** The index as a value. */
export function asValue(b: LLBuilder, index: Index): Value {
  return typeof index === "number" ? b.i32(index) : index;
}
/** The CTA's number in its cluster, in code that all GPUs share. */
export function knownCTAId(lo: Lowering): Index {
  return lo.forms.knownCTA && lo.target.numCTAs === 1 ? 0 : lo.code.clusterCTAId(lo);
}

/** The layout's image of these indices, one value for each out dim, in their order. Indices are given for every in dim, in order. */
export function applyLinearLayout(
  lo: Lowering,
  layout: LinearLayout,
  indices: readonly (readonly [inDim: string, index: Index])[],
): Value[] {
  if (layout.outDimNames.length === 0) return [];
  const { b } = lo;
  const known = Object.fromEntries(indices.map(([name, index]) => [name, typeof index === "number" ? index : 0]));
  const constants = layout.apply(known);
  const outs = layout.outDimNames.map((name) => b.i32(constants[name]!));
  const open = indices.filter((entry): entry is readonly [string, Value] => typeof entry[1] !== "number");
  if (open.length === 0) return outs;

  let x = b.i32(0);
  let shift = 0;
  for (const [name, index] of open) {
    x = b.or(x, b.shl(index, b.i32(shift)));
    shift += layout.getInDimSizeLog2(name);
  }
  const names = open.map(([name]) => name);
  return layout.outDimNames.map((out, i) => b.xor(outs[i]!, matrixVectorProduct(lo, layout.sublayout(names, [out]).flattenIns(), x)));
}

/**
 * The product of a matrix over GF(2) and the bits of `x`: shifts of masked diagonals, or a select (or a shift) for a column that is
 * alone on its diagonal. Terms that share no bit with others are combined by `or disjoint`, which adds well to addresses.
 */
export function matrixVectorProduct({ b, forms }: Lowering, matrix: LinearLayout, x: Value): Value {
  const columns = [...matrix.getPackedBases(matrix.inDimNames[0]!)];
  const numColumns = columns.length;
  const numRows = matrix.getTotalOutDimSizeLog2();
  let uniqueRows = 0;
  for (let r = 0; r < numRows; r++) if (columns.filter((c) => (c >> r) & 1).length === 1) uniqueRows |= 1 << r;

  /** The columns that have a bit on diagonal i, and whether all those bits are alone in their rows. */
  const diagonal = (i: number): { readonly mask: number; readonly unique: boolean } => {
    let mask = 0;
    let unique = true;
    for (let row = Math.max(0, -i), column = Math.max(0, i); row < numRows && column < numColumns; row++, column++) {
      mask |= ((columns[column]! >> row) & 1) << column;
      if (!((uniqueRows >> row) & 1)) unique = false;
    }
    return { mask, unique };
  };
  const diagonals = Array.from({ length: Math.max(0, numRows + numColumns - 1) }, (_, k) => ({
    i: k - numRows + 1,
    ...diagonal(k - numRows + 1),
  }));

  let alone = 0;
  for (let changed = true; changed; ) {
    changed = false;
    for (const { mask } of diagonals) {
      const rest = mask & ~alone;
      if (rest !== 0 && (rest & (rest - 1)) === 0) {
        alone |= rest;
        changed = true;
      }
    }
  }

  const ors: Value[] = [];
  const xors: Value[] = [];
  for (const { i, mask: all, unique } of diagonals) {
    const mask = all & ~alone;
    if (mask === 0) continue;
    const masked = b.and(x, b.i32(mask));
    (unique ? ors : xors).push(i >= 0 ? b.lshr(masked, b.i32(i)) : b.shl(masked, b.i32(-i)));
  }
  const zero = b.i32(0);
  for (let column = 0; column < numColumns; column++) {
    const basis = columns[column]!;
    if (!((alone >> column) & 1)) continue;
    const list = (uniqueRows & basis) === basis ? ors : xors;
    if (forms.shiftsBits) {
      if (basis === 0) continue;
      const bit = b.and(x, b.i32(1 << column));
      const distance = Math.log2(basis >>> 0) - column;
      if (!Number.isInteger(distance)) list.push(b.select(b.icmp("eq", bit, zero), zero, b.i32(basis)));
      else if (distance === 0) list.push(bit);
      else list.push(distance > 0 ? b.shl(bit, b.i32(distance)) : b.lshr(bit, b.i32(-distance)));
      continue;
    }
    const isZero = b.icmp("eq", b.and(x, b.i32(1 << column)), zero);
    if (basis !== 0) list.push(b.select(isZero, zero, b.i32(basis)));
  }
  const orPart = treeReduce(b, ors, (l, r) => b.orDisjoint(l, r));
  const xorPart = treeReduce(b, xors, b.xor);
  return b.orDisjoint(orPart, xorPart);
}

/** Combines neighbours until one is left; 0 for none. */
function treeReduce(b: LLBuilder, terms: readonly Value[], combine: (l: Value, r: Value) => Value): Value {
  let list = terms;
  if (list.length === 0) return b.i32(0);
  while (list.length > 1) {
    const next: Value[] = [];
    for (let i = 0; i + 1 < list.length; i += 2) next.push(combine(list[i]!, list[i + 1]!));
    if (list.length % 2 === 1) next.push(list.at(-1)!);
    list = next;
  }
  return list[0]!;
}

/** The coordinates of each register's element: `[register][dim]`. */
export const emitIndices = (lo: Lowering, type: TensorType, withCTAOffset: boolean): Value[][] =>
  emitIndicesOf(lo, toLinearLayout(type.params.shape, type.params.encoding!), withCTAOffset);

/** The same for a layout. */
export function emitIndicesOf(lo: Lowering, layout: LinearLayout, withCTAOffset: boolean): Value[][] {
  const { lane, warp } = laneAndWarpId(lo);
  const block: Index = withCTAOffset ? knownCTAId(lo) : 0;
  const registers = Array.from({ length: layout.getInDimSize("register") }, (_, r) => r);
  return applyLinearLayoutVec(lo, layout, { lane, warp, block }, registers);
}

/** `applyLinearLayout` for many registers: what lane, warp and block give is computed once. */
export function applyLinearLayoutVec(
  lo: Lowering,
  layout: LinearLayout,
  { lane, warp, block }: LaneAndWarp & { readonly block: Index },
  registers: readonly number[],
): Value[][] {
  const { b } = lo;
  const base = applyLinearLayout(lo, layout, [
    ["register", 0],
    ["lane", lane],
    ["warp", warp],
    ["block", block],
  ]);
  return registers.map((register) => {
    const offsets = layout.apply({ register, lane: 0, warp: 0, block: 0 });
    return base.map((value, i) => b.xor(value, b.i32(offsets[layout.outDimNames[i]!]!)));
  });
}

/** Where register r's element lies from the thread's first one: `[register][dim]`. */
export function emitOffsetForLayout(type: TensorType): number[][] {
  const layout = toLinearLayout(type.params.shape, type.params.encoding!);
  return Array.from({ length: layout.getInDimSize("register") }, (_, register) => {
    const at = layout.apply({ register, lane: 0, warp: 0, block: 0 });
    return layout.outDimNames.map((dim) => at[dim]!);
  });
}
