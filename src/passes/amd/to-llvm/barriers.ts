/**
 * mbarriers of gfx1250: a word of 64 bits in LDS with a pending count, a phase (3 bits from bit 29) and the count that a phase begins with.
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/BarrierOpToLLVM.cpp.
 */
import * as amdg from "../../../dialects/amdg/ops/barrier.js";
import { BrOp, CondBrOp } from "../../../dialects/llvm/ops/control-flow.js";
import { LLVMVoidType } from "../../../dialects/llvm/types/types.js";
import { SSleepOp } from "../../../dialects/rocdl/ops/synchronization.js";
import { i32, i64 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { sharedMemoryObject } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { threadId } from "../../ttg-to-llvm/thread-indices.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";
import { inBranch } from "./masked-memory.js";

const COUNT_BITS = 29;
const PHASE_MASK = 7;
const INITIAL_COUNT = 32;

const phaseOf = ({ b, ctx }: Lowering, state: Value): Value => {
  const mask = b.i32(PHASE_MASK);
  return b.and(mask, b.trunc(b.lshr(state, b.i64(COUNT_BITS)), i32(ctx)));
};

export const BARRIERS: readonly LoweringRule[] = [
  rule(amdg.InitBarrierOp, ({ alloc, count }, lo: Lowering) => {
    const { b } = lo;
    const { base } = sharedMemoryObject(lo, alloc);
    const first = b.icmp("eq", threadId(lo), b.i32(0));
    inBranch(lo, first, () => {
      // A phase ends when the count falls below zero.
      const pending = b.i64(count - 1);
      b.store(b.or(b.shl(pending, b.i64(INITIAL_COUNT)), pending), base);
    });
    lo.code.barrier(lo);
  }),
  rule(amdg.ArriveBarrierOp, ({ alloc, count, result }, lo: Lowering) => {
    const { b, ctx } = lo;
    const { base } = sharedMemoryObject(lo, alloc);
    const before = b.intrinsic("llvm.amdgcn.ds.atomic.barrier.arrive.rtn.b64", i64(ctx), [base, b.i64(count)])!;
    lo.setValue(result, phaseOf(lo, before));
  }),
  rule(amdg.WaitBarrierOp, ({ alloc, phase }, lo: Lowering) => {
    const { b, ctx } = lo;
    const { base } = sharedMemoryObject(lo, alloc);
    const waited = lo.value(phase);
    const after = lo.addBlockAfter(b.block);
    const wait = lo.addBlockAfter(b.block);
    b.create(BrOp, { dest: wait, destOperands: [] });
    b.setEnd(wait);
    b.create(SSleepOp, { count: 1 });
    const changed = b.icmp("ne", phaseOf(lo, b.load(i64(ctx), base)), waited);
    const operands = { trueDestOperands: [], falseDestOperands: [] };
    b.create(CondBrOp, { condition: changed, trueDest: after, falseDest: wait, ...operands });
    b.setEnd(after);
  }),
  rule(amdg.AsyncCopyMbarrierArriveOp, ({ barrier }, lo: Lowering) => {
    // Upstream's call has a result of type void.
    const type = LLVMVoidType.get(lo.ctx, {});
    lo.b.intrinsic("llvm.amdgcn.ds.atomic.async.barrier.arrive.b64", type, [sharedMemoryObject(lo, barrier).base]);
  }),
];
