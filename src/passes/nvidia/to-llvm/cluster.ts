/**
 * The barrier of all CTAs of a cluster. The hardware's takes all warps of each CTA, those that wait for work too:
 *
 *     ttg.warp_specialize()
 *     default { nvvm.cluster.arrive; nvvm.cluster.wait; ttg.warp_yield }
 *     partition0() num_warps(4) { nvvm.cluster.arrive; nvvm.cluster.wait; ttg.warp_return }
 *
 * A group of warps has two mbarriers for its own barrier, used in turn, with a count of rounds between them: bit 0 says which is next, bit 1 its
 * phase. Thread i arrives at that of CTA (own ^ (i + 1)).
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ClusterOpsToLLVM.cpp (3.8).
 */
import { MBAR_OFFSET } from "../../../analysis/cluster-barrier-slots.js";
import { LLVMArrayType, ptrType, voidType } from "../../../dialects/llvm/types/types.js";
import * as nvvm from "../../../dialects/nvvm/ops/synchronization.js";
import { maybeLookupNumWarps } from "../../../dialects/ttg/num-warps.js";
import { WarpReturnOp, WarpSpecializeOp, WarpSpecializePartitionsOp, WarpYieldOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import { ClusterArriveOp, ClusterBarrierOp, ClusterWaitOp } from "../../../dialects/ttng/ops/barrier.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import { i8, i32 } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import { Operation } from "../../../ir/operation.js";
import { Region } from "../../../ir/region.js";
import type { Value } from "../../../ir/value.js";
import { sharedBytes } from "../../ttg-to-llvm/control-flow.js";
import type { LLBuilder } from "../../ttg-to-llvm/ll-builder.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { threadId } from "../../ttg-to-llvm/thread-indices.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";

const arrive = (b: LLBuilder, relaxed: boolean): void =>
  void b.create(relaxed ? nvvm.ClusterArriveRelaxedOp : nvvm.ClusterArriveOp, { aligned: true });
const wait = (b: LLBuilder): void => void b.create(nvvm.ClusterWaitOp, { aligned: true });
export const arriveAndWait = (relaxed: boolean) => (b: LLBuilder) => {
  arrive(b, relaxed);
  wait(b);
};

/** Makes code that all warps of the CTA run, where only the default ones run the code around it. */
export function inAllWarps(b: LLBuilder, module: Operation, defaultWarps: number, make: (b: LLBuilder) => void): void {
  const workers = (intOf(module.attr("ttg.total-num-warps")) ?? defaultWarps) - defaultWarps;
  if (workers === 0) return make(b);
  const { ctx, loc } = b;
  const [counts, starts]: [number[], number[]] = [[], []];
  for (let rest = workers; rest > 0; rest -= counts.at(-1)!) {
    starts.push(defaultWarps + workers - rest);
    counts.push(2 ** Math.floor(Math.log2(rest)));
  }
  const groups = { explicitCaptures: [], partitionNumWarps: counts, warpGroupStartIds: starts };
  const [defaultRegion, holder] = b.create(WarpSpecializeOp, groups, []).regions as [Region, Region];
  const partitions = counts.map((_, i) => new Region(ctx, null, i));
  holder.addBlock().append(new Operation(ctx, WarpSpecializePartitionsOp, { loc, regions: partitions }));
  const { block, before } = b;
  const fill = (region: Region, end: OpDef): void => {
    b.setEnd(region.addBlock());
    make(b);
    b.insert(new Operation(ctx, end, { loc }));
  };
  fill(defaultRegion, WarpYieldOp);
  for (const region of partitions) fill(region, WarpReturnOp);
  b.block = block;
  b.before = before;
}

function syncAllWarps(lo: Lowering, make: (b: LLBuilder) => void): void {
  if (lo.forms.clusterOfAllWarps) inAllWarps(lo.b, lo.module, maybeLookupNumWarps(lo.op)!, make);
  else make(lo.b);
}

/** All threads of the cluster wait for each other, or those of the same group of warps; a relaxed barrier orders no memory. */
export function clusterBarrier(lo: Lowering, relaxed: boolean): void {
  const offset = intOf(lo.op.attr(MBAR_OFFSET));
  if (offset === undefined) syncAllWarps(lo, arriveAndWait(relaxed));
  else barrierOfGroup(lo, sharedBytes(lo, offset), relaxed);
}

function barrierOfGroup(lo: Lowering, first: Value, relaxed: boolean): void {
  const { b, ctx, target } = lo;
  const pointer = ptrType(ctx, 3);
  const count = b.gep(pointer, i8(ctx), first, [8]);
  lo.code.barrier(lo);
  const rounds = b.load(i32(ctx), count);
  const index = b.and(rounds, b.i32(1));
  const parity = b.lshr(rounds, b.i32(1));
  const slot = LLVMArrayType.get(ctx, { elementType: i8(ctx), numElements: 16 });
  const own = b.gep(pointer, slot, first, [index]);
  const thread = threadId(lo);
  const isFirst = b.icmp("eq", thread, b.i32(0));
  const peer = b.inttoptr(b.xor(b.ptrtoint(own, i32(ctx)), b.shl(b.add(thread, b.i32(1)), b.i32(24))), pointer);
  const predicate = b.icmp("ult", thread, b.i32(target.numCTAs - 1));
  const order = relaxed && target.ptxVersion >= 86 ? "relaxed" : "release";
  const asm = (text: string, constraints: string, operands: readonly Value[]): void =>
    void b.inlineAsm(text, constraints, operands, voidType(ctx));
  asm(`@$0 mbarrier.arrive.${order}.cluster.shared::cluster.b64 _, [$1];`, "b,r", [predicate, peer]);
  asm(WAIT, "r,r", [own, parity]);
  lo.code.storeShared(lo, count, b.and(b.add(rounds, b.i32(1)), b.i32(3)), { predicate: isFirst });
  lo.code.barrier(lo);
}
const WAIT = `{
\t.reg .pred complete;
waitLoop:
\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [$0], $1;
\t@!complete bra.uni waitLoop;
}
`;

export const CLUSTERS: readonly LoweringRule[] = [
  rule(ClusterArriveOp, ({ relaxed }, lo) => syncAllWarps(lo, (b) => arrive(b, relaxed))),
  rule(ClusterWaitOp, (_op, lo) => syncAllWarps(lo, wait)),
  rule(ClusterBarrierOp, ({ relaxed }, lo) => clusterBarrier(lo, relaxed)),
];
