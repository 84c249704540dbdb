import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import type { Operation } from "../../ir/operation.js";
import { type RunResult, runPipeline } from "../../pass/pass-manager.js";
import { parsePipeline } from "../../pass/pipeline-text.js";
import { parseModule } from "../../syntax/parse.js";
import { printOperation } from "../../syntax/print.js";
import { PASSES } from "../index.js";

const FOLDER = "fixtures/passes/common";

function parse(text: string): Operation {
  const ctx = new Context(ALL_DIALECTS);
  ctx.allowUnregisteredDialects = true;
  const parsed = parseModule(ctx, "test.mlir", text);
  if (!parsed) throw new Error(ctx.diagnostics.map((d) => d.message).join("\n"));
  return parsed.module;
}
function run(module: Operation, pipeline: string): RunResult & { readonly statistics: Record<string, number> } {
  const parsed = parsePipeline(pipeline, (flag) => PASSES.get(flag));
  if ("error" in parsed) throw new Error(parsed.error);
  const statistics: Record<string, number> = {};
  const result = runPipeline(module, parsed.elements, {
    instrumentation: [{ after: (record) => record.statistics.forEach((count, name) => void (statistics[name] = count)) }],
  });
  return { ...result, statistics };
}

describe("as real Triton", () => {
  for (const file of readdirSync(FOLDER).sort())
    test(file, () => {
      const text = readFileSync(`${FOLDER}/${file}`, "utf8");
      const pass = /^\/\/ PASS: (.*)$/m.exec(text)![1]!;
      const [input, output] = text.split(/^\/\/ ===>\n/m);
      const module = parse(input!);
      expect(run(module, pass).ok).toBe(true);
      expect(printOperation(module).trim()).toBe(output!.trim());
    });
});

describe("canonicalize", () => {
  const blocks = `tt.func @f(%c: i1, %x: i32, %y: i32) -> i32 {
    cf.cond_br %c, ^a, ^b
  ^a:
    %0 = "foo.op"(%x) : (i32) -> i32
    cf.br ^c(%0 : i32)
  ^b:
    %1 = "foo.op"(%y) : (i32) -> i32
    cf.br ^c(%1 : i32)
  ^c(%r: i32):
    tt.return %r : i32
  }`;
  test("merges identical blocks when asked to simplify aggressively", () => {
    const module = parse(blocks);
    run(module, "canonicalize{region-simplify=aggressive}");
    expect(printOperation(module)).toBe(`module {
  tt.func @f(%arg0: i1, %arg1: i32, %arg2: i32) -> i32 {
    %0 = arith.select %arg0, %arg1, %arg2 : i32
    %1 = "foo.op"(%0) : (i32) -> i32
    tt.return %1 : i32
  }
}
`);
  });
  test("leaves unreachable code when told not to touch regions, except before it starts", () => {
    const module = parse(`tt.func @f() {
      cf.br ^a
    ^a:
      tt.return
    ^dead:
      "foo.op"() : () -> ()
      tt.return
    }`);
    run(module, "canonicalize{region-simplify=disabled}");
    expect(printOperation(module)).not.toContain("foo.op");
  });
  const folds = `tt.func @f() -> i32 {
    %c1 = arith.constant 1 : i32
    %0 = arith.addi %c1, %c1 : i32
    tt.return %0 : i32
  }`;
  test("stops after the rounds allowed, and says so when asked", () => {
    const module = parse(folds);
    expect(run(module, "canonicalize{max-iterations=1 test-convergence=true}").ok).toBe(false);
    expect(module.ctx.diagnostics.at(-1)?.code).toBe("canonicalize.convergence");
    expect(run(parse(folds), "canonicalize{max-iterations=-1 test-convergence=true}").ok).toBe(true);
  });
  test("prints its options as upstream does", () => {
    const parsed = parsePipeline("canonicalize", (flag) => PASSES.get(flag));
    if ("error" in parsed) throw new Error(parsed.error);
    const [step] = parsed.elements;
    expect(step?.kind === "pass" && step.options).toMatchObject({ topDown: true, maxIterations: 10, regionSimplify: "normal" });
  });
});

describe("statistics and failures", () => {
  test("cse counts what it replaced and what was dead", () => {
    const module = parse(`tt.func @f(%a: i32) -> i32 {
      %0 = arith.addi %a, %a : i32
      %1 = arith.addi %a, %a : i32
      %2 = arith.muli %a, %a : i32
      %3 = arith.muli %0, %1 : i32
      tt.return %3 : i32
    }`);
    expect(run(module, "cse").statistics).toEqual({ numCse: 1, numDce: 1 });
  });
  test("symbol-dce and inline need an op that defines a symbol table", () => {
    for (const pass of ["symbol-dce", "inline"]) {
      const module = parse("tt.func @f() { tt.return }");
      expect(run(module, `tt.func(${pass})`).ok).toBe(false);
      expect(module.ctx.diagnostics[0]?.message).toContain("does not define a symbol table");
    }
  });
  test("inline takes other pipelines, and only as many operations as the threshold allows", () => {
    const calls = `tt.func public @f(%a: i32) -> i32 {
      %0 = tt.call @g(%a) : (i32) -> i32
      tt.return %0 : i32
    }
    tt.func private @g(%a: i32) -> i32 {
      %0 = arith.addi %a, %a : i32
      %1 = arith.addi %a, %a : i32
      %2 = arith.muli %0, %1 : i32
      tt.return %2 : i32
    }`;
    const none = parse(calls);
    run(none, "inline{inlining-threshold=100}");
    expect(printOperation(none)).toContain("tt.call");
    const all = parse(calls);
    run(all, "inline{inlining-threshold=300 default-pipeline=cse}");
    expect(printOperation(all).match(/arith.addi/g)).toHaveLength(1);
  });
});
