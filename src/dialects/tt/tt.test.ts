import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Context } from "../../ir/context.js";
import { memoryEffects, wouldOpBeTriviallyDead } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import { verifyOperation } from "../../ir/verify.js";
import { runPipeline } from "../../pass/pass-manager.js";
import { canonicalizationPatterns } from "../../passes/common/canonicalize.js";
import { inline } from "../../passes/common/inline.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { parseModule } from "../../syntax/parse.js";
import { type PrintOptions, printOperation } from "../../syntax/print.js";
import { goldenParts, rewritten } from "../../testing/golden-parts.js";
import { ALL_DIALECTS } from "../index.js";
import { isHostSideDescriptor } from "./kernel.js";
import { getMakeTensorPtrOp } from "./make-tensor-ptr-of.js";
import { singleCombiner } from "./ops/reduce.js";

const read = (name: string) => readFileSync(`fixtures/tt/${name}.mlir`, "latin1");
function parse(text: string): Operation {
  const ctx = new Context(ALL_DIALECTS);
  const module = parseModule(ctx, "test.mlir", text)?.module;
  if (!module || !verifyOperation(module)) throw new Error(ctx.diagnostics.map((d) => d.message).join("\n"));
  return module;
}
const print = (text: string, options?: PrintOptions) => printOperation(parse(text), options);

describe("text as real Triton prints it", () => {
  const ops = read("ops");
  test("every op", () => expect(print(ops)).toBe(ops));
  test("every op by way of the generic form", () => expect(print(print(ops, { generic: true }))).toBe(ops));
  test.each(
    read("locations")
      .split("// -----\n")
      .map((text, i) => [i, text] as const),
  )("locations and names from them, kernel %i", (_, text) => expect(print(text, { debugInfo: true, nameLocAsPrefix: true })).toBe(text));
  test("names are no part of text without locations", () => {
    const text = print(read("locations").split("// -----\n")[0]!);
    expect(text).not.toContain("loc(");
    expect(text).toContain("scf.while (%arg3 = ");
  });
});

/** Each part ends with a comment: where real Triton reports its first error, and what it says. */
describe("errors are real Triton's", () => {
  const parts = read("invalid").split("// -----\n");
  test.each(parts.map((part, i) => [i, part] as const))("part %i", (_, part) => {
    const [text, expected] = part.split(/\n\/\/ (?=\d+:\d+ [^\n]*\n$)/) as [string, string];
    const ctx = new Context(ALL_DIALECTS);
    const module = parseModule(ctx, "invalid.mlir", text)?.module;
    if (module) verifyOperation(module);
    const [first] = ctx.diagnostics;
    expect(`${first?.position?.line}:${first?.position?.column} ${first?.message}`).toBe(expected.replace(/\n$/, ""));
  });
});

const canonicalized = (module: Operation) =>
  void applyPatternsGreedily(module, canonicalizationPatterns(module.ctx).set, { topDown: true, regionSimplification: "normal" });
describe("folds and patterns as real Triton's", () => {
  for (const part of goldenParts("fixtures/tt/canonicalize.mlir"))
    test(part.name, () => expect(rewritten(part.input, canonicalized)).toBe(part.output));
});

const inlined = (module: Operation) => void runPipeline(module, [inline()]);
describe("calls are inlined as real Triton does", () => {
  for (const part of goldenParts("fixtures/tt/inline.mlir"))
    test(part.name, () => expect(rewritten(part.input, inlined)).toBe(part.output));
});

describe("what generic code asks", () => {
  const find = (text: string, name: string): Operation => {
    let found: Operation | undefined;
    parse(text).walk((op) => {
      if (op.name === name) found ??= op;
    });
    return found!;
  };
  const inFunc = (body: string, args = "%p: tensor<4x!tt.ptr<f32>>, %x: tensor<4xf32>") => `tt.func @f(${args}) {\n${body}\ntt.return }`;

  test("a volatile load is not dead, another is", () => {
    const load = (attrs: string) => find(inFunc(`%0 = tt.load %p ${attrs} : tensor<4x!tt.ptr<f32>>`), "tt.load");
    expect(wouldOpBeTriviallyDead(load(""))).toBe(true);
    expect(wouldOpBeTriviallyDead(load("{isVolatile = true}"))).toBe(false);
    expect(memoryEffects(load(""))).toMatchObject([{ kind: "read", resource: "GlobalMemory" }]);
  });
  test("assembly that is not pure may do anything", () => {
    const asm = (pure: boolean) =>
      find(
        inFunc(
          `%0 = tt.elementwise_inline_asm "" {constraints = "", pure = ${pure}, packed_element = 1 : i32} %x : tensor<4xf32> -> tensor<4xf32>`,
        ),
        "tt.elementwise_inline_asm",
      );
    expect(memoryEffects(asm(true))).toEqual([]);
    expect(memoryEffects(asm(false))?.map((e) => e.kind)).toEqual(["write", "read"]);
  });
  test("the single combiner of a reduction", () => {
    const reduce = (body: string) =>
      find(
        inFunc(`%0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({\n^bb0(%a: f32, %b: f32):\n${body}\n}) : (tensor<4xf32>) -> f32`),
        "tt.reduce",
      );
    const add = "%1 = arith.addf %a, %b : f32\ntt.reduce.return %1 : f32";
    expect(singleCombiner(reduce(add))?.name).toBe("arith.addf");
    expect(singleCombiner(reduce(add.replace("%a, %b", "%b, %a")))).toBeUndefined();
    expect(singleCombiner(reduce("tt.reduce.return %a : f32"))).toBeUndefined();
  });
  test("where a tensor pointer was made", () => {
    const func = (body: string) =>
      parse(`tt.func @f(%p: !tt.ptr<f32>, %other: !tt.ptr<tensor<4xf32>>, %n: i32, %c: i1, %l: i64) {
        %made = tt.make_tensor_ptr %p, [%l], [%l], [%n] {order = array<i32: 0>, mark} : <tensor<4xf32>>
        ${body}
      }`);
    const origin = (body: string) => {
      let load: Operation | undefined;
      func(body).walk((op) => {
        if (op.name === "tt.load") load ??= op;
      });
      return getMakeTensorPtrOp(load!.operand(0))?.op.hasAttr("mark") ?? false;
    };
    const load = (name: string) => `%v = tt.load ${name} : !tt.ptr<tensor<4xf32>>`;
    expect(origin(`${load("%made")} tt.return`)).toBe(true);
    expect(origin(`${load("%other")} tt.return`)).toBe(false);
    expect(
      origin(`%r = scf.for %i = %n to %n step %n iter_args(%q = %made) -> (!tt.ptr<tensor<4xf32>>) : i32 {
        ${load("%q")}
        %next = tt.advance %q, [%n] : <tensor<4xf32>>
        scf.yield %next : !tt.ptr<tensor<4xf32>>
      } tt.return`),
    ).toBe(true);
    expect(
      origin(`%r = scf.if %c -> (!tt.ptr<tensor<4xf32>>) { scf.yield %made : !tt.ptr<tensor<4xf32>> } else { scf.yield %other : !tt.ptr<tensor<4xf32>> }
      ${load("%r")} tt.return`),
    ).toBe(true);
    expect(
      origin(`cf.cond_br %c, ^bb1(%made : !tt.ptr<tensor<4xf32>>), ^bb2
      ^bb1(%q: !tt.ptr<tensor<4xf32>>):
        ${load("%q")} tt.return
      ^bb2: tt.return`),
    ).toBe(true);
  });
  test("descriptors that the host made", () => {
    const argument = (visibility: string) =>
      parse(`tt.func ${visibility} @f(%d: !tt.tensordesc<tensor<4xf32>>) { tt.return }`).regions[0]!.firstBlock!.firstOp!.regions[0]!
        .firstBlock!.args[0]!;
    expect(isHostSideDescriptor(argument("public"))).toBe(true);
    expect(isHostSideDescriptor(argument("private"))).toBe(false);
  });
});
