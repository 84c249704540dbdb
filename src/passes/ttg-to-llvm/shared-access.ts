/**
 * Accesses of shared memory by ld.shared and st.shared. Where each register of a tensor lies is a linear layout; its part of lane
 * and warp is computed once, and of each register only what is left is xored onto it, or added where no bit can carry:
 * such constants become immediate offsets of the instructions.
 * Source: lib/Conversion/TritonGPUToLLVM/Utility.cpp (lowerLdSt and others), nvidia TargetInfo.cpp (loadDShared, storeDShared).
 */

import { LLVMPointerType, ptrType, structType, voidType } from "../../dialects/llvm/types/types.js";
import { MapaOp } from "../../dialects/nvvm/ops/index.js";
import type { Type } from "../../ir/attribute.js";
import { i8, i32, intType, isInteger, shapedParams, VectorType } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import { largestVectorisation, largestVectorisationInOrder } from "../../layout/bank-conflicts.js";
import { actionAdditiveStrides } from "../../layout/column-action.js";
import { divideLeft } from "../../layout/divide.js";
import { LinearLayout } from "../../layout/linear-layout.js";
import { Bug } from "../../support/assert.js";
import { scalarBits, vecType } from "./ll-builder.js";
import type { Lowering } from "./lowering.js";
import { PtxBuilder } from "./ptx-builder.js";
import { applyLinearLayout, type LaneAndWarp, laneAndWarpId } from "./thread-indices.js";

const constraintOf = (bits: number): string => (bits <= 16 ? "h" : bits === 32 ? "r" : "l");
const elementOf = (vector: Type): Type => shapedParams(vector).elementType;
const lengthOf = (vector: Type): number => shapedParams(vector).shape[0]!;

/** Options of an access: the other CTA of the cluster that it goes to, and the predicate of the threads that make it. */
export interface SharedAccess {
  readonly ctaId?: Value | undefined;
  readonly predicate?: Value | undefined;
}

/** Stores a scalar or a vector: elements as integers of at least 8 bits, in words of at most 4, 128 bits at once. */
export function storeShared(lo: Lowering, pointer: Value, value: Value, access: SharedAccess = {}): void {
  const { b, ctx } = lo;
  if (!VectorType.is(value.type)) return storeShared(lo, pointer, b.packVector([value]), access);
  const element = elementOf(value.type);
  const vec = lengthOf(value.type);
  const bits = scalarBits(element);
  const again = (values: readonly Value[], at = pointer): void => storeShared(lo, at, b.packVector(values), access);

  if (bits < 8) return again(b.unpackVector(value).map((v) => b.zext(b.bitcast(v, intType(ctx, bits)), i8(ctx))));
  if (!isInteger(element)) {
    const type = intType(ctx, bits);
    return again(b.unpackVector(value).map((v) => (LLVMPointerType.is(v.type) ? b.ptrtoint(v, type) : b.bitcast(v, type))));
  }
  if (vec > 4 && bits < 32) {
    const elements = b.unpackVector(value);
    const perWord = 32 / bits;
    const words: Value[] = [];
    for (let i = 0; i < vec; i += perWord) words.push(b.bitcast(b.packVector(elements.slice(i, i + perWord)), i32(ctx)));
    return again(words);
  }
  if (vec * bits > 128) {
    const most = 128 / bits;
    const elements = b.unpackVector(value);
    for (let i = 0; i < vec; i += most)
      again(elements.slice(i, i + most), b.gep(pointer.type, element, pointer, [b.i32(i)], { inbounds: true }));
    return;
  }

  const at = inCTA(lo, pointer, access);
  if (!access.predicate && !lo.forms.storeByAsm) return b.store(value, at, (vec * bits) / 8);
  const ptx = new PtxBuilder();
  const address = ptx.address(at, "r");
  const constraint = constraintOf(bits);
  const operand = vec > 1 ? ptx.list(b.unpackVector(value).map((v) => ptx.input(v, constraint))) : ptx.input(value, constraint);
  const guard = access.predicate && ptx.input(access.predicate, "b");
  ptx.instruction(["st", space(access), vec > 1 ? `v${vec}` : "", `b${bits}`], [address, operand], guard);
  ptx.launch(b, voidType(ctx));
}

/** Loads a scalar or a vector; the counterpart of `storeShared`. */
export function loadShared(lo: Lowering, pointer: Value, type: Type, access: SharedAccess = {}): Value {
  const { b, ctx } = lo;
  if (!VectorType.is(type)) return b.unpackVector(loadShared(lo, pointer, vecType(type, 1), access))[0]!;
  const element = elementOf(type);
  const vec = lengthOf(type);
  const bits = scalarBits(element);

  if (bits < 8) {
    const [byte] = b.unpackVector(loadShared(lo, pointer, i8(ctx), access));
    return b.bitcast(b.trunc(byte!, intType(ctx, bits)), element);
  }
  if (!isInteger(element)) {
    const values = b.unpackVector(loadShared(lo, pointer, vecType(intType(ctx, bits), vec), access));
    return b.packVector(values.map((v) => b.bitcast(v, element)));
  }
  if (vec > 4 && bits < 32) {
    const words = loadShared(lo, pointer, vecType(i32(ctx), vec / (32 / bits)), access);
    const values = b.unpackVector(words).flatMap((word) => b.unpackVector(b.bitcast(word, vecType(element, 32 / bits))));
    return b.packVector(values);
  }
  if (vec * bits > 128) {
    const most = 128 / bits;
    const values: Value[] = [];
    for (let i = 0; i < vec; i += most) {
      const at = b.gep(pointer.type, element, pointer, [b.i32(i)], { inbounds: true });
      values.push(...b.unpackVector(loadShared(lo, at, vecType(element, most), access)));
    }
    return b.packVector(values);
  }

  const at = inCTA(lo, pointer, access);
  if (!access.predicate) {
    const loaded = b.load(vec === 1 ? element : vecType(element, vec), at, (vec * bits) / 8);
    return b.packVector(vec === 1 ? [loaded] : b.unpackVector(loaded));
  }
  const ptx = new PtxBuilder();
  const constraint = `=${constraintOf(bits)}`;
  const outputs = Array.from({ length: vec }, () => ptx.output(constraint));
  const address = ptx.address(at, "r");
  const guard = ptx.input(access.predicate, "b");
  ptx.instruction(["ld", space(access), vec > 1 ? `v${vec}` : "", `b${bits}`], [vec > 1 ? ptx.list(outputs) : outputs[0]!, address], guard);
  const asm = ptx.launch(b, vec > 1 ? structType(ctx, new Array<Type>(vec).fill(element)) : element);
  return b.packVector(b.unpackStruct(asm));
}
const space = ({ ctaId }: SharedAccess): string => (ctaId ? "shared::cta" : "shared");
function inCTA(lo: Lowering, pointer: Value, { ctaId }: SharedAccess): Value {
  return ctaId ? lo.b.value(MapaOp, { a: pointer, b: ctaId }, pointer.type) : pointer;
}

/** Where the registers of a tensor lie in shared memory, and what there is to know of that memory. */
export interface SharedPlace {
  /** register, lane, warp -> offset, in elements. */
  readonly layout: LinearLayout;
  /** The element's type in the LLVM dialect. */
  readonly element: Type;
  readonly base: Value;
  /** For a view: where it begins (elements), and the offset bits that this may set. */
  readonly affineOffset: Value;
  readonly maskSpan: number;
  /** For a padded layout: how many elements are contiguous, and the map from an offset to the padded one (bytes). */
  readonly maxVecElems?: number | undefined;
  readonly pad?: ((offset: Value) => Value) | undefined;
}
/** One access: a store of `values` from `index` on, or a load. */
export type LowerInst<T> = (values: readonly T[], address: Value, index: number, vector: Type) => readonly Value[];

/** Stores `values` (one a register), or loads them when there are none. */
export function lowerLdStShared(lo: Lowering, place: SharedPlace, values: readonly Value[]): readonly Value[] {
  const isStore = values.length > 0;
  return lowerLdSt<Value>(lo, place, values, laneAndWarpId(lo), (vals, address, index, vector) => {
    if (!isStore) return lo.b.unpackVector(loadShared(lo, address, vector));
    storeShared(lo, address, lo.b.packVector(vals.slice(index, index + lengthOf(vector))));
    return [];
  });
}

/** The accesses of a layout by some instruction of at most 128 bits; a store's values may be anything that it takes. */
export function lowerLdSt<T>(
  lo: Lowering,
  place: SharedPlace,
  values: readonly T[],
  { lane, warp }: LaneAndWarp,
  instruction: LowerInst<T>,
): readonly Value[] {
  const { b, ctx } = lo;
  const { element, base, affineOffset, maskSpan, maxVecElems, pad } = place;
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
  const addresses = LinearLayout.fromBases(
    [
      ["lane", reps.getInDimBases("lane")],
      ["warp", reps.getInDimBases("warp")],
    ],
    reps.getOutDims(),
    false,
  );
  const [additive, strides] = actionAdditiveStrides(reps, addresses, maskSpan);
  reps = strides.apply(reps);
  const ordered = isStore ? strides.applyToValues(permutation.applyToValues(values)) : values;

  const inBytes = LinearLayout.identity1D(bytes, "register", "offset").zerosLike().multiply(addresses);
  let start = applyLinearLayout(lo, inBytes, [
    ["register", 0],
    ["lane", lane],
    ["warp", warp],
  ])[0]!;
  start = b.xor(start, b.mul(affineOffset, b.i32(bytes)));
  const offsetOf = (register: number): number => reps.applyPacked({ register, lane: 0, warp: 0 }) * bytes;
  const vector = vecType(element, vec);
  const out: Value[] = [];
  for (let i = 0; i < layout.getInDimSize("register"); i += additive) {
    const offset = b.xor(start, b.i32(offsetOf(i)));
    for (let j = 0; j < additive; j += vec) {
      const inner = b.add(offset, b.i32(offsetOf(j)));
      const address = b.gep(ptrType(ctx, 3), i8(ctx), base, [pad ? pad(inner) : inner], { inbounds: true });
      out.push(...instruction(ordered, address, i + j, vector));
    }
  }
  return isStore ? out : permutation.inverse().applyToValues(strides.inverse().applyToValues(out));
}
