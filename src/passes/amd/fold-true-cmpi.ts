import { comparison, constantOfRange } from "../../analysis/integer-ranges/range.js";
import { CmpIOp, ConstantOp } from "../../dialects/arith/ops/index.js";
import { intAttr } from "../../ir/builtin-attrs.js";
import { IntegerType } from "../../ir/builtin-types.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { pattern } from "../../rewrite/pattern.js";
import { analyzeRanges } from "./range-analysis.js";

export const foldTrueCmpI = definePass("tritonamdgpu-fold-true-cmpi", {
  name: "TritonAMDFoldTrueCmpI",
  summary: "Fold true arith.cmpi to %true",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/FoldTrueCmpIOp.cpp",
  statistics: { folded: "comparisons that are always true" },
  run(root, { listener, report, count }) {
    const ranges = analyzeRanges(root, (op, message) => report.remark(op, message));
    const fold = pattern("fold-true-cmpi", CmpIOp, ({ op, predicate, lhs, rhs, result }, rw) => {
      const [a, b] = [ranges.rangeOf(lhs), ranges.rangeOf(rhs)];
      if (!IntegerType.is(result.type) || !a || !b || !comparison(predicate, a, b)) return rw.noMatch("not known to be true", op);
      const known = ranges.rangeOf(result);
      const number = known && constantOfRange(known);
      if (number === undefined || !result.hasUses()) return rw.noMatch("its value is not known to be one constant", op);
      const constant = rw.value(ConstantOp, { value: intAttr(result.type, number) });
      rw.replaceOpUses(op, [constant]);
      count("folded");
      return true;
    });
    applyPatternsGreedily(root, [fold], { listener });
  },
});
