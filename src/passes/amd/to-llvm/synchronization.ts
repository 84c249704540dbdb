/** Barriers, waits and hints to the order of instructions. Source: third_party/amd/lib/TritonAMDGPUToLLVM/MemoryOpToLLVM.cpp, SPMDOpToLLVM.cpp, LoadStoreOpToLLVM.cpp. */
import * as amdg from "../../../dialects/amdg/ops/index.js";
import * as rocdl from "../../../dialects/rocdl/ops/synchronization.js";
import { AsyncCommitGroupOp } from "../../../dialects/ttg/ops/async-copy.js";
import { LocalBarrierOp } from "../../../dialects/ttg/ops/misc.js";
import { isCdna } from "../../../gpu/amd.js";
import { COPY_UNCONVERTED, rule } from "../../ttg-to-llvm/lowering.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";
import { inBranch } from "./masked-memory.js";

/** The counters of memory operations, of vector memory and of LDS, that a wave waits for, as one word; undefined from gfx12 on. */
function waitcnt(arch: string, vector: number, shared: number): number | undefined {
  const generation = Number(arch.slice("gfx".length, -2));
  const vm = Math.min(63, vector);
  if (generation === 11) return (vm << 10) | 7 | (Math.min(63, shared) << 4);
  if (generation !== 9 && generation !== 10) return undefined;
  return (vm & 15) | ((vm >> 4) << 14) | (7 << 4) | (Math.min(generation === 9 ? 15 : 63, shared) << 8);
}
/** More than any counter has. */
const ANY = 1024;

export const SYNCHRONIZATION: readonly LoweringRule[] = [
  // On CDNA only for accesses of shared memory, not for others, which a barrier of LLVM's waits for too.
  rule(LocalBarrierOp, (_op, lo: Lowering) => {
    if (!isCdna(lo.target.family)) return lo.code.barrier(lo);
    lo.b.create(rocdl.SWaitcntOp, { bitfield: waitcnt(lo.target.arch, ANY, 0) });
    lo.b.create(rocdl.SBarrierOp, {});
  }),
  rule(amdg.MemoryCounterWaitOp, ({ op, load, store, ds }, lo: Lowering) => {
    const vector = load === undefined && store === undefined ? ANY : (load ?? 0) + (store ?? 0);
    const bitfield = waitcnt(lo.target.arch, vector, ds ?? ANY);
    if (bitfield === undefined) return lo.fail(op, `the waits of ${lo.target.arch} cannot be lowered`);
    return void lo.b.create(rocdl.SWaitcntOp, { bitfield });
  }),
  rule(amdg.CondBarrierOp, ({ pred }, lo) => {
    const predicate = lo.value(pred);
    inBranch(lo, predicate, () => lo.b.create(rocdl.SBarrierOp, {}));
  }),
  rule(amdg.AsyncWaitOp, ({ op, num_inst, retToken }, lo: Lowering) => {
    const { b, target } = lo;
    const count = Math.min(63, num_inst);
    if (isCdna(target.family)) b.create(rocdl.SWaitcntOp, { bitfield: (count & 15) | ((count >> 4) << 14) | ~0xc00f });
    else if (target.family === "GFX1250") b.intrinsic("llvm.amdgcn.s.wait.asynccnt", undefined, [b.i16(count)]);
    else return lo.fail(op, `${target.arch} has no asynchronous copies`);
    return lo.setValue(retToken, b.i32(0));
  }),
  rule(AsyncCommitGroupOp, ({ op }, lo) => lo.setValue(op.result(0), lo.b.i32(0))),
  // A later pass lowers it.
  { def: amdg.InstructionSchedHintOp, lower: COPY_UNCONVERTED },
];
