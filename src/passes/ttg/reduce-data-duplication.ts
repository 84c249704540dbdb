import { distributedParams, encodingAttr } from "../../dialects/ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../../dialects/ttg/encodings/shared-memory.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp, LocalLoadOp } from "../../dialects/ttg/ops/local-memory.js";
import { memDescType } from "../../dialects/ttg/types.js";
import { bitWidth, type TensorType } from "../../ir/builtin-types.js";
import { cvtNeedsSharedMemory } from "../../layout/conversion.js";
import { getCTALayout, getOrderForMemory } from "../../layout/encoding-queries.js";
import { swizzledSharedForDot } from "../../layout/encodings/shared-for-dot.js";
import { toLinearLayout } from "../../layout/to-linear-layout.js";
import { definePass } from "../../pass/define-pass.js";
import { Rewriter } from "../../rewrite/rewriter.js";

export const reduceDataDuplication = definePass("tritongpu-reduce-data-duplication", {
  name: "TritonGPUReduceDataDuplication",
  summary:
    "reduce data duplication in register by decomposing convert[distributed -> dotOperand] into convert[distributed -> shared -> dotOperand]",
  source: "lib/Dialect/TritonGPU/Transforms/ReduceDataDuplication.cpp",
  statistics: { decomposed: "conversions decomposed" },
  run(root, { listener, count }) {
    const rw = new Rewriter(root.ctx, listener);
    root.walkPostOrder((op) => {
      const convert = ConvertLayoutOp.match(op);
      if (!convert) return;
      const from = (convert.src.type as TensorType).params;
      const to = (convert.result.type as TensorType).params;
      const [src, dst] = [distributedParams(from.encoding), distributedParams(to.encoding)];
      if (!src || dst?.kind !== "dot_op") return;
      if (!cvtNeedsSharedMemory(toLinearLayout(from.shape, src), toLinearLayout(to.shape, dst))) return;
      count("decomposed");
      rw.from(op, () => {
        const shared = swizzledSharedForDot(dst, {
          shape: from.shape,
          order: getOrderForMemory(src, from.shape),
          cga: getCTALayout(src)!,
          bitwidth: bitWidth(from.elementType)!,
          needTrans: false,
        });
        const type = memDescType(to.shape, to.elementType, encodingAttr(op.ctx, shared), SharedMemorySpace.get(op.ctx, {}));
        rw.setBefore(op);
        const buffer = rw.value(LocalAllocOp, { src: convert.src }, { loc: op.locRef, types: [type] });
        rw.replace(op, rw.value(LocalLoadOp, { src: buffer }, { loc: op.locRef, types: [convert.result.type] }));
      });
    });
  },
});
