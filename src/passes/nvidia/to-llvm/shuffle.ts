/** Values of other lanes. Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/Utility.cpp, shuffleCommon, permute. */
import { LLVMPointerType } from "../../../dialects/llvm/types/types.js";
import { ShflKindAttr } from "../../../dialects/nvvm/attrs.js";
import { ShflOp } from "../../../dialects/nvvm/ops/warp.js";
import { f32, i32, i64, intType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { type LLBuilder, scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";

type ShflKind = "bfly" | "up" | "idx";

/** The value of lane `id ^ mask`. */
export const shuffleXor = (b: LLBuilder, value: Value, mask: number): Value => shuffle(b, value, b.i32(mask), "bfly", 0x1f);
/** The value of the lane `distance` before. */
export const shuffleUp = (b: LLBuilder, value: Value, distance: number): Value => shuffle(b, value, b.i32(distance), "up", 0);
/** The value of a lane. */
export const shuffleIdx = (b: LLBuilder, value: Value, lane: Value | number): Value =>
  shuffle(b, value, typeof lane === "number" ? b.i32(lane) : lane, "idx", 0x1f);

function shuffle(b: LLBuilder, value: Value, offset: Value, kind: ShflKind, clamp: number): Value {
  const { ctx } = b;
  const mask = b.i32(clamp);
  if (!LLVMPointerType.is(value.type)) return shuffleBits(b, value, offset, kind, mask);
  const bits = shuffleBits(b, b.ptrtoint(value, i64(ctx)), offset, kind, mask);
  return b.inttoptr(bits, value.type);
}
/** In registers of 32 bits: narrower values are extended, those of 64 bits go in halves. */
function shuffleBits(b: LLBuilder, value: Value, offset: Value, kind: ShflKind, clamp: Value): Value {
  const { ctx } = b;
  const { type } = value;
  const bits = scalarBits(type);
  if (bits === 64) {
    const halves = b.unpackVector(b.bitcast(value, vecType(f32(ctx), 2)));
    const moved = halves.map((half) => shuffleBits(b, half, offset, kind, clamp));
    return b.bitcast(b.packVector(moved), type);
  }
  const word = i32(ctx);
  let val = value;
  if (type !== word) {
    val = b.bitcast(val, intType(ctx, bits));
    if (bits < 32) val = b.zext(val, word);
  }
  const everyLane = b.i32(-1);
  let result = b.value(
    ShflOp,
    { thread_mask: everyLane, val, offset, mask_and_clamp: clamp, kind: ShflKindAttr.get(ctx, { value: kind }) },
    word,
  );
  if (type !== word) {
    if (bits < 32) result = b.trunc(result, intType(ctx, bits));
    result = b.bitcast(result, type);
  }
  return result;
}

/** Four bytes picked from the eight of two words. */
export function permuteBytes(b: LLBuilder, low: Value, high: Value, selector: Value): Value {
  return b.intrinsic("llvm.nvvm.prmt", i32(b.ctx), [low, high, selector])!;
}
