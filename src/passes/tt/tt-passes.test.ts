import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import { runPipeline } from "../../pass/pass-manager.js";
import { parsePipeline } from "../../pass/pipeline-text.js";
import { parseModule } from "../../syntax/parse.js";
import { printOperation } from "../../syntax/print.js";
import { goldenParts, rewritten } from "../../testing/golden-parts.js";
import { PASSES } from "../index.js";

const FOLDER = "fixtures/passes/tt";

/** The steps of a pipeline text. */
function steps(text: string) {
  const pipeline = parsePipeline(text, (flag) => PASSES.get(flag));
  if ("error" in pipeline) throw new Error(pipeline.error);
  return pipeline.elements;
}
const passed = (pipeline: string, input: string): string => rewritten(input, (module) => void runPipeline(module, steps(pipeline)));

describe("as real Triton", () => {
  for (const file of readdirSync(FOLDER).filter((name) => name.startsWith("triton-"))) {
    const flag = file.replace(".mlir", "");
    for (const part of goldenParts(`${FOLDER}/${file}`)) {
      test(`${flag} ${part.name}`, () => expect(passed(flag, part.input)).toBe(part.output));
      test(`${flag} ${part.name}: a second run changes nothing`, () => expect(passed(flag, part.output)).toBe(part.output));
    }
  }
});

describe("locations as real Triton's", () => {
  for (const { name, input, output } of goldenParts(`${FOLDER}/locations.mlir`)) {
    // The pass is in the first line; lines count from the second.
    const [header, ...lines] = input.split("\n");
    test(`${header} ${name}`, () => {
      const ctx = new Context(ALL_DIALECTS);
      const { module } = parseModule(ctx, "input", lines.join("\n"))!;
      const [flag = "", options = ""] = header!.slice(3).split(/=(.*)/);
      runPipeline(module, steps(options ? `${flag}{${options}}` : flag));
      expect(resolved(printOperation(module, { debugInfo: true }))).toEqual(resolved(output));
    });
  }
});
/** The lines with each location in place of its alias. */
function resolved(text: string): string[] {
  const aliases = new Map([...text.matchAll(/^(#loc\d*) = loc\((.*)\)$/gm)].map((m) => [m[1]!, m[2]!]));
  const resolve = (line: string): string =>
    line.replace(/#loc\d*\b/g, (alias) => (aliases.has(alias) ? resolve(aliases.get(alias)!) : alias));
  const body = text.split("\n").filter((line) => line !== "" && !line.startsWith("#loc"));
  return body.map(resolve);
}

/** The errors that are reported where a pass fails. */
function refusal(pipeline: string, input: string): string {
  const ctx = new Context(ALL_DIALECTS);
  const { module } = parseModule(ctx, "input", input)!;
  expect(runPipeline(module, steps(pipeline)).failed?.reason).toBe("pass");
  return ctx.diagnostics.map((diagnostic) => diagnostic.message).join("\n");
}

describe("refused", () => {
  test("a reduction that no atomic does", () => {
    const input = `tt.func public @f(%d: !tt.tensordesc<tensor<8x16xf32>>, %x: tensor<8x16xf32>, %o: i32) {
      tt.descriptor_reduce max, %d[%o, %o], %x : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
      tt.return
    }`;
    expect(refusal("triton-rewrite-tensor-descriptor-to-pointer", input)).toContain(
      "Cannot fallback on descriptor atomic op, unsupported for type f32",
    );
  });
  test("tensor pointers in other control flow, or of unknown origin", () => {
    const loop = `tt.func @f(%p: !tt.ptr<f32>, %m: i64, %o: i32, %c: i1) {
      %0 = tt.make_tensor_ptr %p, [%m], [%m], [%o] {order = array<i32: 0>} : <tensor<8xf32>>
      %1 = scf.while (%a = %0) : (!tt.ptr<tensor<8xf32>>) -> !tt.ptr<tensor<8xf32>> {
        scf.condition(%c) %a : !tt.ptr<tensor<8xf32>>
      } do {
      ^bb0(%a: !tt.ptr<tensor<8xf32>>):
        scf.yield %a : !tt.ptr<tensor<8xf32>>
      }
      tt.return
    }`;
    expect(refusal("triton-rewrite-tensor-pointer", loop)).toContain("tensor pointers are supported inside scf.for and scf.if only");
    const argument = `tt.func @f(%p: !tt.ptr<tensor<8xf32>>) {
      %0 = tt.load %p : !tt.ptr<tensor<8xf32>>
      tt.return
    }`;
    expect(refusal("triton-rewrite-tensor-pointer", argument)).toContain("cannot find the tt.make_tensor_ptr");
  });
  test("a load with padding that checks no boundary", () => {
    const load = `tt.func @f(%p: !tt.ptr<f32>, %m: i64, %o: i32) {
      %0 = tt.make_tensor_ptr %p, [%m], [%m], [%o] {order = array<i32: 0>} : <tensor<8xf32>>
      %1 = tt.load %0 {padding = 1 : i32} : !tt.ptr<tensor<8xf32>>
      tt.return
    }`;
    expect(refusal("triton-rewrite-tensor-pointer", load)).toContain("padding needs a mask, and without boundary_check there is none");
  });
});

/** Two tensors that grow together, each from a tree of sums that doubles at every level. */
test("equal values are found in linear time however deep they lie, though paths to them are exponential", () => {
  const levels = Array.from(
    { length: 3000 },
    (_, i) => `%a${i + 1} = arith.addi %a${i}, %a${i} : i32\n%b${i + 1} = arith.addi %b${i}, %b${i} : i32`,
  );
  const input = `tt.func @f(%x: i32, %n: i32, %s: i32) -> (i32, i32) {
    %r:2 = scf.for %i = %x to %n step %s iter_args(%a0 = %x, %b0 = %x) -> (i32, i32) : i32 {
      ${levels.join("\n")}
      scf.yield %a3000, %b3000 : i32, i32
    }
    tt.return %r#0, %r#1 : i32, i32
  }`;
  expect(passed("triton-loop-aware-cse", input).match(/arith.addi/g)).toHaveLength(3000);
});
