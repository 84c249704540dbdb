/**
 * Values of other lanes: by DPP where the lane is near, by swizzles of 32 lanes, else by way of the LDS unit (`ds_bpermute`). All move
 * 32 bits. Source: third_party/amd/lib/TritonAMDGPUToLLVM/Utility.cpp, shuffleCommon, permute.
 */
import { LLVMPointerType } from "../../../dialects/llvm/types/types.js";
import * as rocdl from "../../../dialects/rocdl/ops/lanes.js";
import { type AmdFamily, isRdna } from "../../../gpu/amd.js";
import type { Type } from "../../../ir/attribute.js";
import { bitWidth, f32, i32, i64, intType, isInteger } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { Bug } from "../../../support/assert.js";
import { vecType } from "../../ttg-to-llvm/ll-builder.js";
import type { Lowering } from "../../ttg-to-llvm/lowering.js";
import { threadId } from "../../ttg-to-llvm/thread-indices.js";

const ROW_SHL = 0x100;
export const ROW_SHR = 0x110;
const ALL = 0xf;
const HAS_DPP: readonly AmdFamily[] = ["CDNA2", "CDNA3", "CDNA4", "RDNA3", "RDNA4"];

/** `old` where a lane takes no part. */
export interface Dpp {
  readonly dppCtrl: number;
  readonly rowMask?: number;
  readonly bankMask?: number;
  readonly boundCtrl: boolean;
}
export function updateDpp(lo: Lowering, old: Value, src: Value, { dppCtrl, rowMask = ALL, bankMask = ALL, boundCtrl }: Dpp): Value {
  return lo.b.value(rocdl.UpdateDppOp, { old, src, dppCtrl, rowMask, bankMask, boundCtrl }, src.type);
}

/** A value as an integer of at least `bits` bits. */
export function asInteger({ b }: Lowering, value: Value, bits: number): Value {
  const width = bitWidth(value.type)!;
  const integer = isInteger(value.type) ? value : b.bitcast(value, intType(b.ctx, width));
  return width < bits ? b.sext(integer, intType(b.ctx, bits)) : integer;
}
/** The value that `asInteger` was given. */
export function fromInteger({ b }: Lowering, value: Value, type: Type): Value {
  const width = bitWidth(type)!;
  const integer = width < bitWidth(value.type)! ? b.trunc(value, intType(b.ctx, width)) : value;
  return isInteger(type) ? integer : b.bitcast(integer, type);
}

/** Moves a value of any width by what moves a word. */
function inWords(lo: Lowering, value: Value, move: (word: Value) => Value): Value {
  const { b, ctx } = lo;
  const { type } = value;
  if (LLVMPointerType.is(type)) return b.inttoptr(inWords(lo, b.ptrtoint(value, i64(ctx)), move), type);
  const bits = bitWidth(type)!;
  if (bits <= 32) return isInteger(type, 32) ? move(value) : fromInteger(lo, move(asInteger(lo, value, 32)), type);
  const halves = b.bitcast(value, vecType(f32(ctx), 2));
  const [low, high] = [0, 1].map((i) => b.extractElement(halves, b.i32(i)));
  const moved = [inWords(lo, low!, move), inWords(lo, high!, move)];
  return b.bitcast(b.packVector(moved), type);
}
function bpermute(lo: Lowering, value: Value, lane: Value): Value {
  const { b, ctx } = lo;
  const index = b.shl(lane, b.i32(2));
  return b.value(rocdl.DsBpermuteOp, { index, src: value }, i32(ctx));
}

/** The value of lane `id ^ mask`; the mask is a power of two. */
export function shuffleXor(lo: Lowering, family: AmdFamily, value: Value, mask: number): Value {
  const { b, ctx } = lo;
  if ((mask & (mask - 1)) !== 0) throw new Bug(`no shuffle by lanes ^ ${mask}`);
  const swizzle = (word: Value, offset: number): Value => b.value(rocdl.DsSwizzleOp, { src: word, offset: b.i32(offset) }, i32(ctx));
  return inWords(lo, value, (word) => {
    if (mask > 16) return bpermute(lo, word, b.xor(threadId(lo), b.i32(mask)));
    if (mask === 16 && isRdna(family)) {
      const [low, high] = [b.i32(0x76543210), b.i32(0xfedcba98 | 0)];
      return b.value(rocdl.PermlaneX16Op, { old: word, src0: word, src1: low, src2: high, fi: true, boundControl: false }, i32(ctx));
    }
    if (mask === 16 || !HAS_DPP.includes(family)) return swizzle(word, (mask << 10) | 0x1f);
    const dpp = (old: Value, dppCtrl: number, bankMask?: number): Value =>
      updateDpp(lo, old, word, { dppCtrl, ...(bankMask === undefined ? {} : { bankMask }), boundCtrl: false });
    // Within four lanes any permutation; else a shift to the right for half of the banks, and one to the left for the others.
    if (mask < 4)
      return dpp(
        word,
        [0, 1, 2, 3].reduce((bits, lane) => bits | ((lane ^ mask) << (2 * lane)), 0),
      );
    return dpp(dpp(word, ROW_SHR + mask, mask === 4 ? 0xa : 0xc), ROW_SHL + mask, mask === 4 ? 0x5 : 0x3);
  });
}
/** The value of the lane `distance` before, or the lane's own where there is none. */
export function shuffleUp(lo: Lowering, value: Value, distance: number): Value {
  const { b, target } = lo;
  const by = b.i32(distance);
  return inWords(lo, value, (word) => {
    const lane = b.urem(threadId(lo), b.i32(target.threadsPerWarp));
    const isFirst = b.icmp("slt", lane, by);
    return bpermute(lo, word, b.select(isFirst, lane, b.sub(lane, by)));
  });
}
export function shuffleIdx(lo: Lowering, value: Value, lane: Value | number): Value {
  const from = typeof lane === "number" ? lo.b.i32(lane) : lane;
  return inWords(lo, value, (word) => bpermute(lo, word, from));
}

/** Four bytes of eight. The instruction's selector has a byte for each, and its first operand holds the high bytes. */
export function permuteBytes({ b, ctx }: Lowering, low: Value, high: Value, selector: Value): Value {
  const spread = (value: Value, keep: number, move: number, by: number): Value =>
    b.or(b.and(value, b.i32(keep)), b.shl(b.and(value, b.i32(move)), b.i32(by)));
  const bytes = spread(spread(selector, 0xff, 0xff00, 8), 0x000f000f, 0x00f000f0, 4);
  return b.intrinsic("llvm.amdgcn.perm", i32(ctx), [high, low, bytes])!;
}
