import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { ForOp } from "../dialects/scf/ops/for.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { parseModule } from "../syntax/parse.js";
import { definePass } from "./define-pass.js";
import { runPipeline } from "./pass-manager.js";
import { type Remark, refText, remarkMessage } from "./remark.js";

const module = (): Operation =>
  parseModule(
    new Context(ALL_DIALECTS),
    "dir/x.mlir",
    `tt.func @f(%n: i32 loc("n"("k.py":7:0)), %one: i32) {
      scf.for %i = %one to %n step %one : i32 {
        %y = arith.addi %i, %one : i32
      }
      tt.return
    }`,
  )!.module;

const told = definePass("test-told", {
  name: "TestTold",
  summary: "",
  run: (root, { explain }) =>
    root.walk((op) => {
      const loop = ForOp.match(op);
      if (!loop) return;
      const { region, upperBound } = loop;
      const refs = [region.firstBlock!.args[0]!, region.firstBlock!.firstOp!.result(), upperBound];
      explain?.(op, "pipeline.declined", { kind: "missed", message: "{0} with {1}, {2} and {3}, {9}", refs, fields: { stages: 3 } });
    }),
});

test("a remark is data that can be shown with names of one's own", () => {
  const remarks: Remark[] = [];
  runPipeline(module(), [told()], { instrumentation: [{ remark: (_, remark) => void remarks.push(remark) }] });
  const [remark] = JSON.parse(JSON.stringify(remarks)) as Remark[];
  expect(remark!.op).toBe(remark!.refs[0]!.op);
  expect(remark!.fields).toEqual({ stages: 3 });
  expect(remarkMessage(remark!, (ref) => ref.kind)).toBe("op with argument, result and argument, {9}");
  expect(remarkMessage(remark!, refText)).toBe("scf.for (x.mlir:2) with #0 (x.mlir:2), arith.addi (x.mlir:3) and n (x.mlir:1), {9}");
});

test("without a listener nothing is computed", () => {
  let computed = false;
  const silent = definePass("test-silent", {
    name: "TestSilent",
    summary: "",
    run: (root, { explain }) => explain?.(root, "cse.merged", { kind: "applied", message: String((computed = true)) }),
  });
  expect(runPipeline(module(), [silent()]).ok).toBe(true);
  expect(computed).toBe(false);
});
