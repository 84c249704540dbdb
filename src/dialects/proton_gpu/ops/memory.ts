/** The profiler's buffers: in global memory with a header, and its segments. Source: ProtonGPUOps.td; Ops.cpp. */
import { anyOf, I32Attr } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { Pure } from "../../../ir/traits.js";
import { Ptr } from "../../tt/constraints.js";
import { GLOBAL_MEMORY } from "../../tt/tt-op.js";
import { WarpSpecializeOp } from "../../ttg/ops/warp-specialize.js";
import { SHARED_MEMORY } from "../../ttg/ttg-op.js";
import { MemDescOperand } from "../../ttg/types.js";
import { Segment, SegmentType } from "../types.js";

const READ = { kind: "read", resource: GLOBAL_MEMORY } as const;
const WRITE = { kind: "write", resource: GLOBAL_MEMORY } as const;

export const GlobalScratchAllocOp = defineOp("proton_gpu.global_scratch_alloc", () => ({
  summary: "Allocate a global memory profile buffer",
  attrs: { nbytes: I32Attr, alignment: I32Attr },
  results: { result: Ptr },
  format: "attr-dict `:` qualified(type($result))",
  effects: () => [{ kind: "allocate", resource: GLOBAL_MEMORY }],
}));

export const InitializeOp = defineOp("proton_gpu.initialize", () => ({
  summary: "Initialize the intra kernel profiler",
  operands: { scratchPtr: Ptr },
  format: "$scratchPtr attr-dict `:` qualified(type($scratchPtr))",
  effects: () => [WRITE],
}));

export const FinalizeOp = defineOp("proton_gpu.finalize", () => ({
  summary: "Finalize the intra kernel profiler",
  operands: { segment: Segment, scratchPtr: Ptr },
  format: "$segment `,` $scratchPtr attr-dict `:` qualified(type($segment)) `,` qualified(type($scratchPtr))",
  effects: () => [{ kind: "read", resource: SHARED_MEMORY }, READ, WRITE],
}));

export const SegmentAllocOp = defineOp("proton_gpu.segment_alloc", () => ({
  summary: "Get the base offset of the segment of the internal buffer",
  operands: { buffer: anyOf(`${MemDescOperand.description} or ptr`, MemDescOperand, Ptr) },
  results: { segment: Segment },
  traits: [Pure],
  format: "$buffer attr-dict `:` qualified(type($buffer)) `->` type($segment)",
  verify({ segment }, report) {
    const { granularity, selectIds } = SegmentType.params(segment.type);
    if (granularity !== "warp" && selectIds.length > 0)
      report.error("only warp granularity supports non-empty selectIds for now", "proton.segment");
  },
}));

export const InitCtxOp = defineOp("proton_gpu.init_ctx", () => ({
  summary: "Initialize the intra kernel profiler warp-level contexts",
  operands: { scratchPtr: Ptr },
  format: "$scratchPtr attr-dict `:` qualified(type($scratchPtr))",
  effects: () => [WRITE],
  verify({ op }, report) {
    if (op.parentOfType(WarpSpecializeOp)) report.error("can't initialize proton context in a warp specialized op", "proton.context");
  },
}));

export const RestoreCtxOp = defineOp("proton_gpu.restore_ctx", () => ({
  summary: "Restore the current warp-level context",
  operands: { segment: Segment, scratchPtr: Ptr },
  format: "$segment `,` $scratchPtr attr-dict `:` qualified(type($segment)) `,` qualified(type($scratchPtr))",
  effects: () => [READ, WRITE],
}));

export const SaveCtxOp = defineOp("proton_gpu.save_ctx", () => ({
  summary: "Save the current warp-level context",
  operands: { segment: Segment, scratchPtr: Ptr },
  format: "$segment `,` $scratchPtr attr-dict `:` qualified(type($segment)) `,` qualified(type($scratchPtr))",
  effects: () => [WRITE],
}));
