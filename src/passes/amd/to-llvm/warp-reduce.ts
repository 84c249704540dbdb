/**
 * Reductions of a wave by the lanes' own instructions: values move along rows by DPP until the last lane has the result of all, which
 * all read. On CDNA4 rows are swapped where only those take part. Source: third_party/amd/lib/TritonAMDGPUToLLVM/TargetInfo.cpp, warpReduce.
 */
import { structType } from "../../../dialects/llvm/types/types.js";
import { PermlaneX16Op, ReadlaneOp } from "../../../dialects/rocdl/ops/lanes.js";
import { singleCombiner } from "../../../dialects/tt/ops/reduce.js";
import { type AmdFamily, isCdna } from "../../../gpu/amd.js";
import { bitWidth, i32, isFloat } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { combine } from "../../ttg-to-llvm/combine.js";
import type { Lowering } from "../../ttg-to-llvm/lowering.js";
import { asInteger, fromInteger, ROW_SHR, updateDpp } from "./lanes.js";

const BCAST_15 = 0x142;
const BCAST_31 = 0x143;
const WITHOUT_DPP: readonly AmdFamily[] = ["CDNA1", "RDNA1", "RDNA2"];
/** The swaps of rows that reach the lanes that differ in these bits. */
const SWAPS: Readonly<Record<number, readonly string[]>> = {
  32: ["llvm.amdgcn.permlane32.swap"],
  48: ["llvm.amdgcn.permlane32.swap", "llvm.amdgcn.permlane16.swap"],
};

/** Reduces over the lanes that differ in the bits of `lanes`; undefined where shuffles have to do it. */
export function warpReduce(
  lo: Lowering,
  family: AmdFamily,
  reduce: Operation,
  values: readonly Value[],
  lanes: number,
): readonly Value[] | undefined {
  if (!singleCombiner(reduce)) return undefined;
  const join = (a: Value, b: Value): Value => combine(lo, reduce, [a], [b])[0]!;
  const swaps = family === "CDNA4" && bitWidth(values[0]!.type)! <= 32 ? SWAPS[lanes] : undefined;
  if (swaps) return values.map((value) => swaps.reduce((acc, swap) => join(...swapRows(lo, acc, swap)), value));
  if (lanes !== lo.target.threadsPerWarp - 1 || WITHOUT_DPP.includes(family)) return undefined;
  return values.map((value) => reduceByDpp(lo, family, value, join));
}

function swapRows(lo: Lowering, value: Value, intrinsic: string): readonly [Value, Value] {
  const { b, ctx } = lo;
  const word = asInteger(lo, value, 32);
  const no = b.i1(false);
  const swapped = b.intrinsic(intrinsic, structType(ctx, [i32(ctx), i32(ctx)]), [word, word, no, no])!;
  const [first, second] = [0, 1].map((i) => b.extractValue(swapped, i));
  return [fromInteger(lo, first!, value.type), fromInteger(lo, second!, value.type)];
}

function reduceByDpp(lo: Lowering, family: AmdFamily, value: Value, join: (a: Value, b: Value) => Value): Value {
  const { b, target } = lo;
  const { type } = value;
  const step = (acc: Value, dppCtrl: number, rowMask = 0xf): Value => {
    if (isFloat(type, "f32")) return join(acc, updateDpp(lo, acc, acc, { dppCtrl, rowMask, boundCtrl: true }));
    const word = asInteger(lo, acc, 32);
    const moved = updateDpp(lo, word, word, { dppCtrl, rowMask, boundCtrl: true });
    const own = fromInteger(lo, word, type);
    return join(own, fromInteger(lo, moved, type));
  };
  let acc = value;
  for (const distance of [8, 4, 2, 1]) acc = step(acc, ROW_SHR + distance);
  if (isCdna(family)) acc = step(step(acc, BCAST_15, 0xa), BCAST_31);
  else {
    const word = asInteger(lo, acc, 32);
    const all = b.i32(-1);
    const other = b.value(PermlaneX16Op, { old: word, src0: word, src1: all, src2: all, fi: true, boundControl: false }, word.type);
    const own = fromInteger(lo, word, type);
    acc = join(own, fromInteger(lo, other, type));
  }
  const word = asInteger(lo, acc, 16);
  const last = b.i32(target.threadsPerWarp - 1);
  return fromInteger(lo, b.value(ReadlaneOp, { src0: word, src1: last }, word.type), type);
}
