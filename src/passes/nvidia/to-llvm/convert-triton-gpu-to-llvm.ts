/** The lowering of TTGIR for NVIDIA's GPUs. Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/TritonGPUToLLVM.cpp. */
import { nvidiaScratchSize } from "../../../analysis/scratch-size.js";
import { ClusterCTAIdOp } from "../../../dialects/nvgpu/ops/index.js";
import { getNumCTAs, getThreadsPerWarp } from "../../../dialects/ttg/num-warps.js";
import { gpuOf } from "../../../gpu/nvidia.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { isolateWarpGroups } from "../../llvm/isolate-warp-groups.js";
import { allocateGlobalScratch } from "../../ttg/global-scratch-memory-allocation.js";
import { LLBuilder } from "../../ttg-to-llvm/ll-builder.js";
import { lowerModule } from "../../ttg-to-llvm/lower-module.js";
import { SHARED_RULES } from "../../ttg-to-llvm/rules.js";
import { ASYNC_COPIES } from "./async-copy.js";
import { ASYNC_SHARED_STORES } from "./async-shared-store.js";
import { ATOMICS } from "./atomics.js";
import { CLUSTER_LAUNCH_CONTROL } from "./clc.js";
import { CLUSTERS } from "./cluster.js";
import { codeFormsOf } from "./code-forms.js";
import { DOTS } from "./dot.js";
import { FP_CONVERSIONS } from "./fp-conversions.js";
import { INSTRUMENT } from "./instrument.js";
import { LOAD_STORE } from "./load-store.js";
import { NVIDIA_MATH } from "./math.js";
import { MBARRIERS } from "./mbarrier.js";
import { missingUnit } from "./missing-unit.js";
import type { LoweringRule } from "./nvidia-lowering.js";
import { PACKED_ARITH } from "./packed-arith.js";
import { SHARED_ATOMICS } from "./shared-atomics.js";
import { nvidiaCode } from "./target-code.js";
import { TC_GEN5_MMA } from "./tc-gen5-mma.js";
import { TENSOR_MEMORY } from "./tensor-memory.js";
import { TENSOR_MEMORY_VIEWS } from "./tensor-memory-views.js";
import { TENSORMAPS } from "./tensormap.js";
import { TMA_COPIES } from "./tma-copy.js";
import { TMA_GATHERS } from "./tma-gather.js";
import { WARP_SPECIALIZE } from "./warp-specialize.js";
import { WGMMA } from "./wgmma.js";

/** How every op kind is lowered. */
export const LOWERING_RULES: ReadonlyMap<OpDef, LoweringRule> = new Map(
  [
    ...SHARED_RULES,
    ...ATOMICS,
    ...ASYNC_COPIES,
    ...ASYNC_SHARED_STORES,
    ...CLUSTER_LAUNCH_CONTROL,
    ...CLUSTERS,
    ...DOTS,
    ...FP_CONVERSIONS,
    ...INSTRUMENT,
    ...LOAD_STORE,
    ...MBARRIERS,
    ...NVIDIA_MATH,
    ...PACKED_ARITH,
    ...SHARED_ATOMICS,
    ...TENSORMAPS,
    ...TMA_COPIES,
    ...TMA_GATHERS,
    ...TC_GEN5_MMA,
    ...TENSOR_MEMORY,
    ...TENSOR_MEMORY_VIEWS,
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
    allocateScratch: option.bool({ default: false, ours: true, summary: "give scratch memory its place first, as since 3.8" }),
  },
  run(module, pass) {
    const { computeCapability, ptxVersion, fold } = pass.options;
    const forms = codeFormsOf(module.ctx.triton);
    if (pass.options.allocateScratch) allocateGlobalScratch(module, pass.report);
    const gpu = gpuOf(computeCapability);
    const missing = module.ctx.language === "gluon" ? missingUnit(module, gpu) : undefined;
    if (missing) {
      pass.report.error(missing.op, missing.message, "gluon.target");
      return pass.fail();
    }
    const numCTAs = getNumCTAs(module);
    const target = { gpu, ptxVersion, forms, code: nvidiaCode(gpu, forms), numCTAs, threadsPerWarp: getThreadsPerWarp(module) };
    const scratchSize = nvidiaScratchSize(gpu);
    const lowering = { target, rules: LOWERING_RULES, scratchSize, allocatedBy: "allocate-shared-memory-nv", fold };
    if (!lowerModule(module, pass, lowering)) return pass.fail();
    if (numCTAs === 1) noClusters(module);
    isolateWarpGroups(module);
  },
});

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
