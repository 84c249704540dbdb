/** Values of other lanes of the wave. */
import * as rocdl from "../../../../dialects/rocdl/ops/index.js";
import type { Value } from "../../../../ir/value.js";
import { type FunctionText, NotExecutable } from "../../function-text.js";
import { constantIndex, type Family, type Rule } from "../rule.js";
import { fresh, fromWords, list, wave, wordsOf } from "./words.js";

/** Moves each word of a value between lanes. */
function moveWords(f: FunctionText, source: Value, result: Value, move: (d: string, word: string, i: number) => void): void {
  const words = wordsOf(f, source);
  const moved = fresh(f, words.length);
  words.forEach((word, i) => {
    move(moved[i]!, word, i);
  });
  fromWords(f, result, moved);
}

const updateDpp: Rule = (f, op) => {
  const { old, src, res, dppCtrl, rowMask, bankMask, boundCtrl } = rocdl.UpdateDppOp.match(op)!;
  const before = wordsOf(f, old);
  moveWords(f, src, res, (d, word, i) =>
    wave(f, `dpp.b32 ${d}, ${before[i]}, ${word}, ${dppCtrl}, ${rowMask}, ${bankMask}, ${boundCtrl ? 1 : 0}`),
  );
};
const byIndex =
  (name: string, [value, index]: readonly [number, number]): Rule =>
  (f, op) =>
    moveWords(f, op.operand(value), op.result(0), (d, word) => wave(f, `${name}.b32 ${d}, ${word}, ${f.scalar(op.operand(index))}`));
const swizzle: Rule = (f, op) => {
  const pattern = constantIndex(op.operand(1));
  if (pattern === undefined) throw new NotExecutable("a pattern that is not constant");
  moveWords(f, op.operand(0), op.result(0), (d, word) => wave(f, `swizzle.b32 ${d}, ${word}, ${pattern}`));
};
const readFirst: Rule = (f, op) => moveWords(f, op.operand(0), op.result(0), (d, word) => wave(f, `readfirstlane.b32 ${d}, ${word}`));
/** A bit for each lane, in one or two words. */
const ballot: Rule = (f, op) => {
  const halves = fresh(f, 2);
  wave(f, `ballot.b32 ${halves.join(", ")}, ${f.scalar(op.operand(0))}`);
  fromWords(f, op.result(0), halves.slice(0, f.leaves(op.result(0).type)[0]!.bits / 32));
};
const swap =
  (rows: number): Rule =>
  (f, op) => {
    const made = fresh(f, 2);
    wave(f, `swap.${rows}.b32 ${made.join(", ")}, ${f.scalar(op.operand(0))}, ${f.scalar(op.operand(1))}`);
    f.bind(op.result(0), made);
  };

/** A lane of the other row of 16: each lane's place in it has 4 bits. */
const otherRow: Rule = (f, op) => {
  const { old, src0, src1, src2, res, fi, boundControl } = rocdl.PermlaneX16Op.match(op)!;
  const selectors = [src1, src2].map((value) => f.scalar(value)).join(", ");
  const before = wordsOf(f, old);
  moveWords(f, src0, res, (d, word, i) =>
    wave(f, `permlanex16.b32 ${d}, ${before[i]}, ${word}, ${selectors}, ${fi ? 1 : 0}, ${boundControl ? 1 : 0}`),
  );
};

/** Lanes below this one among those of a half of a wave of 64; a wave of 32 is the lower half. */
const mbcnt =
  (half: 0 | 1): Rule =>
  (f, op) => {
    const [own, below, mask, count] = fresh(f, 4);
    const p = f.fresh(1);
    if (f.amd?.warpSize === 32) f.put(`mov.u32 ${own}, 0`);
    else {
      f.put(`mov.u32 ${own}, %warpid`);
      f.put(`and.b32 ${own}, ${own}, 1`);
    }
    f.put(`mov.u32 ${below}, %lanemask_lt`);
    f.put(`setp.eq.u32 ${p}, ${own}, ${half}`);
    f.put(`selp.b32 ${mask}, ${below}, ${half === 0 ? -1 : 0}, ${p}`);
    f.put(`and.b32 ${mask}, ${mask}, ${f.scalar(op.operand(0))}`);
    f.put(`popc.b32 ${count}, ${mask}`);
    f.put(`add.u32 ${f.define(op.result(0))[0]}, ${count}, ${f.scalar(op.operand(1))}`);
  };

const transposedRead =
  (bits: number): Rule =>
  (f, op) => {
    wave(f, "sync");
    const [own, got] = [fresh(f, 2), fresh(f, 2)];
    f.put(`ld.shared.v2.b32 ${list(own)}, [${f.scalar(op.operand(0))}]`);
    wave(f, `transpose.b${bits} ${list(got)}, ${list(own)}`);
    fromWords(f, op.result(0), got);
  };

export const LANES: Family = [
  ["rocdl.update.dpp", updateDpp],
  ["rocdl.ds_bpermute", byIndex("bpermute", [1, 0])],
  ["rocdl.readlane", byIndex("readlane", [0, 1])],
  ["rocdl.ds_swizzle", swizzle],
  ["rocdl.permlanex16", otherRow],
  ["rocdl.ballot", ballot],
  ["rocdl.mbcnt.lo", mbcnt(0)],
  ["rocdl.mbcnt.hi", mbcnt(1)],
  ["rocdl.ds.read.tr16.b64", transposedRead(16)],
  ["rocdl.ds.read.tr8.b64", transposedRead(8)],
];
/** By the intrinsic's name. */
export const LANE_INTRINSICS: Family = [
  ["llvm.amdgcn.readfirstlane", readFirst],
  ["llvm.amdgcn.ds.bpermute", byIndex("bpermute", [1, 0])],
  ["llvm.amdgcn.ds.permute", byIndex("permute", [1, 0])],
  ["llvm.amdgcn.permlane16.swap", swap(16)],
  ["llvm.amdgcn.permlane32.swap", swap(32)],
  ["llvm.amdgcn.wave.barrier", (f) => wave(f, "sync")],
];
