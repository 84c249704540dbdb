import { BARRIER_BYTES, BARRIER_COUNT, MBAR_BYTES } from "../../../analysis/cluster-barrier-slots.js";
import { LLVMFuncOp } from "../../../dialects/llvm/ops/functions.js";
import { ptrType, voidType } from "../../../dialects/llvm/types/types.js";
import { ThreadIdXOp } from "../../../dialects/nvvm/ops/registers.js";
import { isKernel } from "../../../dialects/tt/kernel.js";
import { getNumCTAs, maybeLookupNumWarps } from "../../../dialects/ttg/num-warps.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import { i8, i32 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { LLBuilder } from "../../ttg-to-llvm/ll-builder.js";
import { arriveAndWait, inAllWarps } from "./cluster.js";
import { codeFormsOf } from "./code-forms.js";
import { fenceInitializations } from "./mbarrier.js";
import { storeShared } from "./shared-memory.js";

export const initializeWsClusterBarriers = definePass("initialize-ws-cluster-barriers", {
  name: "InitializeWSClusterBarriers",
  summary: "start the barriers of a cluster that warp groups wait at",
  source: "third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ClusterOpsToLLVM.cpp",
  options: {
    computeCapability: option.int({ default: 80, summary: "device compute capability" }),
    ptxVersion: option.int({ default: 80, summary: "PTX version" }),
  },
  run(module) {
    const count = intOf(module.attr(BARRIER_COUNT)) ?? 0;
    const kernel = [...module.regions[0]!.firstBlock!.ops()].find((op) => LLVMFuncOp.is(op) && isKernel(op));
    if (count === 0 || !kernel) return;
    new Rewriter(module.ctx).from(kernel, () => {
      const { ctx } = module;
      const b = new LLBuilder(ctx, false);
      b.loc = kernel.locRef;
      b.block = kernel.regions[0]!.firstBlock!;
      b.before = b.block.firstOp;
      const pointer = ptrType(ctx, 3);
      const first = b.icmp("eq", b.value(ThreadIdXOp, {}, i32(ctx)), b.i32(0));
      const start = (offset: number): Value => {
        const mbarrier = b.gep(pointer, i8(ctx), b.addressOf("global_smem", pointer), [b.i32(offset)]);
        b.inlineAsm(`@$0 mbarrier.init.shared::cta.b64 [$1], ${getNumCTAs(module) - 1};`, "b,r", [first, mbarrier], voidType(ctx));
        return mbarrier;
      };
      const shared = intOf(module.attr("ttg.shared")) ?? 0;
      for (let at = shared - count * BARRIER_BYTES; at < shared; at += BARRIER_BYTES) {
        const next = start(at);
        start(at + MBAR_BYTES);
        storeShared(codeFormsOf(ctx.triton), b, b.gep(pointer, i8(ctx), next, [8]), b.i32(0), { predicate: first });
      }
      fenceInitializations(b, first);
      inAllWarps(b, module, maybeLookupNumWarps(kernel)!, arriveAndWait(true));
    });
  },
});
