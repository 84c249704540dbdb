/**
 * Loads and stores of global memory: as many neighbouring elements at once as the pointers' alignment and contiguity, the mask's
 * constancy and 128 bits allow. Source: third_party/amd/lib/TritonAMDGPUToLLVM/LoadStoreOpToLLVM.cpp.
 */
import { LoadOp, StoreOp } from "../../../dialects/tt/ops/memory.js";
import { toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import { elementTypeOrSelf, RankedTensorType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { type FreeVariableMasks, freeVariableMasks, vectorSize } from "../../ttg-to-llvm/global-access.js";
import { vecType } from "../../ttg-to-llvm/ll-builder.js";
import { type Lowering, rule } from "../../ttg-to-llvm/lowering.js";
import { asValue, laneAndWarpId } from "../../ttg-to-llvm/thread-indices.js";
import { convertType, elementsPerThread } from "../../ttg-to-llvm/type-converter.js";
import type { Lowering as AmdLowering, LoweringRule } from "./amd-lowering.js";
import { cacheBits } from "./cache-policy.js";
import { clusterLoad, multicastMask } from "./cluster-loads.js";
import { maskedLoad, maskedStore, zeroOf } from "./masked-memory.js";

/** True in one thread of those that hold the same data. */
export function redundantThreadPredicate(lo: Lowering, masks: FreeVariableMasks): Value {
  const { b } = lo;
  const zero = b.i32(0);
  const { lane, warp } = laneAndWarpId(lo);
  const block = masks.block === 0 ? zero : lo.code.clusterCTAId(lo);
  let predicate = b.i1(true);
  for (const [id, mask] of [
    [lane, masks.lane],
    [asValue(b, warp), masks.warp],
    [block, masks.block],
  ] as const)
    if (mask !== 0) predicate = b.and(predicate, b.icmp("eq", b.and(id, b.i32(mask)), zero));
  return predicate;
}

/** The elements of a vector. Unlike `unpackVector`, upstream's code for accesses counts them by an index. */
export const unpackRange = ({ b }: Lowering, vector: Value, count: number): Value[] =>
  Array.from({ length: count }, (_, i) => b.extractElement(vector, b.index(i)));

/** The elements of a mask, and how many one access can move with it. */
export function masksOf(lo: Lowering, mask: Value | undefined, most: number): { readonly masks: readonly Value[]; readonly vec: number } {
  return mask ? { masks: lo.elements(mask), vec: Math.min(most, lo.axisInfo.getMaskAlignment(mask)) } : { masks: [], vec: most };
}

const LOAD: LoweringRule = rule(LoadOp, ({ ptr, mask, other, result, cache }, lo: AmdLowering) => {
  const { b } = lo;
  const pointers = lo.elements(ptr);
  const { masks, vec } = masksOf(lo, mask, vectorSize(lo, ptr));
  const others = other && lo.elements(other);
  const { shape, encoding } = RankedTensorType.is(ptr.type) ? ptr.type.params : {};
  const sharedBy =
    lo.target.numCTAs > 1 && encoding ? multicastMask(lo, lo.code.clusterCTAId(lo), toLinearLayout(shape!, encoding)) : undefined;
  const type = vecType(convertType(elementTypeOrSelf(result.type)), vec);
  const loaded: Value[] = [];
  for (let start = 0; start < elementsPerThread(ptr.type); start += vec) {
    const otherwise = (): Value => (others ? b.packVector(others.slice(start, start + vec)) : zeroOf(b, type));
    const packed = others ? otherwise() : undefined;
    const load = sharedBy && clusterLoad(lo, pointers[start]!, type, cacheBits(lo, cache, true), sharedBy);
    const value = maskedLoad(lo, pointers[start]!, type, masks[start], () => packed ?? otherwise(), { cache, load });
    loaded.push(...unpackRange(lo, value, vec));
  }
  return lo.setElements(result, loaded);
});

const STORE: LoweringRule = rule(StoreOp, ({ ptr, value, mask, cache }, lo) => {
  const { b } = lo;
  const pointers = lo.elements(ptr);
  const values = lo.elements(value);
  const { masks, vec } = masksOf(lo, mask, vectorSize(lo, ptr));
  const free = freeVariableMasks(value.type);
  const thread = redundantThreadPredicate(lo, free);
  for (let start = 0; start < elementsPerThread(ptr.type); start += vec) {
    if ((start & free.register) !== 0) continue;
    const predicate = mask ? b.and(thread, masks[start]!) : thread;
    maskedStore(lo, pointers[start]!, b.packVector(values.slice(start, start + vec)), predicate, { cache });
  }
});

export const LOAD_STORE: readonly LoweringRule[] = [LOAD, STORE];
