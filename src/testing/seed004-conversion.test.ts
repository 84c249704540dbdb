/** The examples of the article on the conversion from TTIR to TTGIR (seed 004): its listings before, through today's pass, are its listings after. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { verifyOperation } from "../ir/verify.js";
import { modernize } from "../modernize/modernize.js";
import { runPipeline } from "../pass/pass-manager.js";
import { parsePipeline } from "../pass/pipeline-text.js";
import { PASSES } from "../passes/index.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";

function parsed(text: string): Operation {
  const ctx = new Context(ALL_DIALECTS);
  const module = parseModule(ctx, "seed.mlir", text)?.module;
  expect(ctx.diagnostics.map((d) => d.message)).toEqual([]);
  return module!;
}
function converted(text: string): string {
  const module = parsed(text);
  const pipeline = parsePipeline("convert-triton-to-tritongpu{target=cuda:80 num-warps=4 num-ctas=1 threads-per-warp=32}", (flag) =>
    PASSES.get(flag),
  );
  if ("error" in pipeline) throw new Error(pipeline.error);
  expect(runPipeline(module, pipeline.elements).ok).toBe(true);
  return printOperation(module);
}
/** The article's listing in today's spelling. */
function modern(text: string): string {
  const module = parsed(text);
  modernize(module);
  verifyOperation(module);
  return printOperation(module);
}
const read = (name: string): string => readFileSync(`fixtures/seed004/${name}.mlir`, "latin1");
const examples = readdirSync("fixtures/seed004").flatMap((file) => /^(.*)-before\.mlir$/.exec(file)?.[1] ?? []);

/** The types of each op of a function, aliases written out. */
function types(text: string): string[] {
  const aliases = new Map([...text.matchAll(/^(#\w+) = (.*)$/gm)].map((m) => [m[1]!, m[2]!]));
  const ops = [...text.matchAll(/^ +%\w+ = (\S+) .*? : (.*)$/gm)];
  return ops.map((m) => `${m[1]} : ${m[2]!.replace(/#\w+(?=[,>}])/g, (alias) => aliases.get(alias) ?? alias)}`);
}

describe("the article's examples", () => {
  /** Arguments that are tensors, or another result today: see below. */
  const below = new Set(["trans", "broadcast", "type-converter", "target-materialization"]);
  for (const name of examples.filter((example) => !below.has(example)))
    test(name, () => expect(converted(read(`${name}-before`))).toBe(modern(read(`${name}-after`))));

  test("target materialization: what is there is converted to what is expected", () => {
    const text = converted(`tt.func @f() {
      %xx = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
      %op1 = tt.expand_dims %xx {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
      %op2 = tt.broadcast %op1 : tensor<128x1xi32> -> tensor<128x32xi32>
      tt.return
    }`);
    expect(types(text).slice(2)).toEqual(types(modern(read("target-materialization-after"))));
  });
});

describe("where today's Triton does otherwise", () => {
  test("trans of a constant is folded; of anything else it is the article's", () => {
    expect(converted(read("trans-before"))).not.toContain("tt.trans");
    const load = "%p = tt.splat %a : !tt.ptr<f16> -> tensor<64x2x16x!tt.ptr<f16>>\n  %cst = tt.load %p : tensor<64x2x16x!tt.ptr<f16>>";
    const source = read("trans-before")
      .replace("@fragment()", "@fragment(%a: !tt.ptr<f16>)")
      .replace(/%cst = .*/, load);
    expect(types(converted(source)).at(-1)).toBe(types(modern(read("trans-after"))).at(-1));
  });
  test("the operand of broadcast has order [1, 0], the default, where the article has [0, 1]", () => {
    const source = `tt.func @f(%p: !tt.ptr<i32>) {
      %s = tt.splat %p : !tt.ptr<i32> -> tensor<128x1x!tt.ptr<i32>>
      %b = tt.load %s : tensor<128x1x!tt.ptr<i32>>
      %a = tt.broadcast %b : tensor<128x1xi32> -> tensor<128x32xi32>
      tt.return
    }`;
    const expected = types(modern(read("broadcast-after"))).at(-1)!;
    expect(types(converted(source)).at(-1)).toBe(expected.replaceAll("order = [0, 1]", "order = [1, 0]"));
  });
  test("a tensor as an argument is an error, no crash", () => {
    expect(() => converted(read("type-converter-before"))).toThrow();
    expect(() => converted(read("broadcast-before"))).toThrow();
  });
});

/** The types of values, and of pointers to tensors, under the type converter: the article's table. */
describe("default layouts", () => {
  const blocked = (size: number[], threads: number[], warps: number[], order: number[]) =>
    `#ttg.blocked<{sizePerThread = [${size.join(", ")}], threadsPerWarp = [${threads.join(", ")}], warpsPerCTA = [${warps.join(", ")}], order = [${order.join(", ")}]}>`;
  test.each([
    ["64x2x32xf16", blocked([1, 1, 1], [1, 1, 32], [2, 2, 1], [2, 1, 0])],
    ["32x64x2xf16", blocked([1, 1, 1], [1, 16, 2], [1, 4, 1], [2, 1, 0])],
    ["64x2x64x2xf32", blocked([1, 1, 1, 1], [1, 1, 16, 2], [1, 1, 4, 1], [3, 2, 1, 0])],
  ])("%s", (type, layout) => {
    expect(converted(`tt.func @f(%x: f16) {\n  %0 = arith.constant dense<1.0> : tensor<${type}>\n  tt.return\n}`)).toContain(
      `#blocked = ${layout}`,
    );
  });
  test("a pointer to a tensor", () => {
    const text = converted(`tt.func @f(%p: !tt.ptr<f16>, %n: i64, %o: i32) {
      %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%o, %o] {order = array<i32: 1, 0>} : !tt.ptr<tensor<128x32xf16>>
      tt.return
    }`);
    expect(text).toContain(`#blocked = ${blocked([1, 1], [1, 32], [4, 1], [1, 0])}`);
    expect(text).toContain("<tensor<128x32xf16, #blocked>>");
  });
});

test.each([
  ["16x16", [1, 1]],
  ["16x32", [2, 2]],
  ["32x32", [2, 2]],
  ["64x64", [4, 4]],
  ["128x128", [4, 4]],
])("a dot of %s: threads hold %j elements each", (shape, size) => {
  const [m, n] = shape.split("x");
  const text = converted(`tt.func @f() {
    %a = arith.constant dense<1.0> : tensor<${m}x16xf16>
    %b = arith.constant dense<1.0> : tensor<16x${n}xf16>
    %c = arith.constant dense<1.0> : tensor<${shape}xf32>
    %0 = tt.dot %a, %b, %c : tensor<${m}x16xf16> * tensor<16x${n}xf16> -> tensor<${shape}xf32>
    tt.return
  }`);
  const layout = /tt\.dot .* -> tensor<\w+, (#\w+)>/.exec(text)![1]!;
  expect(text).toMatch(new RegExp(`^${layout} = .*sizePerThread = \\[${size.join(", ")}\\]`, "m"));
});

test("the module says for which machine", () => {
  expect(converted("tt.func @f() {\n  tt.return\n}")).toContain(
    'module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {',
  );
});
