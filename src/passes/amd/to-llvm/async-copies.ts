/**
 * Copies from global memory straight to LDS. On GFX9 an instruction takes one address of LDS for the wave, which the lanes fill in
 * their order: an encoding that swizzles is met by lanes that load for each other.
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/LoadStoreOpToLLVM.cpp, DirectToLdsLoadConversionBase; Utility.cpp, canCoalesceWriteIntoSharedMemory.
 */

import { vectorSize, vectorSizeAt } from "../../../analysis/amd-vector-size.js";
import { BufferLoadToLocalOp } from "../../../dialects/amdg/ops/buffer.js";
import { GlobalLoadLdsOp, RawPtrBufferLoadLdsOp } from "../../../dialects/rocdl/ops/buffer.js";
import { BallotOp } from "../../../dialects/rocdl/ops/lanes.js";
import { encodingAttr, encodingParams, sharedParams, toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import { AsyncCopyGlobalToLocalOp } from "../../../dialects/ttg/ops/async-copy.js";
import type { MemDescParams } from "../../../dialects/ttg/types.js";
import type { Type } from "../../../ir/attribute.js";
import { bitWidth, elementTypeOrSelf, i1, i32, i64, type TensorType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { actionRemoveBroadcastedRegs } from "../../../layout/column-action.js";
import { paddingsOf } from "../../../layout/encoding-queries.js";
import type { LinearLayout } from "../../../layout/linear-layout.js";
import { freeVariableMasks } from "../../ttg-to-llvm/global-access.js";
import { scalarBits } from "../../ttg-to-llvm/ll-builder.js";
import { linearLayoutOf, memDescOf, placeOf, sharedMemoryObject } from "../../ttg-to-llvm/local-memory.js";
import { COPY_UNCONVERTED, rule } from "../../ttg-to-llvm/lowering.js";
import { lowerLdSt } from "../../ttg-to-llvm/shared-access.js";
import { applyLinearLayout, asValue, laneAndWarpId } from "../../ttg-to-llvm/thread-indices.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import { widthToLds } from "../pipeline/shared-encoding.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";
import { copyAliases, loadAliases } from "./async-waits.js";
import { bufferArgs, bufferAt } from "./buffer.js";
import { cacheBits } from "./cache-policy.js";
import { multicastMask } from "./cluster-loads.js";
import { masksOf, redundantThreadPredicate } from "./load-store.js";
import { inBranch, maskedStore } from "./masked-memory.js";

/** The data that a thread copies: for each register an address or an offset, a mask and the element where the mask does not hold. */
interface Copied {
  readonly tensor: TensorType;
  readonly to: Value;
  readonly sources: readonly Value[];
  readonly masks: readonly Value[];
  readonly others: readonly Value[] | undefined;
  /** How many elements one instruction copies. */
  readonly vec: number;
}
/** One instruction; its mask is that of the lane that it loads for. */
interface Copy {
  readonly source: Value;
  readonly mask: Value;
  readonly address: Value;
  readonly vector: Type;
  /** True in one of the threads that hold the same data. */
  readonly thread: Value;
  /** The CTAs of the cluster that need the same data, as bits. */
  readonly sharedBy: Value | undefined;
  /** Stores the other elements where the mask does not hold. */
  readonly storeOther: () => void;
}

const isWhole = (toMemory: LinearLayout, vec: number, threadsPerWarp: number): boolean =>
  toMemory.getNumConsecutiveInOut() === vec &&
  toMemory.getInDimBases("lane").every(([offset], i) => offset === vec << i) &&
  toMemory.getInDimBases("warp").every(([offset]) => (offset! & (threadsPerWarp * vec - 1)) === 0);
const staysInWarp = (toMemory: LinearLayout, threadsPerWarp: number): boolean =>
  toMemory.getInDimBases("lane").every(([offset]) => offset! < threadsPerWarp * toMemory.getNumConsecutiveInOut());

/** The buffer without its swizzle if lanes have to load for each other. */
function withoutSwizzle({ ctx, target }: Lowering, type: MemDescParams): MemDescParams | undefined {
  const params = encodingParams(type.encoding);
  if (target.family === "GFX1250" || params?.kind !== "swizzled_shared" || params.maxPhase === 1) return undefined;
  return { ...type, allocShape: type.shape, encoding: encodingAttr(ctx, { ...params, perPhase: 1, maxPhase: 1 }) };
}

/** The fault of copies of that width; undefined if there is none. */
function faultOf(lo: Lowering, { tensor, to, vec }: Copied): string | undefined {
  const { family, threadsPerWarp } = lo.target;
  if (family === "GFX1250") return undefined;
  const type = memDescOf(to);
  const bits = bitWidth(type.elementType)!;
  if (widthToLds(vec, bits, family) !== vec) return `no instruction copies ${vec * bits} bits straight to shared memory`;
  const toMemory = toLinearLayout(tensor.params.shape, tensor.params.encoding!).invertAndCompose(linearLayoutOf(type));
  if (withoutSwizzle(lo, type))
    return staysInWarp(toMemory, threadsPerWarp) ? undefined : "the swizzle exchanges elements of different warps";
  return isWhole(toMemory, vec, threadsPerWarp) ? undefined : "neighbouring lanes do not write neighbouring elements of shared memory";
}

/** By instruction, how far from the lane the one is that its data are for. */
function swizzledLanes(lo: Lowering, swizzled: LinearLayout, flat: LinearLayout, vec: number): Value[] {
  const { b } = lo;
  const { lane, warp } = laneAndWarpId(lo);
  return Array.from({ length: swizzled.getInDimSize("register") / vec }, (_, i) => {
    const offset = (layout: LinearLayout): Value =>
      applyLinearLayout(lo, layout, [
        ["register", i * vec],
        ["lane", lane],
        ["warp", warp],
        ["block", 0],
      ])[0]!;
    const to = offset(swizzled);
    return b.sdiv(b.sub(to, offset(flat)), b.i32(vec));
  });
}

/** The warp's number as a value that is the same in the wave, computed where the function begins: LLVM would not move it out of a loop. */
function uniformWarpId(lo: Lowering): Value {
  const { b } = lo;
  const { block, before } = b;
  b.setAfter(lo.newFunc.regions[0]!.firstBlock!, null);
  const warp = b.intrinsic("llvm.amdgcn.readfirstlane", i32(lo.ctx), [asValue(b, laneAndWarpId(lo).warp)])!;
  b.block = block;
  b.before = before;
  return warp;
}

/** The copies of a tensor, each by `instruction`. */
function copyToLds(lo: Lowering, copied: Copied, begin: () => (copy: Copy) => void): boolean {
  const { b, ctx, target } = lo;
  const { tensor, to, sources, masks, others, vec } = copied;
  const scatters = target.family === "GFX1250";
  const type = memDescOf(to);
  const registers = toLinearLayout(tensor.params.shape, tensor.params.encoding!);
  const flat = withoutSwizzle(lo, type);
  const toMemory = (buffer: MemDescParams): LinearLayout => registers.invertAndCompose(linearLayoutOf(buffer));
  const lanes = flat && swizzledLanes(lo, toMemory(type), toMemory(flat), vec);
  const instruction = begin();
  const thread = redundantThreadPredicate(lo, freeVariableMasks(tensor));
  const { lane } = laneAndWarpId(lo);
  const unique = actionRemoveBroadcastedRegs(registers);
  const layout = unique.apply(registers).invertAndCompose(linearLayoutOf(flat ?? type));
  if (!layout.isTrivialOver(["block"])) return lo.fail(lo.op, "direct to lds loads do not support non-trivial block dimension");
  const sharedBy = scatters ? multicastMask(lo, lo.code.clusterCTAId(lo), unique.apply(registers)) : undefined;
  const place = placeOf(lo, layout.sublayout(["register", "lane", "warp"], ["offset"]), flat ?? type, sharedMemoryObject(lo, to));
  const at = scatters ? laneAndWarpId(lo) : { lane: 0, warp: uniformWarpId(lo) };
  const elements = unique.applyToValues(sources.map((_, i) => i));
  lowerLdSt(lo, { ...place, maxVecElems: vec }, elements, at, (ordered, address, index, vector) => {
    const register = ordered[index]!;
    let source = sources[register]!;
    const own = masks[register] ?? b.i1(true);
    let mask = own;
    const offset = lanes?.[Math.floor(register / vec)];
    if (offset) {
      const from = b.add(lane, offset);
      source = lo.code.shuffleIdx(lo, source, from);
      const word = i64(ctx);
      mask = b.trunc(b.lshr(b.value(BallotOp, { pred: mask }, word), b.zext(from, word)), i1(ctx));
    }
    const storeOther = (): void => {
      if (!others) return;
      const value = b.packVector(ordered.slice(index, index + vec).map((r) => others[r]!));
      let there = address;
      if (!scatters) there = b.gep(address.type, vector, there, [lane]);
      if (offset) there = b.gep(address.type, vector, there, [offset]);
      maskedStore(lo, there, value, b.icmp("ne", own, b.i1(true)), { attrs: loadAliases(lo) });
    };
    instruction({ source, mask, address, vector, thread, sharedBy, storeOther });
    return [];
  });
  return true;
}

/** The most elements that an instruction copies: the op may know more of its addresses than the analysis does. */
function widthOf(known: number, contiguity: number, { encoding }: MemDescParams): number {
  const vec = Math.max(known, contiguity);
  const params = sharedParams(encoding);
  return Math.min(vec, ...(params ? paddingsOf(params).map(([every]) => every) : []));
}

const BUFFER_TO_LDS: LoweringRule = rule(
  BufferLoadToLocalOp,
  ({ op, ptr, offsets, dest, mask, other, cache, contiguity, token }, lo: Lowering) => {
    const { b } = lo;
    const base = lo.value(ptr);
    const { masks, vec } = masksOf(lo, mask, vectorSizeAt(ptr, offsets, lo.axisInfo));
    const copied = {
      tensor: offsets.type as TensorType,
      to: dest,
      sources: lo.elements(offsets),
      masks,
      others: other && lo.elements(other),
      vec: widthOf(vec, contiguity, memDescOf(dest)),
    };
    // Upstream leaves the op as it is then, and the translation to LLVM IR refuses it.
    if (faultOf(lo, copied) !== undefined) return void COPY_UNCONVERTED(op, lo);
    const done = copyToLds(lo, copied, () => {
      const rsrc = bufferAt(lo, base);
      return ({ source, mask, address, vector, thread, storeOther }) =>
        inBranch(lo, other ? b.and(thread, mask) : thread, () => {
          const size = b.i32((copied.vec * scalarBits(elementTypeOrSelf(vector))) / 8);
          const place = bufferArgs(lo, vector, rsrc, source, other ? b.i1(true) : mask);
          const aux = b.i32(cacheBits(lo, cache, true));
          const args = { rsrc, ldsPtr: address, size, voffset: place.offset, soffset: b.i32(0), offset: place.soffset, aux };
          b.create(RawPtrBufferLoadLdsOp, { ...args, ...copyAliases(lo) });
          storeOther();
        });
    });
    return done && lo.setValue(token, b.i32(0));
  },
);

const GLOBAL_TO_LDS: LoweringRule = rule(
  AsyncCopyGlobalToLocalOp,
  ({ op, src, result, mask, other, cache, contiguity, token }, lo: Lowering) => {
    const { b, target } = lo;
    const { masks, vec } = masksOf(lo, mask, vectorSize(src, lo.axisInfo));
    const copied = {
      tensor: src.type as TensorType,
      to: result,
      sources: lo.elements(src),
      masks,
      others: other && lo.elements(other),
      vec: widthOf(vec, contiguity, memDescOf(result)),
    };
    const bits = copied.vec * scalarBits(convertType(memDescOf(result).elementType));
    const fault = faultOf(lo, copied);
    if (fault !== undefined) return lo.fail(op, `failed to legalize operation '${op.name}' that was explicitly marked illegal: ${fault}`);
    const done = copyToLds(lo, copied, () => ({ source, mask, address, thread, sharedBy, storeOther }) => {
      inBranch(lo, b.and(thread, mask), () => {
        const aux = cacheBits(lo, cache, true);
        if (target.family === "GFX1250") {
          const args = [source, address, b.i32(0), b.i32(aux), ...(sharedBy ? [sharedBy] : [])];
          b.intrinsic(`llvm.amdgcn.${sharedBy ? "cluster" : "global"}.load.async.to.lds.b${bits}`, undefined, args);
        } else b.create(GlobalLoadLdsOp, { globalPtr: source, ldsPtr: address, size: bits / 8, offset: 0, aux, ...copyAliases(lo) });
      });
      storeOther();
    });
    return done && lo.setValue(token, b.i32(0));
  },
);

export const ASYNC_COPIES: readonly LoweringRule[] = [BUFFER_TO_LDS, GLOBAL_TO_LDS];
