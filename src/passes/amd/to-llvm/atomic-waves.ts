/**
 * Atomics of the lanes of a wave that work together: those at one address are reduced before one of them accesses memory, and
 * neighbouring f16 are added two at once. Source: third_party/amd/lib/TritonAMDGPUToLLVM/AtomicRMWOpsEmitter.cpp.
 */
import { CondBrOp } from "../../../dialects/llvm/ops/control-flow.js";
import * as ll from "../../../dialects/llvm/ops/index.js";
import { BallotOp, MbcntHiOp, MbcntLoOp } from "../../../dialects/rocdl/ops/lanes.js";
import type { Type } from "../../../ir/attribute.js";
import type { Block } from "../../../ir/block.js";
import { bitWidth, i32, i64 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { vecType } from "../../ttg-to-llvm/ll-builder.js";
import { threadId } from "../../ttg-to-llvm/thread-indices.js";
import type { Lowering } from "./amd-lowering.js";
import { type Dpp, ROW_SHR, updateDpp } from "./lanes.js";

/** An operation of `llvm.atomicrmw`. */
export interface Atomic {
  readonly kind: string;
  readonly ordering: string;
  readonly syncscope: string | undefined;
}
export function atomicRmw(lo: Lowering, { kind, ordering, syncscope }: Atomic, ptr: Value, val: Value): Value {
  return lo.b.value(ll.AtomicRMWOp, { bin_op: kind, ptr, val, ordering, syncscope }, val.type);
}

const WAVE_SHL = 0x130;
const ROW_BCAST_15 = 0x142;
const ROW_BCAST_31 = 0x143;
const ROW_SHL_1 = 0x101;

/** The word of another lane, or 0. */
function moveWord(lo: Lowering, word: Value, dppCtrl: number, options: Partial<Dpp> = {}): Value {
  return updateDpp(lo, lo.b.i32(0), word, { dppCtrl, boundCtrl: false, ...options });
}
/** Moves a value of one or more words by what moves a word. */
function inWords({ b, ctx }: Lowering, value: Value, move: (word: Value) => Value): Value {
  const count = bitWidth(value.type)! / 32;
  const type = vecType(i32(ctx), count);
  const words = b.bitcast(value, type);
  let moved = b.undef(type);
  for (let i = 0; i < count; i++) moved = b.insertElement(moved, move(b.extractElement(words, b.i32(i))), b.i32(i));
  return b.bitcast(moved, value.type);
}
const permute = (lo: Lowering, value: Value, how: "permute" | "bpermute", index: Value): Value =>
  inWords(lo, value, (word) => lo.b.intrinsic(`llvm.amdgcn.ds.${how}`, i32(lo.ctx), [index, word])!);

/** The lanes where a predicate holds, as 64 bits, however many lanes a wave has. */
const ballot = ({ b, ctx }: Lowering, pred: Value): Value => b.value(BallotOp, { pred }, i64(ctx));
/** The number of bits that are set. */
function popcount({ b }: Lowering, mask: Value): Value {
  const fives = b.i64(0x5555555555555555n);
  const threes = b.i64(0x3333333333333333n);
  const nibbles = b.i64(0x0f0f0f0f0f0f0f0fn);
  const ones = b.i64(0x0101010101010101n);
  const twos = b.sub(mask, b.and(fives, b.lshr(mask, b.i64(1))));
  const fours = b.add(b.and(twos, threes), b.and(b.lshr(twos, b.i64(2)), threes));
  const bytes = b.and(b.add(fours, b.lshr(fours, b.i64(4))), nibbles);
  return b.lshr(b.mul(bytes, ones), b.i64(56));
}
/** The sum of a word over this lane and those before it. */
function prefixSum(lo: Lowering, word: Value): Value {
  const { b } = lo;
  let sum = word;
  for (const distance of [1, 2, 3]) sum = b.add(sum, moveWord(lo, word, ROW_SHR + distance));
  for (const [dppCtrl, rowMask, bankMask] of [
    [ROW_SHR + 4, 0xf, 0xe],
    [ROW_SHR + 8, 0xf, 0xc],
    [ROW_BCAST_15, 0xa, 0xf],
    [ROW_BCAST_31, 0xc, 0xf],
  ] as const)
    sum = b.add(sum, moveWord(lo, sum, dppCtrl, { rowMask, bankMask, boundCtrl: true }));
  return sum;
}

function condBranch(
  { b }: Lowering,
  condition: Value,
  trueDest: Block,
  trueDestOperands: readonly Value[],
  falseDest: Block,
  falseDestOperands: readonly Value[],
): void {
  b.create(CondBrOp, { condition, trueDest, trueDestOperands, falseDest, falseDestOperands });
}

/** The active lanes come first in the wave: their addresses and values are moved there. */
export interface Gathered {
  readonly pointer: Value;
  readonly value: Value;
  readonly isActive: Value;
}
export function gatherActive(lo: Lowering, pointer: Value, value: Value, mask: Value): Gathered {
  const { b, ctx, target } = lo;
  const active = b.zext(mask, i32(ctx));
  const place = b.mul(prefixSum(lo, active), active);
  const size = b.i32(target.threadsPerWarp);
  const last = b.select(b.icmp("eq", place, b.i32(0)), size, place);
  const index = b.mul(b.sub(last, b.i32(1)), b.i32(4));
  const moved = permute(lo, value, "permute", index);
  const address = permute(lo, b.ptrtoint(pointer, i64(ctx)), "permute", index);
  const movedPointer = b.inttoptr(address, pointer.type);
  const count = b.trunc(popcount(lo, ballot(lo, mask)), i32(ctx));
  const lane = b.urem(threadId(lo), size);
  return { pointer: movedPointer, value: moved, isActive: b.icmp("ult", lane, count) };
}

/** Upstream compares signed numbers as unsigned ones here too. */
function combine({ b }: Lowering, kind: string, x: Value, y: Value): Value {
  switch (kind) {
    case "_and":
      return b.and(x, y);
    case "_or":
      return b.or(x, y);
    case "_xor":
      return b.xor(x, y);
    case "add":
      return b.add(x, y);
    case "fadd":
      return b.fadd(x, y);
    case "max":
    case "umax":
      return b.op(ll.UMaxOp, [y, x], x.type);
    case "min":
    case "umin":
      return b.op(ll.UMinOp, [y, x], x.type);
    default:
      return y;
  }
}

/**
 * Groups the lanes by their addresses, one address a turn, brings each group together, reduces it into its first lane, and only that
 * lane accesses memory. Where most addresses are neighbours, all lanes access it at once.
 */
export function reduceInWave(lo: Lowering, atomic: Atomic, pointer: Value, operand: Value): Value {
  const { b, ctx } = lo;
  const { type } = operand;
  const address = b.ptrtoint(pointer, i64(ctx));
  const start = b.block;
  const access = lo.addBlockAfter(start, [i64(ctx), type]);
  const first = lo.addBlockAfter(start);
  const right = inWords(lo, address, (word) => moveWord(lo, word, WAVE_SHL));
  const isNeighbour = b.icmp("eq", right, b.add(address, b.i64(bitWidth(type)! / 8)));
  const neighbours = b.trunc(popcount(lo, ballot(lo, isNeighbour)), i32(ctx));
  condBranch(lo, b.icmp("ult", neighbours, b.i32(32)), first, [], access, [address, operand]);

  const grouped = lo.addBlockAfter(first, [i32(ctx), i32(ctx), b.int1()]);
  const turn = lo.addBlockAfter(first, [i32(ctx)]);
  b.setEnd(first);
  lo.branch(turn, [b.i32(0)]);

  b.setEnd(turn);
  const chosen = inWords(lo, address, (word) => b.intrinsic("llvm.amdgcn.readfirstlane", i32(ctx), [word])!);
  const isChosen = b.icmp("eq", chosen, address);
  const mask = ballot(lo, isChosen);
  const before = turn.args[0]!;
  const members = b.trunc(popcount(lo, mask), i32(ctx));
  const low = b.value(MbcntLoOp, { in0: b.trunc(mask, i32(ctx)), in1: b.i32(0) });
  const index = b.value(MbcntHiOp, { in0: b.trunc(b.lshr(mask, b.i64(32)), i32(ctx)), in1: low });
  const next = b.add(before, members);
  const isFirst = b.icmp("eq", index, b.i32(0));
  const left = b.sub(members, index);
  condBranch(lo, isChosen, grouped, [b.add(index, before), left, isFirst], turn, [next]);

  b.setEnd(grouped);
  const [place, remaining, leads] = grouped.args as unknown as readonly [Value, Value, Value];
  const at = b.mul(place, b.i32(4));
  const groupAddress = permute(lo, address, "permute", at);
  const groupOperand = permute(lo, operand, "permute", at);
  const flag = b.zext(leads, i32(ctx));
  const role = permute(lo, b.or(flag, b.or(at, b.shl(remaining, b.i32(8)))), "permute", at);
  const inGroup = b.and(b.lshr(role, b.i32(8)), b.i32(0xff));
  const isLeader = b.icmp("ne", b.and(role, b.i32(1)), b.i32(0));
  const reduced = lo.addBlockAfter(grouped, [type]);
  const reduction = lo.addBlockAfter(grouped);
  const several = b.icmp("ne", ballot(lo, b.icmp("ne", inGroup, b.i32(1))), b.i64(0));
  condBranch(lo, several, reduction, [], reduced, [groupOperand]);

  b.setEnd(reduction);
  let sum = groupOperand;
  for (let distance = 32; distance >= 1; distance /= 2) {
    const other = permute(lo, sum, "bpermute", b.add(role, b.i32(4 * distance)));
    const hasOther = b.icmp("ult", b.i32(distance), inGroup);
    sum = b.select(hasOther, combine(lo, atomic.kind, sum, other), sum);
  }
  lo.branch(reduced, [sum]);

  b.setEnd(reduced);
  const after = lo.addBlockAfter(reduced, [type]);
  condBranch(lo, isLeader, access, [groupAddress, reduced.args[0]!], after, [b.undef(type)]);
  b.setEnd(access);
  const accessed = b.inttoptr(access.args[0]!, pointer.type);
  lo.branch(after, [atomicRmw(lo, atomic, accessed, access.args[1]!)]);
  b.setEnd(after);
  return after.args[0]!;
}

/**
 * Adds 16-bit floats by pairs of lanes: where both of a pair are active at neighbouring addresses the even lane adds the two at once,
 * else one after the other.
 */
export function addByPairs(lo: Lowering, atomic: Atomic, pointer: Value, value: Value, mask: Value): Value {
  const { b, ctx } = lo;
  const none = b.i64(-1);
  const isOdd = b.urem(threadId(lo), b.i32(2));
  const address = b.select(mask, b.ptrtoint(pointer, i64(ctx)), none);
  const pair: Type = vecType(value.type, 2);
  const placed = b.bitcast(b.insertElement(b.zero(pair), value, isOdd), i32(ctx));
  const own = b.select(mask, placed, b.i32(0));
  const operand = b.bitcast(b.or(own, moveWord(lo, own, ROW_SHL_1)), pair);
  const right = inWords(lo, address, (word) => moveWord(lo, word, ROW_SHL_1));

  const isAligned = b.icmp("eq", b.urem(address, b.i64(4)), b.i64(0));
  const isAdjacent = b.icmp("eq", right, b.add(address, b.i64(bitWidth(value.type)! / 8)));
  const rightActive = b.icmp("ne", none, right);
  const together = b.and(b.and(isAligned, b.and(rightActive, mask)), isAdjacent);
  const anyActive = b.or(rightActive, mask);
  const rightAddress = b.select(rightActive, right, address);
  const leftAddress = b.select(mask, address, rightAddress);
  const accesses = b.and(anyActive, b.icmp("eq", isOdd, b.i32(0)));
  const rightPointer = b.inttoptr(rightAddress, pointer.type);
  const leftPointer = b.inttoptr(leftAddress, pointer.type);

  const after = lo.addBlockAfter(b.block, [pair]);
  const choice = lo.addBlockAfter(b.block);
  condBranch(lo, accesses, choice, [], after, [b.undef(pair)]);
  const atOnce = lo.addBlockAfter(choice);
  const separately = lo.addBlockAfter(choice);
  b.setEnd(choice);
  condBranch(lo, together, atOnce, [], separately, []);
  b.setEnd(separately);
  const values = [b.extractElement(operand, b.i32(0)), b.extractElement(operand, b.i32(1))];
  const results = [leftPointer, rightPointer].map((at, i) => atomicRmw(lo, atomic, at, values[i]!));
  lo.branch(after, [b.packVector(results)]);
  b.setEnd(atOnce);
  lo.branch(after, [atomicRmw(lo, atomic, leftPointer, operand)]);

  b.setEnd(after);
  const both = after.args[0]!;
  const fromLeft = b.bitcast(moveWord(lo, b.bitcast(both, i32(ctx)), ROW_SHR + 1), pair);
  const result = b.insertElement(both, b.extractElement(fromLeft, b.i32(1)), b.i32(1));
  return b.extractElement(result, b.urem(threadId(lo), b.i32(2)));
}
