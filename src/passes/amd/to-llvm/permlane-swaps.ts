/**
 * Conversions between layouts that exchange a bit of the register with bit 4 or 5 of the lane, or with both in turn: CDNA4 has
 * instructions that swap rows of two registers. Source: third_party/amd/lib/TritonAMDGPUToLLVM/ConvertLayoutOpToLLVM.cpp.
 */
import { LLVMPointerType, structType } from "../../../dialects/llvm/types/types.js";
import type { Type } from "../../../ir/attribute.js";
import { i32, i64, intType, isInteger } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { actionRemoveBroadcastedRegs, broadcastAs } from "../../../layout/column-action.js";
import type { LinearLayout } from "../../../layout/linear-layout.js";
import { getWarpLayoutConvertDecomposition } from "../../../layout/warp-conversion.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import type { Lowering } from "../../ttg-to-llvm/lowering.js";

const INSTRUCTIONS: Readonly<Record<number, string>> = { 4: "llvm.amdgcn.permlane16.swap", 5: "llvm.amdgcn.permlane32.swap" };

export function convertBySwaps(
  lo: Lowering,
  from: LinearLayout,
  to: LinearLayout,
  given: readonly Value[],
  element: Type,
): readonly Value[] | undefined {
  const bits = scalarBits(element);
  const pieces = getWarpLayoutConvertDecomposition(from, to, bits);
  const [swap, ...more] = pieces?.mixedTranspositions ?? [];
  if (!pieces || !swap || more.length > 0) return undefined;
  const { pReg, pLane, nPack } = pieces;
  const [registerBit, laneBit] = swap.transposition;
  if (registerBit < nPack || swap.topPreSel !== 0x3210 || swap.topPostSel !== 0x3210 || !INSTRUCTIONS[laneBit]) return undefined;
  const lanes = [...pLane.getPackedBases("lane")].map((basis) => Math.log2(basis));
  if (lanes.some((next, bit) => next !== bit && bit !== 4 && bit !== 5)) return undefined;
  const alone = lanes.every((next, bit) => next === bit);
  const inTurn = lanes[4] === 5 && lanes[5] === 4;
  if (!alone && !inTurn) return undefined;

  let values: readonly Value[] = actionRemoveBroadcastedRegs(from).applyToValues(given);
  const size = Math.max(values.length, pReg.getInDimSize("register"));
  const renamed: Value[] = [];
  for (let i = 0; i < size; i++) renamed[pReg.applyPacked({ register: i })] = values[i % values.length]!;
  const { words, restore } = nPack > 0 ? packed(lo, renamed, element, 1 << nPack) : single(lo, renamed, element);
  values = restore(swapPairs(lo, words, registerBit - nPack, alone ? [laneBit] : [laneBit, 9 - laneBit]));
  const unique = actionRemoveBroadcastedRegs(to);
  values = values.slice(0, unique.apply(to).getInDimSize("register"));
  return unique.isIdentity ? values : broadcastAs(values, to);
}

/** Swaps rows of registers that differ in one bit, by the lane bits in turn. */
function swapPairs(lo: Lowering, words: readonly Value[], bit: number, laneBits: readonly number[]): Value[] {
  const { b, ctx } = lo;
  const no = b.i1(false);
  const type = structType(ctx, [i32(ctx), i32(ctx)]);
  const out = [...words];
  for (const [r0] of words.entries()) {
    if ((r0 & (1 << bit)) !== 0) continue;
    const r1 = r0 | (1 << bit);
    for (const laneBit of laneBits) {
      const swapped = b.intrinsic(INSTRUCTIONS[laneBit]!, type, [out[r0]!, out[r1]!, no, no])!;
      out[r0] = b.extractValue(swapped, 0);
      out[r1] = b.extractValue(swapped, 1);
    }
  }
  return out;
}

/** Values as words of 32 bits, and the way back. */
interface Words {
  readonly words: readonly Value[];
  readonly restore: (words: readonly Value[]) => Value[];
}
/** Several values a word. */
function packed({ b, ctx }: Lowering, values: readonly Value[], element: Type, perWord: number): Words {
  const own = intType(ctx, scalarBits(element));
  const slot = 32 / perWord;
  const widens = scalarBits(element) < slot;
  const wide = intType(ctx, slot);
  const widened = widens ? values.map((v) => b.zext(element === own ? v : b.bitcast(v, own), wide)) : values;
  const words: Value[] = [];
  for (let i = 0; i < widened.length; i += perWord) words.push(b.bitcast(b.packVector(widened.slice(i, i + perWord)), i32(ctx)));
  const vector = vecType(widens ? wide : element, perWord);
  const narrow = (value: Value): Value => (element === own ? b.trunc(value, own) : b.bitcast(b.trunc(value, own), element));
  const restore = (out: readonly Value[]): Value[] => {
    const all = out.flatMap((word) => b.unpackVector(b.bitcast(word, vector)));
    return widens ? all.map(narrow) : all;
  };
  return { words, restore };
}
/** A value a word, or two words a value. */
function single({ b, ctx }: Lowering, values: readonly Value[], element: Type): Words {
  const bits = scalarBits(element);
  const own = intType(ctx, bits);
  const isPointer = LLVMPointerType.is(element);
  const toInteger = (v: Value): Value => (isPointer ? b.ptrtoint(v, i64(ctx)) : isInteger(element) ? v : b.bitcast(v, own));
  const fromInteger = (v: Value): Value => (isPointer ? b.inttoptr(v, element) : isInteger(element) ? v : b.bitcast(v, element));
  const integers = values.map((value) => (bits < 32 ? b.zext(toInteger(value), i32(ctx)) : toInteger(value)));
  if (bits !== 64) return { words: integers, restore: (out) => out.map((word) => fromInteger(bits < 32 ? b.trunc(word, own) : word)) };
  const pair = vecType(i32(ctx), 2);
  const halves = integers.map((value) => {
    const vector = b.bitcast(value, pair);
    return [b.extractElement(vector, b.i32(0)), b.extractElement(vector, b.i32(1))] as const;
  });
  const restore = (out: readonly Value[]): Value[] => {
    const half = out.length / 2;
    const wide = out.slice(0, half).map((low, i) => b.bitcast(b.packVector([low, out[half + i]!]), i64(ctx)));
    return wide.map(fromInteger);
  };
  return { words: [...halves.map(([low]) => low), ...halves.map(([, high]) => high)], restore };
}
