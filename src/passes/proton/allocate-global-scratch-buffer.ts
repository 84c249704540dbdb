import { GlobalScratchAllocOp } from "../../dialects/proton_gpu/ops/memory.js";
import { i32Attr } from "../../ir/builtin-attrs.js";
import { definePass } from "../../pass/define-pass.js";
import { theFunction } from "./functions.js";

/** The size of one record; buffers begin at multiples of it. */
const RECORD_BYTES = 8;

export const allocateProtonGlobalScratchBuffer = definePass("allocate-proton-global-scratch-buffer", {
  name: "AllocateProtonGlobalScratchBufferPass",
  summary: "Update metadata for the proton global scratch buffer",
  source: "third_party/proton/Dialect/lib/ProtonGPUToLLVM/AllocateProtonGlobalScratchBuffer.cpp",
  statistics: { bytes: "bytes of a program's buffers" },
  run(module, { report, count, fail }) {
    const { ctx } = module;
    const func = theFunction(module, report);
    if (!func) return fail();
    let size = 0;
    let alignment: number | undefined;
    func.walkPostOrder((op) => {
      const alloc = GlobalScratchAllocOp.match(op);
      if (!alloc) return;
      op.setAttr("offset", i32Attr(ctx, Math.ceil(size / RECORD_BYTES) * RECORD_BYTES));
      size += alloc.nbytes;
      alignment ??= alloc.alignment;
    });
    if (alignment === undefined) return;
    module.setAttr("ttg.profile_scratch_memory_size", i32Attr(ctx, size));
    module.setAttr("ttg.profile_scratch_memory_alignment", i32Attr(ctx, alignment));
    count("bytes", size);
  },
});
