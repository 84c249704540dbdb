/**
 * Barriers in shared memory (mbarriers), on which threads wait for others and for copies, and the fence before copies that read
 * what threads wrote. One thread acts for all:
 *
 *     @$0 mbarrier.arrive.expect_tx.shared.b64 _, [$1], 16384;
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/BarrierOpToLLVM.cpp; LoadStoreOpToLLVM.cpp, AsyncCopyMbarrierArriveOpConversion.
 */

import { voidType } from "../../../dialects/llvm/types/types.js";
import { CpAsyncMBarrierArriveOp, CpAsyncMBarrierArriveSharedOp } from "../../../dialects/nvvm/ops/copies.js";
import { FenceProxyOp } from "../../../dialects/nvvm/ops/synchronization.js";
import {
  ArriveBarrierOp,
  AsyncCopyMbarrierArriveOp,
  BarrierExpectOp,
  FenceAsyncSharedOp,
  FenceMBarrierInitReleaseClusterOp,
  InitBarrierOp,
  InvalBarrierOp,
  WaitBarrierOp,
} from "../../../dialects/ttng/ops/barrier.js";
import { isNonZeroInt } from "../../../ir/match.js";
import type { Value } from "../../../ir/value.js";
import type { LLBuilder } from "../../ttg-to-llvm/ll-builder.js";
import { memDescOf, sharedMemoryObject } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { threadId } from "../../ttg-to-llvm/thread-indices.js";
import { inLeader, leaderAddress, sharingBitsOf } from "./cta-groups.js";
import { electPredicateWarp0 } from "./elect.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";
import { PtxBuilder } from "./ptx-builder.js";

/** True in the first thread of those that run the code. */
export function isFirstThread(lo: Lowering): Value {
  return lo.b.icmp("eq", threadId(lo), lo.b.i32(0));
}
/** One thread is about to signal for all: since 3.8 all wait for each other first. */
export function beforeSignal(lo: Lowering): void {
  if (lo.ctx.triton.signalsAfterBarriers) lo.code.barrier(lo);
}
/** True in the thread that starts or ends an mbarrier. */
function initPredicate(lo: Lowering): Value {
  return lo.forms.electedInit && lo.target.gpu.tma ? electPredicateWarp0(lo) : isFirstThread(lo);
}
/** The bits of the CTA's number that say whose mbarrier it is that all of a group arrive at. */
export const remoteBits = (lo: Lowering, barrier: Value): number => (lo.forms.sharedBarriers === "remote" ? sharingBitsOf(barrier) : 0);

/** The other CTAs of the cluster see the mbarriers that one thread has initialized. */
export function fenceInitializations(b: LLBuilder, predicate: Value): void {
  const ptx = new PtxBuilder();
  ptx.instruction(["fence.mbarrier_init.release.cluster"], [], ptx.input(predicate, "b"));
  ptx.launch(b, voidType(b.ctx));
}

/** PTX without results, unchanged. */
export function plainAsm(lo: Lowering, asm: string, operands: readonly (readonly [constraint: string, value: Value])[]): void {
  const constraints = operands.map(([constraint]) => constraint).join();
  const values = operands.map(([, value]) => value);
  lo.b.inlineAsm(asm, constraints, values, voidType(lo.ctx));
}

/** Polls until the phase is over. sm_80 has no wait of limited time, so there it sleeps in between. */
function waitText({ target: { gpu }, forms }: Lowering, predicated: boolean): string {
  const body = [
    ...(predicated ? ["@!$2 bra.uni skipWait;"] : []),
    ".reg .pred complete;",
    "waitLoop:",
    `mbarrier.${gpu.tma ? "try" : "test"}_wait.parity.${forms.mbarrierSpace}.b64 complete, [$0], $1;`,
    ...(gpu.tma ? [] : ["@!complete nanosleep.u32 20;"]),
    "@!complete bra.uni waitLoop;",
    ...(predicated ? ["skipWait:"] : []),
  ];
  return `\n{\n${body.map((line) => `\t${line}\n`).join("")}}\n`;
}

export const MBARRIERS: readonly LoweringRule[] = [
  rule(FenceAsyncSharedOp, ({ bCluster }, lo) => {
    lo.b.create(FenceProxyOp, { kind: "async.shared", space: bCluster ? "cluster" : "cta" });
  }),
  rule(FenceMBarrierInitReleaseClusterOp, (_op, lo) => fenceInitializations(lo.b, isFirstThread(lo))),
  rule(InitBarrierOp, ({ alloc, count }, lo) => {
    const { base } = sharedMemoryObject(lo, alloc);
    const remote = remoteBits(lo, alloc);
    // The leading CTA's counts for all that share it.
    const arrivals = remote === 0 ? count : (count * lo.target.numCTAs) / memDescOf(alloc).shape[0]!;
    plainAsm(lo, `@$0 mbarrier.init.shared::cta.b64 [$1], ${arrivals};`, [
      ["b", inLeader(lo, initPredicate(lo), remote)!],
      ["r", base],
    ]);
  }),
  rule(InvalBarrierOp, ({ alloc }, lo) => {
    const { base } = sharedMemoryObject(lo, alloc);
    const remote = remoteBits(lo, alloc);
    plainAsm(lo, "@$0 mbarrier.inval.shared::cta.b64 [$1];", [
      ["b", inLeader(lo, initPredicate(lo), remote)!],
      ["r", leaderAddress(lo, base, remote)],
    ]);
  }),
  rule(BarrierExpectOp, ({ alloc, size, pred }, lo) => {
    const { base } = sharedMemoryObject(lo, alloc);
    beforeSignal(lo);
    const remote = remoteBits(lo, alloc);
    const first = lo.b.and(isFirstThread(lo), lo.value(pred));
    const space = remote === 0 ? lo.forms.mbarrierSpace : "shared::cluster";
    // Where one CTA expects the bytes of all of its group.
    const bytes = lo.forms.sharedBarriers === "leader" ? (size * lo.target.numCTAs) / memDescOf(alloc).shape[0]! : size;
    plainAsm(lo, `@$0 mbarrier.arrive.expect_tx.${space}.b64 _, [$1], ${bytes};`, [
      ["b", lo.forms.sharedBarriers === "leader" ? inLeader(lo, first, sharingBitsOf(alloc))! : first],
      ["r", leaderAddress(lo, base, remote)],
    ]);
  }),
  rule(WaitBarrierOp, ({ alloc, phase, pred }, lo) => {
    const { base } = sharedMemoryObject(lo, alloc);
    const sharing = lo.forms.sharedBarriers === "none" ? 0 : sharingBitsOf(alloc);
    const given = pred && (sharing !== 0 || !isNonZeroInt(pred)) ? lo.value(pred) : undefined;
    const predicate = inLeader(lo, given, sharing);
    plainAsm(lo, waitText(lo, predicate !== undefined), [
      ["r", base],
      ["r", lo.value(phase)],
      ...(predicate ? [["b", predicate] as const] : []),
    ]);
  }),
  rule(ArriveBarrierOp, ({ alloc, count, pred }, lo) => {
    // The whole struct: LLVM takes the address out of it.
    const address = lo.forms.arrivesAtAddress ? sharedMemoryObject(lo, alloc).base : lo.value(alloc);
    beforeSignal(lo);
    const first = isFirstThread(lo);
    const remote = remoteBits(lo, alloc);
    const elected = pred ? lo.b.and(first, lo.value(pred)) : first;
    const space = remote === 0 ? "shared::cta" : "shared::cluster";
    plainAsm(lo, `@$0 mbarrier.arrive.${space}.b64 _, [$1]${count > 1 ? `, ${count}` : ""};`, [
      ["b", elected],
      ["r", leaderAddress(lo, address, remote)],
    ]);
  }),
  rule(AsyncCopyMbarrierArriveOp, ({ barrier, noIncrement }, lo) => {
    const { base } = sharedMemoryObject(lo, barrier);
    lo.b.create(lo.forms.copiesArriveAnywhere ? CpAsyncMBarrierArriveOp : CpAsyncMBarrierArriveSharedOp, {
      addr: base,
      noinc: noIncrement,
    });
  }),
];
