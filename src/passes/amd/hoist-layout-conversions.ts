import { ForOp } from "../../dialects/scf/ops/for.js";
import { encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import { encodingOf } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { definePass } from "../../pass/define-pass.js";
import { Rewriter } from "../../rewrite/rewriter.js";

export const hoistLayoutConversions = definePass("tritonamdgpu-hoist-layout-conversions", {
  name: "TritonAMDGPUHoistLayoutConversions",
  summary: "Hoist layout conversions out of the loop",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/HoistLayoutConversions.cpp",
  statistics: { hoisted: "conversions moved out of a loop" },
  run(root, { listener, count }) {
    const rw = new Rewriter(root.ctx, listener);
    const conversions: Operation[] = [];
    root.walkPostOrder((op) => void (ConvertLayoutOp.is(op) && conversions.push(op)));
    for (const op of conversions) {
      if (encodingParams(encodingOf(op.result(0).type))?.kind !== "dot_op") continue;
      const source = op.operand(0).definingOp;
      const loop = op.parentOfType(ForOp);
      if (!source || !loop || loop.isAncestorOf(source)) continue;
      rw.moveAfter(op, source);
      count("hoisted");
    }
  },
});
