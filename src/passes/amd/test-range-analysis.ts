import { comparison, type IntRange, rangeText } from "../../analysis/integer-ranges/range.js";
import { CmpIOp } from "../../dialects/arith/ops/index.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { LoopLike } from "../../ir/interfaces.js";
import { positionOfLocation } from "../../ir/location.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { analyzeRanges, isNonNegative } from "./range-analysis.js";

export const testRangeAnalysis = definePass("test-tritonamdgpu-range-analysis", {
  name: "TestAMDRangeAnalysisPass",
  summary: "print the result of the tritonamdgpu-range-analysis pass",
  // Remarks on arguments, results, comparisons and loops give their ranges.
  source: "third_party/amd/test/lib/Analysis/TestAMDRangeAnalysis.cpp",
  testOnly: true,
  run(root, { report }) {
    const ranges = analyzeRanges(root, (op, message) => report.remark(op, message));
    const describe = (
      values: readonly Value[],
      kind: string,
      text: (range: IntRange) => string | undefined,
      say: (value: Value, text: string) => void,
    ) =>
      values.forEach((value, i) => {
        const range = ranges.rangeOf(value);
        const message = range && text(range);
        if (message) say(value, values.length > 1 ? `${kind} ${i}: ${message}` : message);
      });
    root.walk((func) => {
      if (!FuncOp.is(func)) return;
      describe(func.regions[0]!.firstBlock?.args ?? [], "arg", rangeText, (arg, message) => {
        const position = positionOfLocation(root.ctx, arg.argLoc!);
        root.ctx.emit({
          severity: "remark",
          code: "pass.test-tritonamdgpu-range-analysis",
          message,
          ...(position ? { position } : {}),
          notes: [],
        });
      });
    });
    root.walk((op) => {
      describe(op.results, "result", rangeText, (_, message) => report.remark(op, message));
      const compare = CmpIOp.match(op);
      const [lhs, rhs] = compare ? [ranges.rangeOf(compare.lhs), ranges.rangeOf(compare.rhs)] : [];
      if (compare && lhs && rhs && comparison(compare.predicate, lhs, rhs)) report.remark(op, "result is true");
      describe(
        op.results,
        "result",
        (range) => (isNonNegative(range) ? "non-neg" : undefined),
        (_, message) => report.remark(op, message),
      );
      if (op.def.interface(LoopLike)) report.remark(op, `inferred total trip count: ${ranges.tripCount(op)}`);
    });
  },
});
