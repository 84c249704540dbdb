import { TCGen5MMAOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TWO_CTAS } from "../../../dialects/ttng/ttng-op.js";
import { boolAttr } from "../../../ir/builtin-attrs.js";
import type { View } from "../../../ir/define-op.js";
import { definePass } from "../../../pass/define-pass.js";

export const checkMatmulTwoCTA = definePass("triton-nvidia-check-matmul-two-cta", {
  name: "TritonNvidiaGPUCheckMatmulTwoCTAPass",
  summary: "Verify consistent two_ctas usage across matmuls",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/CheckMatmulTwoCTAs.cpp",
  run(root, { report }) {
    let first: View<typeof TCGen5MMAOp> | undefined;
    const mixed = root.walkPostOrder((op) => {
      const matmul = TCGen5MMAOp.match(op);
      if (!matmul) return undefined;
      first ??= matmul;
      if (matmul.two_ctas === first.two_ctas) return undefined;
      const expected = first.two_ctas ? "enable" : "disable";
      report.error(op, `inconsistent two_ctas setting across matmuls; expected all matmuls to ${expected} two_ctas.`, undefined, [
        { op: first.op, message: `first matmul here has two_ctas=${first.two_ctas}.` },
      ]);
      return "interrupt";
    });
    if (!mixed) root.setAttr(TWO_CTAS, boolAttr(root.ctx, first?.two_ctas ?? false));
  },
});
