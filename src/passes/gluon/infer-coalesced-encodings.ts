import { moduleAxisInfo } from "../../analysis/module-axis-info.js";
import { CoalescedEncoding } from "../../dialects/gluon/attrs.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { PointerType } from "../../dialects/tt/types.js";
import { encodingAttr } from "../../dialects/ttg/encodings/define-encoding.js";
import { getThreadsPerWarp } from "../../dialects/ttg/num-warps.js";
import { encodingOf, RankedTensorType } from "../../ir/builtin-types.js";
import { definePass } from "../../pass/define-pass.js";
import { CoalescedLayouts } from "../ttg/coalesce/coalesced-layouts.js";
import { getMemAccessPtr } from "../ttg/memory-access.js";
import { checkInferred, inferLayout, type Seed } from "./infer-layout.js";

export const gluonInferCoalescedEncodings = definePass("gluon-infer-coalesced-encodings", {
  name: "GluonInferCoalescedEncodingsPass",
  summary: "infer coalesced encodings based on axis analysis",
  source: "lib/Dialect/Gluon/Transforms/InferCoalescedEncodings.cpp",
  statistics: { accesses: "loads and stores that got a layout" },
  run(root, { analysis, report, count }) {
    const axes = analysis(moduleAxisInfo);
    if (axes.recursive) return report.error(axes.recursive, "Cycle detected in call graph");
    const layouts = new CoalescedLayouts(root, axes, getThreadsPerWarp(root));
    for (const func of root.regions[0]!.firstBlock!.ops()) {
      if (!FuncOp.is(func)) continue;
      const seeds: Seed[] = [];
      func.walkPostOrder((op) => {
        const type = getMemAccessPtr(op)?.type;
        if (!RankedTensorType.is(type) || !PointerType.is(type.params.elementType) || !CoalescedEncoding.is(encodingOf(type))) return;
        count("accesses");
        const encoding = encodingAttr(op.ctx, layouts.layoutFor(op).layout);
        for (const value of op.operands) seeds.push({ value, encoding });
      });
      if (!inferLayout(func, CoalescedEncoding, seeds, report)) return;
    }
    checkInferred(root, CoalescedEncoding, report);
  },
});
