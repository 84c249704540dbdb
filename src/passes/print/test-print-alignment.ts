import { axisInfoText } from "../../analysis/axis-info.js";
import { moduleAxisInfo } from "../../analysis/module-axis-info.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import type { Operation } from "../../ir/operation.js";
import { definePass } from "../../pass/define-pass.js";
import { printOperation } from "../../syntax/print.js";

export const testPrintAlignment = definePass("test-print-alignment", {
  name: "TestAxisInfo",
  summary: "print the result of the alignment analysis pass",
  // A remark on each result of each op: its contiguity, divisibility, constancy and, where known, its value.
  source: "test/include/Analysis/TestAxisInfo.h",
  testOnly: true,
  run(root, { analysis, report }) {
    const axes = analysis(moduleAxisInfo);
    if (axes.recursive) return report.error(axes.recursive, "Cycle detected in call graph");
    root.walkPostOrder((func) => {
      if (!FuncOp.is(func)) return;
      func.walkPostOrder((op) => {
        for (const result of op.results) {
          const info = axes.get(result);
          report.remark(op, `${textOf(op)} => ${info ? axisInfoText(info) : ""}`);
        }
      });
    });
  },
});

/** An op as remarks show it: its own syntax, values named as in the function around it. */
function textOf(op: Operation): string {
  let scope = op;
  while (!scope.def.isIsolated && scope.parentOp) scope = scope.parentOp;
  return printOperation(op, { localScope: true, scope }).trimEnd();
}
