/**
 * Tensor descriptors of gfx1250 and copies by its tensor data mover (TDM). A descriptor is a struct of 32-bit words, in groups of 4, 8 and,
 * above two dimensions, 4 and 4:
 *
 *     group 0   predicate, address in LDS, address in global memory (57 bits), type
 *     group 1   element size, padding, mbarrier, extents of the tensor and of the block, strides
 *     group 2   extents, a stride and the block's extent of the third and fourth dimension from the end
 *     group 3   the same of the fifth
 *
 * Each warp copies its part of the block.
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/TDMUtility.cpp, TensorPtrOpsToLLVM.cpp, LoadStoreOpToLLVM.cpp.
 */
import * as amdg from "../../../dialects/amdg/ops/tdm.js";
import { SMaxOp } from "../../../dialects/llvm/ops/intrinsics.js";
import { ptrType, structType } from "../../../dialects/llvm/types/types.js";
import { MakeTensorDescOp } from "../../../dialects/tt/ops/pointer.js";
import { TensorDescType } from "../../../dialects/tt/types.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import { i32, i64 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { paddingsOf } from "../../../layout/encoding-queries.js";
import { scalarBits } from "../../ttg-to-llvm/ll-builder.js";
import { memDescOf, sharedMemoryObject } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { asValue, laneAndWarpId, numWarpsAt } from "../../ttg-to-llvm/thread-indices.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";

/** The words of each group. */
const GROUPS = [4, 8, 4, 4] as const;
const groupsOf = (rank: number): readonly number[] => (rank > 2 ? GROUPS : GROUPS.slice(0, 2));

const blockOf = (desc: Type) => TensorDescType.params(desc).blockType.params;

/** A descriptor's type in the LLVM dialect. */
export function descriptorType(desc: Type): Type {
  const words = groupsOf(blockOf(desc).shape.length).reduce((sum, n) => sum + n, 0);
  return structType(desc.ctx, new Array<Type>(words).fill(i32(desc.ctx)));
}

interface Padding {
  /** Elements that lie together, and how many are left out after them; 0 without padding. */
  readonly interval: number;
  readonly amount: number;
}
const UNPADDED: Padding = { interval: 0, amount: 0 };

/** Undefined where there is more than one interval, which the hardware has not. */
function paddingOf(encoding: Attribute | undefined): Padding | undefined {
  const params = encodingParams(encoding);
  if (params?.kind !== "padded_shared") return UNPADDED;
  const [first, ...others] = paddingsOf(params);
  return first && others.length === 0 ? { interval: first[0], amount: first[1] } : undefined;
}

/** How many warps copy along each dimension: as many as fit, from the first on, and what is left along the last. */
function warpsAlong(shape: readonly number[], numWarps: number): number[] {
  let left = numWarps;
  const warps = shape.map((extent) => {
    let count = 1;
    for (; left > 1 && 2 * count <= extent; count *= 2) left /= 2;
    return count;
  });
  warps[warps.length - 1]! *= left;
  return warps;
}

function makeDescriptor(
  lo: Lowering,
  element: Type,
  shape: readonly number[],
  numWarps: number,
  { interval, amount }: Padding,
  tensorShape: readonly Value[],
  tensorStrides: readonly Value[],
  pointer: Value,
): Value[] {
  const { b, ctx } = lo;
  const rank = shape.length;
  const sixteen = b.i32(16);
  const strides = tensorStrides.map((stride) => b.trunc(stride, i32(ctx)));
  const warps = rank >= 2 ? warpsAlong(shape, numWarps).map((count, i) => (i < 2 ? count : 1)) : [numWarps];
  const block = shape.map((extent, i) => Math.ceil(extent / warps[i]!));
  const [group0, group1, group2, group3] = GROUPS.map((words) => new Array<Value>(words).fill(b.i32(0))) as [
    Value[],
    Value[],
    Value[],
    Value[],
  ];
  /** The element for a dimension that is counted from the last, which is 1. */
  const at = <T>(list: readonly T[], fromEnd: number): T => list[rank - fromEnd]!;

  const address = b.ptrtoint(pointer, i64(ctx));
  group0[2] = b.trunc(address, i32(ctx));
  group0[3] = b.or(b.trunc(b.lshr(address, b.i64(32)), i32(ctx)), b.i32(1 << 31));

  const bits = scalarBits(element);
  const set = (group: Value[], word: number, value: Value): void => void (group[word] = b.or(group[word]!, value));
  set(group1, 0, b.i32(Math.log2(bits / 8) << 16));
  const [every, adds] = [Math.floor((interval * bits) / 32), Math.floor((amount * bits) / 32)];
  if (every > 0 && adds > 0) for (const field of [1 << 20, (Math.log2(every) - 1) << 22, (adds - 1) << 25]) set(group1, 0, b.i32(field));
  group1[1] = b.shl(at(tensorShape, 1), sixteen);
  group1[2] = b.lshr(at(tensorShape, 1), sixteen);
  if (rank >= 2) {
    set(group1, 2, b.shl(at(tensorShape, 2), sixteen));
    group1[3] = b.lshr(at(tensorShape, 2), sixteen);
  }
  set(group1, 3, b.i32(at(block, 1) << 16));
  if (rank >= 2) group1[4] = b.i32(at(block, 2));
  if (rank >= 3) set(group1, 4, b.i32(at(block, 3) << 16));
  if (rank >= 2) group1[5] = at(strides, 2);
  if (rank >= 3) {
    set(group1, 6, b.shl(at(strides, 3), sixteen));
    group1[7] = b.lshr(at(strides, 3), sixteen);
  }
  if (rank <= 2) return [...group0, ...group1];

  group2[0] = at(tensorShape, 3);
  if (rank >= 4) {
    group2[1] = at(tensorShape, 4);
    group2[2] = at(strides, 4);
    set(group2, 3, b.shl(b.i32(at(block, 4)), sixteen));
  }
  if (rank === 5) {
    set(group3, 1, b.shl(at(tensorShape, 5), sixteen));
    set(group3, 2, b.lshr(at(tensorShape, 5), sixteen));
    group3[0] = at(strides, 5);
    set(group3, 2, b.shl(b.i32(at(block, 5)), sixteen));
  }
  return [...group0, ...group1, ...group2, ...group3];
}

/** A number of 32 bits whose lower half is the upper half of a word, and whose upper half begins the next one. */
function acrossWords({ b }: Lowering, group: readonly Value[], word: number): Value {
  const low = b.lshr(group[word]!, b.i32(16));
  return b.or(low, b.shl(group[word + 1]!, b.i32(16)));
}

/** The parts of a descriptor that a copy needs: the tensor's begin, its extents and its strides. */
function readDescriptor(lo: Lowering, [group0, group1, group2, group3]: readonly Value[][], rank: number) {
  const { b, ctx } = lo;
  const half = (value: Value): Value => b.and(value, b.i32(0xffff));
  const upper = (value: Value): Value => b.and(b.lshr(value, b.i32(16)), b.i32(0xffff));
  const word = i64(ctx);
  const high31 = b.and(group0![3]!, b.i32(0x7fffffff));
  const low = b.zext(group0![2]!, word);
  const high = b.shl(b.zext(high31, word), b.i64(32));
  const pointer = b.inttoptr(b.or(low, high), ptrType(ctx, 1));
  const shape = new Array<Value>(rank);
  const strides = new Array<Value>(rank);
  shape[rank - 1] = acrossWords(lo, group1!, 1);
  if (rank >= 2) {
    shape[rank - 2] = acrossWords(lo, group1!, 2);
    strides[rank - 2] = group1![5]!;
  }
  if (rank >= 3) {
    const lower = upper(group1![6]!);
    strides[rank - 3] = b.or(lower, b.shl(half(group1![7]!), b.i32(16)));
  }
  if (rank >= 4) strides[rank - 4] = group2![2]!;
  if (rank === 5) strides[0] = group3![0]!;
  strides[rank - 1] = b.i32(1);
  // Upstream reads the block's extents too, which nothing uses.
  upper(group1![3]!);
  if (rank >= 2) half(group1![4]!);
  if (rank >= 3) {
    shape[rank - 3] = group2![0]!;
    upper(group1![4]!);
  }
  if (rank >= 4) {
    shape[rank - 4] = group2![1]!;
    upper(group2![3]!);
  }
  if (rank === 5) {
    const lower = upper(group3![1]!);
    shape[0] = b.or(lower, b.shl(half(group3![2]!), b.i32(16)));
    upper(group3![2]!);
  }
  return { pointer, shape, strides };
}

interface Copy {
  readonly desc: Value;
  readonly indices: readonly Value[];
  readonly buffer: Value;
  readonly padding: Padding;
  readonly predicate: () => Value;
  readonly barrier: Value | undefined;
  readonly instruction: string;
}

/** Puts the warp's part of a copy into the descriptor, and starts the copy. */
function copyByDescriptor(lo: Lowering, { desc, indices, buffer, padding, predicate, barrier, instruction }: Copy): void {
  const { b, ctx } = lo;
  const words = lo.elements(desc);
  const element = convertType(memDescOf(buffer).elementType);
  const base = sharedMemoryObject(lo, buffer).base;
  const offsets = lo.allValues(indices);
  const numWarps = numWarpsAt(lo);
  const barrierBase = barrier && sharedMemoryObject(lo, barrier).base;
  const pred = predicate();
  const block = blockOf(desc.type).shape;
  const rank = block.length;
  let taken = 0;
  const groups = groupsOf(rank).map((count) => words.slice(taken, (taken += count)));
  const { pointer, shape, strides } = readDescriptor(lo, groups, rank);
  const [group0, group1, group2, group3] = groups as [Value[], Value[], Value[]?, Value[]?];

  let left = asValue(b, laneAndWarpId(lo).warp);
  const warps = warpsAlong(block, numWarps);
  const coordinates = warps.map((count, i) => {
    if (i === rank - 1) return left;
    const own = b.urem(left, b.i32(count));
    left = b.udiv(left, b.i32(count));
    return own;
  });
  const begins: Value[] = [];
  const at = block.map((extent, i) => {
    begins.push(b.mul(b.i32(Math.ceil(extent / warps[i]!)), coordinates[i]!));
    return b.add(offsets[i]!, begins[i]!);
  });
  let offset = b.i32(0);
  for (let i = 0; i < rank; i++) offset = b.add(offset, b.mul(at[i]!, strides[i]!));
  const source = b.gep(ptrType(ctx, 1), element, pointer, [offset]);

  let place = b.i32(0);
  let stride = b.i32(1);
  for (let i = rank - 1; i >= 0; i--) {
    place = b.add(place, b.mul(begins[i]!, stride));
    if (i > 0) stride = b.mul(stride, b.i32(block[i]!));
  }
  if (padding.interval > 0 && padding.amount > 0) {
    const interval = b.i32(Math.log2(padding.interval));
    const amount = b.i32(Math.floor(Math.log2(padding.amount)));
    place = b.add(place, b.shl(b.ashr(place, interval), amount));
  }
  const target = b.gep(ptrType(ctx, 3), element, base, [place]);
  const rest = shape.map((extent, i) => {
    const zero = b.i32(0);
    return b.value(SMaxOp, { a: zero, b: b.sub(extent, at[i]!) }, i32(ctx));
  });

  const address = b.ptrtoint(source, i64(ctx));
  const inLds = b.ptrtoint(target, i32(ctx));
  group0[0] = b.zext(pred, i32(ctx));
  group0[1] = inLds;
  group0[2] = b.trunc(address, i32(ctx));
  group0[3] = b.and(group0[3]!, b.i32(1 << 31));
  group0[3] = b.or(group0[3], b.trunc(b.lshr(address, b.i64(32)), i32(ctx)));
  const shifted = (value: Value): Value => b.shl(value, b.i32(16));
  const upper = (value: Value): Value => b.lshr(value, b.i32(16));
  group1[1] = shifted(rest[rank - 1]!);
  group1[2] = upper(rest[rank - 1]!);
  if (rank >= 2) {
    group1[2] = b.or(group1[2], shifted(rest[rank - 2]!));
    group1[3] = b.and(group1[3]!, b.i32(0xffff << 16));
    group1[3] = b.or(group1[3], upper(rest[rank - 2]!));
  }
  if (barrierBase) {
    group1[0] = b.or(group1[0]!, b.shl(b.i32(1), b.i32(18)));
    const number = b.lshr(b.ptrtoint(barrierBase, i32(ctx)), b.i32(3));
    group1[1] = b.or(group1[1], b.and(number, b.i32(0xffff)));
  } else group1[0] = b.and(group1[0]!, b.i32(0xfffbffff | 0));
  if (rank >= 3) group2![0] = rest[rank - 3]!;
  if (rank >= 4) group2![1] = rest[rank - 4]!;
  if (rank === 5) {
    group3![1] = b.and(group3![1]!, b.i32(0xffff));
    group3![1] = b.or(group3![1], shifted(rest[0]!));
    group3![2] = b.and(group3![2]!, b.i32(0xffff << 16));
    group3![2] = b.or(group3![2], upper(rest[0]!));
  }
  const vectors = groups.map((group) => b.packVector(group));
  b.intrinsic(`llvm.amdgcn.tensor.${instruction}${rank > 2 ? "" : ".d2"}`, undefined, [...vectors, b.i32(0)]);
}

export const TDM: readonly LoweringRule[] = [
  rule(MakeTensorDescOp, ({ op, base, shape, strides, result }, lo: Lowering) => {
    const { shape: block, elementType, encoding } = blockOf(result.type);
    if (!encoding) return lo.fail(op, "a descriptor without a layout cannot be lowered");
    const padding = paddingOf(encoding);
    if (!padding) return lo.fail(op, "a descriptor has one interval of padding at most");
    const [pointer, extents, steps] = [lo.value(base), lo.allValues(shape), lo.allValues(strides)];
    const words = makeDescriptor(lo, convertType(elementType), block, numWarpsAt(lo), padding, extents, steps, pointer);
    return lo.setElements(result, words);
  }),
  rule(amdg.AsyncTDMCopyGlobalToLocalOp, ({ op, desc, indices, result, pred, barrier, token }, lo: Lowering) => {
    if (lo.target.numCTAs > 1) return lo.fail(op, "Triton 3.6 lowers no copy by descriptor where a cluster has several CTAs");
    const padding = paddingOf(memDescOf(result).encoding);
    if (!padding) return lo.fail(op, "a descriptor has one interval of padding at most");
    copyByDescriptor(lo, { desc, indices, buffer: result, padding, predicate: () => lo.value(pred), barrier, instruction: "load.to.lds" });
    return token.hasUses() ? lo.setValue(token, lo.b.i32(0)) : undefined;
  }),
  rule(amdg.AsyncTDMCopyLocalToGlobalOp, ({ desc, indices, src }, lo: Lowering) => {
    const whole = { padding: UNPADDED, predicate: () => lo.b.i1(true), barrier: undefined };
    copyByDescriptor(lo, { desc, indices, buffer: src, ...whole, instruction: "store.from.lds" });
  }),
  rule(amdg.AsyncTDMWaitOp, ({ num, retToken }, lo: Lowering) => {
    const { b } = lo;
    b.intrinsic("llvm.amdgcn.s.wait.tensorcnt", undefined, [b.i16(num)]);
    return retToken.hasUses() ? lo.setValue(retToken, b.i32(0)) : undefined;
  }),
];
