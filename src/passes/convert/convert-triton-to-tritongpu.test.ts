import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import { runPipeline } from "../../pass/pass-manager.js";
import { parsePipeline } from "../../pass/pipeline-text.js";
import { parseModule } from "../../syntax/parse.js";
import { goldenParts, rewritten } from "../../testing/golden-parts.js";
import { convertTritonToTritonGpu } from "./convert-triton-to-tritongpu.js";

function step(options: string) {
  const pipeline = parsePipeline(`convert-triton-to-tritongpu{${options}}`, () => convertTritonToTritonGpu);
  if ("error" in pipeline) throw new Error(pipeline.error);
  return pipeline.elements;
}
const passed = (options: string, input: string): string => rewritten(input, (module) => void runPipeline(module, step(options)));
/** The errors that are reported where the pass fails. */
function refusal(options: string, input: string): string {
  const ctx = new Context(ALL_DIALECTS);
  ctx.allowUnregisteredDialects = true;
  const { module } = parseModule(ctx, "input", input)!;
  expect(runPipeline(module, step(options)).failed?.reason).toBe("pass");
  return ctx.diagnostics.map((diagnostic) => diagnostic.message).join("\n");
}

describe("as real Triton", () => {
  for (const { name, input, output } of goldenParts("fixtures/passes/convert/convert-triton-to-tritongpu.mlir"))
    test(name, () => expect(passed("target=cuda:80", input)).toBe(output));
});

describe("single ops on several machines, as real Triton", () => {
  for (const { input, output } of goldenParts("fixtures/passes/convert/single-ops.mlir")) {
    const [header, name, options] = /^\/\/ (\S+) (.*)/.exec(input)!;
    test(name!, () => expect(passed(options!, input.slice(header.length))).toBe(output));
  }
});

describe("refused", () => {
  test("numbers of warps, threads and CTAs that are no powers of two, as real Triton", () => {
    const find = () => convertTritonToTritonGpu;
    for (const option of ["num-warps", "threads-per-warp", "num-ctas"]) {
      for (const size of ["1", "2", "64", "1024"])
        expect(parsePipeline(`convert-triton-to-tritongpu{${option}=${size}}`, find)).toHaveProperty("elements");
      for (const size of ["0", "-4", "3", "34", "2048", "4294967296"])
        expect(parsePipeline(`convert-triton-to-tritongpu{${option}=${size}}`, find)).toHaveProperty(
          "error",
          `convert-triton-to-tritongpu: invalid value '${size}' for option ${option}: expected a power of 2 from 1 to 1024`,
        );
    }
  });
  const func = (body: string): string => `tt.func public @f(%p: !tt.ptr<f32>, %x: tensor<128xf32>) {\n${body}\ntt.return\n}`;
  test("without a target", () => {
    expect(refusal("", "module {}")).toContain("'convert-triton-to-tritongpu' requires 'target' option to be set");
  });
  test("ops that no rule converts", () => {
    expect(refusal("target=cuda:80", "tt.func @f() {\nscf.execute_region { scf.yield }\ntt.return\n}")).toContain(
      "failed to legalize operation 'scf.execute_region' that was explicitly marked illegal",
    );
  });
  test("a tensor as the argument of a function", () => {
    expect(refusal("target=cuda:80", func("%0 = arith.addf %x, %x : tensor<128xf32>"))).toContain(
      "failed to legalize unresolved materialization from () to ('tensor<128xf32>') that remained live after conversion",
    );
  });
  test("a user that keeps its type, unless values may be turned back", () => {
    const input = `tt.func @f(%p: !tt.ptr<f32>) {
      %x = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
      "test.use"(%x) : (tensor<128x!tt.ptr<f32>>) -> ()
      tt.return
    }`;
    expect(refusal("target=cuda:80", input)).toContain("that remained live after conversion");
    expect(passed("target=cuda:80 enable-source-remat=true", input)).toContain("builtin.unrealized_conversion_cast");
  });
});
