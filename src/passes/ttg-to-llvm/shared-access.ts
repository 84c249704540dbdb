/**
 * Accesses of shared memory. Where each register of a tensor lies is a linear layout; its part of lane
 * and warp is computed once, and of each register only what is left is xored onto it, or added where no bit can carry:
 * such constants become immediate offsets of the instructions.
 * Source: lib/Conversion/TritonGPUToLLVM/Utility.cpp (lowerLdSt and others).
 */

import { ptrType } from "../../dialects/llvm/types/types.js";
import type { Type } from "../../ir/attribute.js";
import { i8, shapedParams } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import { largestVectorisation, largestVectorisationInOrder } from "../../layout/bank-conflicts.js";
import { actionAdditiveStrides } from "../../layout/column-action.js";
import { divideLeft } from "../../layout/divide.js";
import { LinearLayout } from "../../layout/linear-layout.js";
import { Bug } from "../../support/assert.js";
import { scalarBits, vecType } from "./ll-builder.js";
import type { Lowering } from "./lowering.js";
import type { SharedPlace } from "./target-code.js";
import { applyLinearLayout, type Index, type LaneAndWarp, laneAndWarpId } from "./thread-indices.js";

const lengthOf = (vector: Type): number => shapedParams(vector).shape[0]!;

/** The lane and the warp whose address is computed: all lanes of a wave may use their first one's. */
type Place = Readonly<Record<keyof LaneAndWarp, Index>>;
/** One access: a store of `values` from `index` on, or a load. */
export type LowerInst<T> = (
  values: readonly T[],
  address: Value,
  index: number,
  vector: Type,
  ctaId: Value | undefined,
) => readonly Value[];

/** Stores `values` (one a register), or loads them when there are none. */
export function lowerLdStShared(lo: Lowering, place: SharedPlace, values: readonly Value[]): readonly Value[] {
  const isStore = values.length > 0;
  return lowerLdSt<Value>(lo, place, values, laneAndWarpId(lo), (vals, address, index, vector, ctaId) => {
    if (!isStore) return lo.b.unpackVector(lo.code.loadShared(lo, address, vector, { ctaId }));
    lo.code.storeShared(lo, address, lo.b.packVector(vals.slice(index, index + lengthOf(vector))), { ctaId });
    return [];
  });
}

/**
 * The byte, from the buffer's base on, at which a thread begins, a view's offset aside, and the CTA that has it where that may be another;
 * `addresses` is lane, warp, and maybe block -> offset in elements, and maybe block.
 */
function firstPlace(
  lo: Lowering,
  addresses: LinearLayout,
  bytes: number,
  { lane, warp }: Place,
  block?: Index,
): readonly [Value, Value | undefined] {
  const inBytes = LinearLayout.identity1D(bytes, "register", "offset").zerosLike().multiply(addresses);
  const ids: [string, Index][] = [
    ["register", 0],
    ["lane", lane],
    ["warp", warp],
  ];
  if (block !== undefined) ids.push(["block", block]);
  const [start, ofBlock] = applyLinearLayout(lo, inBytes, ids);
  return [start!, ofBlock];
}
/** The byte, from the buffer's base on, at which a thread begins; `addresses` is lane, warp -> offset in elements. */
export function firstByte(
  lo: Lowering,
  addresses: LinearLayout,
  { element, affineOffset }: Pick<SharedPlace, "element" | "affineOffset">,
  place: Place,
): Value {
  const { b } = lo;
  const bytes = scalarBits(element) / 8;
  return b.xor(firstPlace(lo, addresses, bytes, place)[0], b.mul(affineOffset, b.i32(bytes)));
}

/** The accesses of a layout by some instruction of at most 128 bits; a store's values may be anything that it takes. */
export function lowerLdSt<T>(
  lo: Lowering,
  place: SharedPlace,
  values: readonly T[],
  thread: Place,
  instruction: LowerInst<T>,
): readonly Value[] {
  const { b, ctx } = lo;
  const { element, base, maskSpan, maxVecElems, pad, affineOffset } = place;
  const isStore = values.length > 0;
  const bytes = scalarBits(element) / 8;
  const { vec, permutation } =
    maxVecElems === undefined
      ? largestVectorisation(place.layout, scalarBits(element))
      : largestVectorisationInOrder(place.layout, maxVecElems);
  const layout = permutation.apply(place.layout);
  const tile = LinearLayout.identity1D(vec, "register", "offset");
  const quotient = divideLeft(layout, tile);
  if (!quotient) throw new Bug("a layout is not divisible by its vector");
  let reps = tile.zerosLike().multiply(quotient);
  const addresses = reps.sublayout(
    reps.inDimNames.filter((dim) => dim !== "register"),
    reps.outDimNames,
  );
  const [additive, strides] = actionAdditiveStrides(reps, addresses, maskSpan);
  reps = strides.apply(reps);
  const ordered = isStore ? strides.applyToValues(permutation.applyToValues(values)) : values;

  const ownCTA = !reps.hasInDim("block") ? undefined : reps.isTrivialOver(["block"]) ? 0 : lo.code.clusterCTAId(lo);
  const [threadStart, threadCTA] = firstPlace(lo, addresses, bytes, thread, ownCTA);
  const crossCTA = layout.hasOutDim("block") && !layout.isIdentityOnOutDim("block");
  const apart = lo.forms.padsConstantsApart ? pad : undefined;
  const affine = b.mul(affineOffset, b.i32(bytes));
  const paddedView = lo.forms.padsViewsApart && maskSpan !== 0 ? pad?.value(affine) : undefined;
  const start = paddedView ? threadStart : b.xor(threadStart, affine);
  const first = Object.fromEntries(reps.inDimNames.map((dim) => [dim, 0]));
  const placeOf = (register: number): { readonly offset: number; readonly block: number } => {
    const { offset, block } = reps.apply({ ...first, register });
    return { offset: offset! * bytes, block: block ?? 0 };
  };
  const vector = vecType(element, vec);
  const out: Value[] = [];
  for (let i = 0; i < layout.getInDimSize("register"); i += additive) {
    const outer = placeOf(i);
    let offset = b.xor(start, b.i32(outer.offset));
    if (apart) offset = apart.value(offset);
    if (paddedView) offset = b.add(offset, paddedView);
    const cta = crossCTA ? b.xor(threadCTA!, b.i32(outer.block)) : undefined;
    for (let j = 0; j < additive; j += vec) {
      const { offset: constant, block } = placeOf(j);
      let inner = b.add(offset, b.i32(apart ? apart.constant(constant) : constant));
      if (pad && !apart) inner = pad.value(inner);
      const ofVector = cta && b.add(cta, b.i32(block));
      const address = b.gep(ptrType(ctx, 3), i8(ctx), base, [inner], { inbounds: true });
      out.push(...instruction(ordered, address, i + j, vector, ofVector));
    }
  }
  return isStore ? out : permutation.inverse().applyToValues(strides.inverse().applyToValues(out));
}
