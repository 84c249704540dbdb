import fc from "fast-check";
import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { parseModule } from "../syntax/parse.js";
import { COLUMNS, type Expr, evaluate, exprs, ROWS, source } from "../testing/axis-expressions.js";
import type { AxisInfo } from "./axis-info.js";
import { axisInfoOf } from "./axis-info-of-values.js";
import { ModuleAxisInfo } from "./module-axis-info.js";

function analysed(expr: Expr): AxisInfo {
  const { module } = parseModule(new Context(ALL_DIALECTS), "expr.mlir", source(expr))!;
  const axes = new ModuleAxisInfo(module);
  let info: AxisInfo | undefined;
  module.walk((op) => {
    if (op.hasAttr("out")) info = axes.getOrWorst(op.operand(0));
  });
  return info!;
}

test("what the rules say allows no access that the numbers forbid", () => {
  fc.assert(
    fc.property(exprs, (expr) => {
      const values = evaluate(expr);
      fc.pre(values !== undefined);
      const said = analysed(expr);
      const actual = axisInfoOf(values, [ROWS, COLUMNS]);
      [ROWS, COLUMNS].forEach((_, d) => {
        const at = (i: number): number => (d === 0 ? Math.trunc(i / COLUMNS) : i % COLUMNS);
        expect(actual.contiguity[d]! % said.contiguity[d]!, "contiguity").toBe(0);
        expect(actual.constancy[d]! % said.constancy[d]!, "constancy").toBe(0);
        // Alone, 3.6's divisibility is too good where a sum loses the contiguity (0 - arange); an access takes the lesser of both.
        const width = Math.min(said.contiguity[d]!, said.divisibility[d]!);
        values.forEach((v, i) => {
          if (at(i) % width === 0) expect(Math.abs(v) % width, "alignment").toBe(0);
        });
      });
      if (said.constantValue !== undefined) expect(values.every((v) => BigInt(v) === said.constantValue)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
