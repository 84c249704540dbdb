import { getBackwardSlice } from "../../analysis/slices.js";
import { ScaledUpcastFp4Op, ScaledUpcastFp8Op } from "../../dialects/amdg/ops/upcast.js";
import { ForOp } from "../../dialects/scf/ops/for.js";
import { LoadOp } from "../../dialects/tt/ops/memory.js";
import { TTG_CONVERT_LAYOUT_PATTERNS } from "../../dialects/ttg/canonicalize/index.js";
import { distributedParams, encodingAttr } from "../../dialects/ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../../dialects/ttg/encodings/shared-memory.js";
import { LocalAllocOp, LocalLoadOp } from "../../dialects/ttg/ops/local-memory.js";
import { memDescType } from "../../dialects/ttg/types.js";
import { amdFamilyOf } from "../../gpu/amd.js";
import type { TensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { getCTALayout, getOrderForMemory } from "../../layout/encoding-queries.js";
import { unswizzledShared } from "../../layout/encodings/swizzled-shared.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { type Pattern, pattern } from "../../rewrite/pattern.js";
import type { Rewriter } from "../../rewrite/rewriter.js";

export const optimizeDotOperandsAmd = definePass("tritonamdgpu-optimize-dot-operands", {
  name: "TritonAMDGPUOptimizeDotOperands",
  summary: "Optimize shared memory use for dot operands",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/OptimizeDotOperands.cpp",
  options: { archGenerationName: option.string({ default: "", summary: "the GPU: gfx942" }) },
  run(root, { options, listener }) {
    const scales: Pattern[] = amdFamilyOf(options.archGenerationName) === "CDNA4" ? SCALES : [];
    applyPatternsGreedily(root, [...scales, ...TTG_CONVERT_LAYOUT_PATTERNS], { listener });
  },
});

/** load -> upcast, in a loop: the scales go through unswizzled shared memory, which the pipeliner then fills ahead. */
function shareScales(op: Operation, rw: Rewriter): boolean {
  if (!op.parentOfType(ForOp)) return rw.noMatch("not in a loop", op);
  const source = op.operand(1).definingOp;
  const slice = source ? [...getBackwardSlice(source, { omitBlockArguments: true }), source] : [];
  const loads = slice.filter(LoadOp.is);
  if (slice.some(LocalLoadOp.is)) return rw.noMatch("the scales are in shared memory already", op);
  const load = LoadOp.match(loads.at(-1));
  if (!load || loads.length !== 1) return rw.noMatch("the scales do not come from one load", op);
  const type = load.result.type as TensorType;
  const { shape, elementType, encoding } = type.params;
  const layout = distributedParams(encoding)!;
  const shared = encodingAttr(rw.ctx, unswizzledShared(getOrderForMemory(layout, shape), getCTALayout(layout)!));
  const loc = load.op.locRef;
  rw.setAfter(load);
  const types = [memDescType(shape, elementType, shared, SharedMemorySpace.get(rw.ctx, {}))];
  const alloc = rw.create(LocalAllocOp, { src: load.result }, { loc, types });
  const loaded = rw.value(LocalLoadOp, { src: alloc.result }, { loc, types: [type] });
  rw.replaceUsesWhere(load.result, loaded, (use) => use.owner !== alloc.op);
  return true;
}
const SCALES: Pattern[] = [
  pattern("share-scales-of-fp8", ScaledUpcastFp8Op, ({ op }, rw) => shareScales(op, rw)),
  pattern("share-scales-of-fp4", ScaledUpcastFp4Op, ({ op }, rw) => shareScales(op, rw)),
];
