/**
 * From tensors in the registers of a CTA's threads to the code that one thread runs. Each function is built anew beside the old
 * one, op by op (see lowering.ts); the rules stand in one file an op family.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/TritonGPUToLLVM.cpp.
 */

import { ALLOCATION_OFFSET, allocateSharedMemory, type ModuleAllocation } from "../../analysis/allocation.js";
import { callGraphOf } from "../../analysis/call-graph.js";
import { insertBarriers } from "../../analysis/membar.js";
import { moduleAxisInfo } from "../../analysis/module-axis-info.js";
import { nvidiaScratchSize } from "../../analysis/scratch-size.js";
import { GlobalOp } from "../../dialects/llvm/ops/globals.js";
import { LLVMArrayType } from "../../dialects/llvm/types/types.js";
import { ClusterCTAIdOp } from "../../dialects/nvgpu/ops/index.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { getNumCTAs, getThreadsPerWarp } from "../../dialects/ttg/num-warps.js";
import { WarpSpecializeOp } from "../../dialects/ttg/ops/warp-specialize.js";
import { gpuOf } from "../../gpu/nvidia.js";
import { buildOperation } from "../../ir/builder.js";
import { i8, RankedTensorType } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import { lookupSymbol } from "../../ir/symbol-table.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { isolateWarpGroups } from "../llvm/isolate-warp-groups.js";
import { ASYNC_COPIES } from "./async-copy.js";
import { ATOMICS } from "./atomics.js";
import { BARRIERS } from "./barrier.js";
import { CLUSTERS } from "./cluster.js";
import { CODE_FORMS, CODE_FORMS_NAMES, type CodeForms } from "./code-forms.js";
import { CONTROL_FLOW, makeLLVMFunc } from "./control-flow.js";
import { CONVERT_LAYOUT } from "./convert-layout.js";
import { DEBUG } from "./debug.js";
import { DOTS } from "./dot.js";
import { ELEMENTWISE } from "./elementwise.js";
import { FP_CONVERSIONS } from "./fp-conversions.js";
import { GATHERS } from "./gather.js";
import { HISTOGRAMS } from "./histogram.js";
import { LLBuilder } from "./ll-builder.js";
import { LOAD_STORE } from "./load-store.js";
import { LOCAL_MEMORY } from "./local-memory.js";
import { Lowering, type LoweringRule } from "./lowering.js";
import { MATH } from "./math.js";
import { MBARRIERS } from "./mbarrier.js";
import { PROGRAM_IDS } from "./program-ids.js";
import { REDUCTIONS } from "./reduce.js";
import { SCANS } from "./scan.js";
import { TC_GEN5_MMA } from "./tc-gen5-mma.js";
import { TENSOR_MEMORY } from "./tensor-memory.js";
import { TENSOR_MEMORY_VIEWS } from "./tensor-memory-views.js";
import { TENSORMAPS } from "./tensormap.js";
import { TMA_COPIES } from "./tma-copy.js";
import { TMA_GATHERS } from "./tma-gather.js";
import { VIEWS } from "./views.js";
import { WARP_SPECIALIZE } from "./warp-specialize.js";
import { WGMMA } from "./wgmma.js";

/** How every op kind is lowered. */
export const LOWERING_RULES: ReadonlyMap<OpDef, LoweringRule> = new Map(
  [
    ...ATOMICS,
    ...DEBUG,
    ...FP_CONVERSIONS,
    ...GATHERS,
    ...HISTOGRAMS,
    ...MATH,
    ...ASYNC_COPIES,
    ...BARRIERS,
    ...CLUSTERS,
    ...DOTS,
    ...CONTROL_FLOW,
    ...CONVERT_LAYOUT,
    ...ELEMENTWISE,
    ...LOAD_STORE,
    ...LOCAL_MEMORY,
    ...MBARRIERS,
    ...PROGRAM_IDS,
    ...REDUCTIONS,
    ...SCANS,
    ...TENSORMAPS,
    ...TMA_COPIES,
    ...TMA_GATHERS,
    ...TC_GEN5_MMA,
    ...TENSOR_MEMORY,
    ...TENSOR_MEMORY_VIEWS,
    ...VIEWS,
    ...WARP_SPECIALIZE,
    ...WGMMA,
  ].map((rule) => [rule.def, rule]),
);

export const convertTritonGPUToLLVM = definePass("convert-triton-gpu-to-llvm", {
  name: "ConvertTritonGPUToLLVM",
  summary: "Convert TritonGPU to LLVM",
  source: "third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/TritonGPUToLLVM.cpp",
  options: {
    computeCapability: option.int({ default: 80, summary: "device compute capability" }),
    ptxVersion: option.int({ default: 80, summary: "PTX version" }),
    fold: option.bool({
      default: false,
      ours: true,
      summary: "make no struct of a tensor that nothing wants whole, and each constant once",
    }),
    codeForms: option.enum(CODE_FORMS_NAMES, { default: "3.6", ours: true, summary: "the version of Triton whose code is made" }),
  },
  run(module, pass) {
    const { computeCapability, ptxVersion, fold } = pass.options;
    const forms: CodeForms = CODE_FORMS[pass.options.codeForms];
    const gpu = gpuOf(computeCapability);
    const target = { gpu, ptxVersion, numCTAs: getNumCTAs(module), threadsPerWarp: getThreadsPerWarp(module) };
    const funcs: Operation[] = [];
    let withoutLayout: Operation | undefined;
    module.walk((op) => {
      if (FuncOp.is(op)) funcs.push(op);
      if (op.results.some(({ type }) => RankedTensorType.is(type) && !type.params.encoding)) withoutLayout ??= op;
    });
    if (withoutLayout) {
      pass.report.error(withoutLayout, "its result is a tensor without a layout: run convert-triton-to-tritongpu before", "pass.layout");
      return pass.fail();
    }
    const declared = funcs.find((func) => !func.regions[0]?.firstBlock);
    if (declared) {
      pass.report.error(declared, "a function without a body cannot be lowered", "lower.unsupported");
      return pass.fail();
    }
    const recursive = callGraphOf(module).recursiveCall();
    if (recursive) {
      pass.report.error(
        recursive,
        "recursion is not supported: the call leads back into the function that it is part of",
        "lower.unsupported",
      );
      return pass.fail();
    }
    const allocation = allocateSharedMemory(module, nvidiaScratchSize(gpu));
    const unplaced = withoutPlace(allocation);
    if (unplaced) {
      pass.report.error(unplaced, "no shared memory was allocated for it: run allocate-shared-memory-nv before", "lower.not-allocated");
      return pass.fail();
    }
    const taken = lookupSymbol(module, SHARED_MEMORY);
    if (taken) {
      pass.report.error(taken, `'${SHARED_MEMORY}' is the name of the shared memory that this pass adds`, "lower.unsupported");
      return pass.fail();
    }
    insertBarriers(allocation, new Rewriter(module.ctx, pass.listener), forms.skipBarrier);
    addSharedMemory(module);
    const lo = new Lowering(module, target, pass.analysis(moduleAxisInfo), LOWERING_RULES, forms, fold, pass.report.error);
    for (const func of funcs) {
      const { origin } = module.ctx;
      module.ctx.origin = func.id;
      const made = makeLLVMFunc(lo, func);
      module.ctx.origin = origin;
      if (!lo.lowerBody(func, made)) return pass.fail();
    }
    for (const func of funcs) func.erase();
    if (target.numCTAs === 1) noClusters(module);
    isolateWarpGroups(module);
  },
});

/** An op whose lowering needs the offset of its buffer, and which has none. (Those of warp groups are needed later.) */
function withoutPlace(allocation: ModuleAllocation): Operation | undefined {
  for (const func of allocation.functions)
    for (const { kind, owner } of allocation.of(func)!.buffers)
      if (kind !== "virtual" && !owner.hasAttr(ALLOCATION_OFFSET) && !FuncOp.is(owner) && !WarpSpecializeOp.is(owner)) return owner;
  return undefined;
}

const SHARED_MEMORY = "global_smem";
/** The shared memory of a kernel: as much as the launch asks for, and aligned for accesses of 16 bytes. */
function addSharedMemory(module: Operation): void {
  const { ctx } = module;
  const array = LLVMArrayType.get(ctx, { elementType: i8(ctx), numElements: 0 });
  const args = { global_type: array, sym_name: SHARED_MEMORY, linkage: "external", addr_space: 3, alignment: 16n };
  const block = module.regions[0]!.firstBlock!;
  block.insert(buildOperation(ctx, GlobalOp, args, module.locRef, []), block.firstOp);
}

/** With one CTA a cluster, its number is 0. */
function noClusters(module: Operation): void {
  const b = new LLBuilder(module.ctx, false);
  module.walk((op) => {
    if (!ClusterCTAIdOp.is(op)) return;
    b.block = op.block!;
    b.before = op;
    b.loc = op.locRef;
    op.result(0).replaceAllUsesWith(b.i32(0));
  });
}
