/** Debug information with types and variables: what each Triton's own passes make of it. */
import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import { runPipeline } from "../../pass/pass-manager.js";
import { parsePipeline } from "../../pass/pipeline-text.js";
import { TRITON_VERSIONS } from "../../support/triton-version.js";
import { parseModule } from "../../syntax/parse.js";
import { printOperation } from "../../syntax/print.js";
import { goldenParts } from "../../testing/golden-parts.js";
import { PASSES } from "../index.js";

/** The module after the passes, with locations, and the diagnostics. */
function run(input: string, version: string, passes: string): { readonly text: string; readonly messages: readonly string[] } {
  const ctx = new Context(ALL_DIALECTS);
  ctx.triton = TRITON_VERSIONS.find(({ name }) => name === version)!;
  const { module } = parseModule(ctx, "input", input)!;
  const pipeline = parsePipeline(passes, (flag) => PASSES.get(flag));
  if ("error" in pipeline) throw new Error(pipeline.error);
  expect(runPipeline(module, pipeline.elements).ok).toBe(true);
  return { text: printOperation(module, { debugInfo: true, nameLocAsPrefix: true }), messages: ctx.diagnostics.map((d) => d.message) };
}

describe("as real Triton", () => {
  test.each(
    goldenParts("fixtures/llvm/debug-variables.mlir").map(({ input, output }) => {
      const [, version, passes] = /^\/\/ TRITON: (.*)\n\/\/ PASS: (.*)$/m.exec(input)!;
      return [version!, passes!, input, output] as const;
    }),
  )("%s: %s", (version, passes, input, output) => {
    const { text, messages } = run(input, version, passes);
    expect(text.trim()).toBe(output.trim());
    expect(messages).toEqual([]);
  });
});

test("where real Triton ends, that is said", () => {
  const declared = "llvm.func @f(vector<2xi32>)";
  const crash = (version: string, passes: string): readonly string[] => run(declared, version, passes).messages;
  expect(crash("3.8", "enable-line-info,extract-variable-info")).toEqual([]);
  expect(crash("3.7", "enable-line-info").join()).toContain("a parameter is a vector");
  expect(crash("3.7", "extract-variable-info").join()).toContain("a function is declared");
  expect(run("llvm.func @f(!llvm.struct<packed (i8, i32)>)", "3.8", "enable-line-info").messages.join()).toContain("a packed one");
});
