/**
 * Accesses by way of a buffer's descriptor: a pointer and an offset in bytes for each thread. An offset past the buffer's end loads 0
 * and stores nothing, so a mask picks between the offset and that.
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/BufferOpsEmitter.cpp, LoadStoreOpToLLVM.cpp.
 */

import { vectorSizeAt } from "../../../analysis/amd-vector-size.js";
import { BufferLoadOp, BufferStoreOp } from "../../../dialects/amdg/ops/buffer.js";
import { ConstantOp } from "../../../dialects/llvm/ops/constants.js";
import * as rocdl from "../../../dialects/rocdl/ops/buffer.js";
import type { AmdFamily } from "../../../gpu/amd.js";
import type { Type } from "../../../ir/attribute.js";
import { DenseElementsAttr, FloatAttr, floatValue, IntegerAttr } from "../../../ir/builtin-attrs.js";
import { elementTypeOrSelf, i16, i32, intType, isFloat, shapedParams } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { freeVariableMasks } from "../../ttg-to-llvm/global-access.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { convertType, elementsPerThread } from "../../ttg-to-llvm/type-converter.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";
import { cacheBits } from "./cache-policy.js";
import { masksOf, redundantThreadPredicate, unpackRange } from "./load-store.js";

const MOST = 2 ** 31 - 1;
const WITH_OUT_OF_BOUNDS_SELECT: readonly AmdFamily[] = ["RDNA2", "RDNA3", "RDNA4"];

/** The descriptor of a buffer that begins at a pointer. */
export function bufferAt({ b, target }: Lowering, base: Value): Value {
  // Formats that the intrinsics do not read, but that must not be 0; on RDNA also what an access past the end is.
  const format = (7 << 12) | (4 << 15);
  const flags = WITH_OUT_OF_BOUNDS_SELECT.includes(target.family) ? format | (1 << 24) | (3 << 28) : format;
  const args = { base, stride: b.i16(0), numRecords: b.i64(MOST - 1), flags: b.i32(flags) };
  return b.value(rocdl.MakeBufferRsrcOp, args, b.ptr(8));
}

/** The offsets of one access of `type`. */
export function bufferArgs({ b }: Lowering, type: Type, rsrc: Value, offset: Value, predicate: Value) {
  const past = b.i32(-MOST - 1);
  const bytes = b.mul(b.i32(Math.max(8, scalarBits(elementTypeOrSelf(type))) / 8), offset);
  return { rsrc, offset: b.select(predicate, bytes, past), soffset: b.i32(0) };
}

/** The type by which the instruction moves a vector: words where elements are smaller. */
function movedType(type: Type): Type {
  const { ctx } = type;
  const element = elementTypeOrSelf(type);
  const [count] = shapedParams(type).shape as [number];
  const bits = Math.max(8, scalarBits(element));
  if (bits < 32) return bits * count > 32 ? vecType(i32(ctx), (bits * count) / 32) : intType(ctx, bits * count);
  const moved = isFloat(element, "bf16") ? i16(ctx) : element;
  return count === 1 ? moved : vecType(moved, count);
}

function isZero(value: Value): boolean {
  const constant = value.definingOp && ConstantOp.match(value.definingOp)?.value;
  if (IntegerAttr.is(constant)) return constant.params.value === 0n;
  if (FloatAttr.is(constant)) return floatValue(constant) === 0;
  return DenseElementsAttr.is(constant) && constant.params.splat && constant.params.elements[0] === 0n;
}

const LOAD: LoweringRule = rule(BufferLoadOp, ({ ptr, offsets, mask, other, cache, result }, lo: Lowering) => {
  const { b } = lo;
  const base = lo.value(ptr);
  const places = lo.elements(offsets);
  const { masks, vec } = masksOf(lo, mask, vectorSizeAt(ptr, offsets, lo.axisInfo));
  const others = other && lo.elements(other);
  const rsrc = bufferAt(lo, base);
  const type = vecType(convertType(elementTypeOrSelf(result.type)), vec);
  const moved = movedType(type);
  const loaded: Value[] = [];
  for (let start = 0; start < elementsPerThread(offsets.type); start += vec) {
    const predicate = mask ? masks[start]! : b.i1(true);
    const otherwise = others && b.packVector(others.slice(start, start + vec));
    const args = { ...bufferArgs(lo, type, rsrc, places[start]!, predicate), aux: b.i32(cacheBits(lo, cache, true)) };
    let value = b.bitcast(b.value(rocdl.RawPtrBufferLoadOp, args, moved), type);
    if (otherwise && !isZero(otherwise)) value = b.select(predicate, value, otherwise);
    loaded.push(...unpackRange(lo, value, vec));
  }
  lo.setElements(result, loaded);
});

const STORE: LoweringRule = rule(BufferStoreOp, ({ value, ptr, offsets, mask, cache }, lo: Lowering) => {
  const { b } = lo;
  const base = lo.value(ptr);
  const places = lo.elements(offsets);
  const values = lo.elements(value);
  const { masks, vec } = masksOf(lo, mask, vectorSizeAt(ptr, offsets, lo.axisInfo));
  const rsrc = bufferAt(lo, base);
  const free = freeVariableMasks(value.type);
  const thread = redundantThreadPredicate(lo, free);
  const type = vecType(convertType(elementTypeOrSelf(value.type)), vec);
  const moved = movedType(type);
  for (let start = 0; start < elementsPerThread(offsets.type); start += vec) {
    if ((start & free.register) !== 0) continue;
    const predicate = mask ? b.and(thread, masks[start]!) : thread;
    const packed = b.packVector(values.slice(start, start + vec));
    const vdata = moved === type ? packed : b.bitcast(packed, moved);
    const args = bufferArgs(lo, type, rsrc, places[start]!, predicate);
    b.create(rocdl.RawPtrBufferStoreOp, { vdata, ...args, aux: b.i32(cacheBits(lo, cache, false)) });
  }
});

export const BUFFERS: readonly LoweringRule[] = [LOAD, STORE];
