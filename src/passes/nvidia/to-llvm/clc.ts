/**
 * Cluster launch control: one thread asks for the work of a cluster that has not been launched, and an mbarrier says when the response is there.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/BarrierOpToLLVM.cpp, CLCTryCancelOpConversion and others.
 */
import { CLCGetProgramIdOp, CLCIsCanceledOp, CLCLoadResultOp, CLCTryCancelOp } from "../../../dialects/ttng/ops/clc.js";
import { i1, i32, intType } from "../../../ir/builtin-types.js";
import { sharedMemoryObject } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { electPredicateWarp0 } from "./elect.js";
import { plainAsm } from "./mbarrier.js";
import type { LoweringRule } from "./nvidia-lowering.js";

export const CLUSTER_LAUNCH_CONTROL: readonly LoweringRule[] = [
  rule(CLCTryCancelOp, ({ result, mbarrier }, lo) => {
    const { b, target } = lo;
    let predicate = electPredicateWarp0(lo);
    if (target.numCTAs > 1) predicate = b.and(predicate, b.icmp("eq", lo.code.clusterCTAId(lo), b.i32(0)));
    const all = target.numCTAs > 1 ? ".multicast::cluster::all" : "";
    const text = `@$2 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes${all}.b128 [$0], [$1];`;
    // The whole structs: LLVM takes the addresses out of them.
    plainAsm(lo, text, [
      ["r", lo.value(result)],
      ["r", lo.value(mbarrier)],
      ["b", predicate],
    ]);
  }),
  rule(CLCLoadResultOp, ({ src, clcResult }, lo) => {
    lo.setValue(clcResult, lo.b.load(intType(lo.ctx, 128), sharedMemoryObject(lo, src).base));
  }),
  rule(CLCIsCanceledOp, ({ clcResult, is_canceled }, lo) => {
    const text = "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 $0, $1;";
    lo.setValue(is_canceled, lo.b.inlineAsm(text, "=b,q", [lo.value(clcResult)], i1(lo.ctx), { sideEffects: false }));
  }),
  rule(CLCGetProgramIdOp, ({ clcResult, dim, result }, lo) => {
    const { b, target } = lo;
    const text = `clusterlaunchcontrol.query_cancel.get_first_ctaid::${dim}.b32.b128 $0, $1;`;
    const cta = b.inlineAsm(text, "=r,q", [lo.value(clcResult)], i32(lo.ctx), { sideEffects: false });
    // A program is a cluster, whose CTAs are side by side along x.
    lo.setValue(result, dim === "x" && target.numCTAs > 1 ? b.sdiv(cta, b.i32(target.numCTAs)) : cta);
  }),
];
