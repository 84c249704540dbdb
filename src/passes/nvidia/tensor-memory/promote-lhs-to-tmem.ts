import { encodingAttr, encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { type MemDesc, memDescType } from "../../../dialects/ttg/types.js";
import { TensorMemoryEncoding, TensorMemorySpace } from "../../../dialects/ttng/attrs.js";
import { TCGen5MMAOp, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { isDistributedLayoutTMemCompatible, TMEMAllocOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { getDefaultLayoutForTmemLdSt, tmemSharing } from "../../../dialects/ttng/tmem-layout.js";
import { bitWidth, type TensorType, withEncoding } from "../../../ir/builtin-types.js";
import { getCTALayout } from "../../../layout/encoding-queries.js";
import { definePass } from "../../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { anyOpPattern } from "../../../rewrite/pattern.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";
import { comesFromLoadOrBlockArg } from "../accelerate-matmul/accelerate-matmul.js";
import { mmaOf } from "../completion-barrier.js";
import { isFp4Padded } from "../tma/descriptor-layouts.js";

export const promoteLhsToTmem = definePass("tritongpu-promote-lhs-to-tmem", {
  name: "TritonNvidiaGPUPromoteLHSToTMemPass",
  summary: "Maps LHS operand of TCGen5MMA to TMEM when possible",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/PromoteLHSToTMem.cpp",
  run(root, { listener, fail }) {
    if (!applyPatternsGreedily(root, [lhsToTmem], { listener }).converged) fail();
  },
});

const lhsToTmem = anyOpPattern(
  "lhs-to-tmem",
  (op) => TCGen5MMAOp.is(op) || TCGen5MMAScaledOp.is(op),
  (op, rw) => {
    const { a, d } = mmaOf(op);
    const alloc = LocalAllocOp.match(a.definingOp);
    if (!alloc?.src || alloc.op.region !== op.region) return rw.noMatch("it is in no buffer of the same block");
    const { shape, elementType } = (a.type as MemDesc).params;
    const width = bitWidth(elementType)!;
    const widths = rw.ctx.triton.promotesBytesToTmem ? [8, 16, 32] : [16, 32];
    if (!widths.includes(width)) return rw.noMatch("elements of that width are not read from tensor memory");
    if (isFp4Padded((a.type as MemDesc).params.encoding)) return rw.noMatch("padded fp4 is not read from tensor memory");
    const accumulator = (d.type as MemDesc).params.encoding;
    if (!TensorMemoryEncoding.is(accumulator)) return rw.noMatch("the accumulator is elsewhere");
    const type = alloc.src.type as TensorType;
    const cga = getCTALayout(encodingParams(type.params.encoding)!)!;
    const { blockM, twoCTAs } = accumulator.params;
    const encoding = encodingAttr(rw.ctx, {
      kind: "tensor_memory_encoding",
      blockM,
      blockN: shape[1]!,
      colStride: 1,
      ...tmemSharing(rw.ctx, cga),
      twoCTAs,
    });
    const buffer = memDescType(shape, elementType, encoding, TensorMemorySpace.get(rw.ctx, {}));
    let { src } = alloc;
    const options = { loc: op.locRef };
    rw.setAfter(alloc);
    if (!isDistributedLayoutTMemCompatible(op, type, buffer)) {
      if (comesFromLoadOrBlockArg(src)) return rw.noMatch("what was loaded keeps its layout");
      const wanted = withEncoding(type, getDefaultLayoutForTmemLdSt(buffer, lookupNumWarps(op), cga));
      if (wanted !== type) src = rw.value(ConvertLayoutOp, { src }, { ...options, types: [wanted] });
    }
    return rw.setOperand(op, 0, rw.create(TMEMAllocOp, { src }, { ...options, types: [buffer] }).result);
  },
);
