/** The lowering of TTGIR for AMD's GPUs. Source: third_party/amd/lib/TritonAMDGPUToLLVM/TritonGPUToLLVM.cpp. */
import { getNumCTAs, getThreadsPerWarp } from "../../../dialects/ttg/num-warps.js";
import { amdFamilyOf } from "../../../gpu/amd.js";
import type { OpDef } from "../../../ir/define-op.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { lowerModule } from "../../ttg-to-llvm/lower-module.js";
import { SHARED_RULES } from "../../ttg-to-llvm/rules.js";
import { amdScratchSize } from "../padded-conversion.js";
import type { LoweringRule } from "./amd-lowering.js";
import { ASYNC_COPIES } from "./async-copies.js";
import { addBarriersAfterWaits, markSyncedLoads, needsAliasScopes } from "./async-waits.js";
import { ATOMICS } from "./atomics.js";
import { BARRIERS } from "./barriers.js";
import { BUFFERS } from "./buffer.js";
import { amdForms } from "./code-forms.js";
import { DOTS } from "./dot.js";
import { FP_CONVERSIONS, saturateConversions } from "./fp-conversions.js";
import { LOAD_STORE } from "./load-store.js";
import { AMD_MATH } from "./math.js";
import { PACKED_READS } from "./packed-reads.js";
import { CONVERSIONS } from "./padded-conversions.js";
import { SYNCHRONIZATION } from "./synchronization.js";
import { amdCode } from "./target-code.js";
import { TDM } from "./tdm.js";
import { TILES } from "./tiles.js";
import { TRANSPOSED_LOADS } from "./transposed-reads.js";
import { UPCASTS } from "./upcasts.js";

/** How every op kind is lowered. */
export const LOWERING_RULES: ReadonlyMap<OpDef, LoweringRule> = new Map(
  [
    ...SHARED_RULES,
    ...AMD_MATH,
    ...ASYNC_COPIES,
    ...ATOMICS,
    ...BARRIERS,
    ...BUFFERS,
    ...CONVERSIONS,
    ...DOTS,
    ...FP_CONVERSIONS,
    ...LOAD_STORE,
    ...PACKED_READS,
    ...SYNCHRONIZATION,
    ...TDM,
    ...TILES,
    ...TRANSPOSED_LOADS,
    ...UPCASTS,
  ].map((rule) => [rule.def, rule]),
);

export const convertTritonAMDGPUToLLVM = definePass("convert-triton-amdgpu-to-llvm", {
  name: "ConvertTritonAMDGPUToLLVM",
  summary: "Convert TritonGPU to LLVM",
  source: "third_party/amd/lib/TritonAMDGPUToLLVM/TritonGPUToLLVM.cpp",
  options: {
    arch: option.string({ default: "", summary: "gfx target device architecture, e.g., gfx942" }),
    ftz: option.bool({ default: true, summary: "flush denorms for math functions" }),
    fold: option.bool({
      default: false,
      ours: true,
      summary: "make no struct of a tensor that nothing wants whole, and each constant once",
    }),
  },
  run(module, pass) {
    const { arch, ftz, fold } = pass.options;
    const family = amdFamilyOf(arch);
    if (family === undefined) {
      pass.report.error(module, `unsupported target: '${arch}'`, "pass.target");
      return pass.fail();
    }
    if (needsAliasScopes(family)) markSyncedLoads(module);
    addBarriersAfterWaits(module, new Rewriter(module.ctx, pass.listener));
    const code = amdCode(family);
    const target = {
      arch,
      family,
      ftz,
      forms: amdForms(family),
      code,
      numCTAs: getNumCTAs(module),
      threadsPerWarp: getThreadsPerWarp(module),
    };
    const lowering = { target, rules: LOWERING_RULES, scratchSize: amdScratchSize, allocatedBy: "allocate-amdgpu-shared-memory", fold };
    if (!lowerModule(module, pass, lowering)) return pass.fail();
    saturateConversions(module);
  },
});
