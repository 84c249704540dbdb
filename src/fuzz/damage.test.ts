import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { verifyOperation } from "../ir/verify.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";
import { MUTATIONS, mutant } from "./mutate.js";
import { Random } from "./random.js";

/** Small fixtures of every kind; large ones would say the same more slowly. */
const files = readdirSync("fixtures", { recursive: true, encoding: "utf8" })
  // Input with very deep nesting or very long text can be read, but the printer refuses it: `cli/hostile.test.ts`.
  .filter((f) => /\.(mlir|ttir)$/.test(f) && !/^hostile\/(?:nested-|module-text)/.test(f))
  .map((f) => `fixtures/${f}`)
  .filter((f) => readFileSync(f, "latin1").length < 8000)
  .sort();

/** Reads, verifies and prints: right, or with a diagnostic; never an exception. Returns whether it was accepted. */
function read(text: string): boolean {
  const ctx = new Context(ALL_DIALECTS);
  ctx.allowUnregisteredDialects = true;
  const parsed = parseModule(ctx, "mutant.mlir", text);
  const ok = parsed !== undefined && verifyOperation(parsed.module);
  if (ok) expect(printOperation(parsed.module).length).toBeGreaterThan(0);
  else expect(ctx.diagnostics.some((d) => d.severity === "error" && d.message !== "")).toBe(true);
  return ok;
}

describe("damaged input gives a diagnostic, never an exception", () => {
  const sample = "fixtures/kernels/vecadd.ttir";
  test("a fixture cut at every byte", () => {
    const text = readFileSync(sample, "latin1").slice(0, 3000);
    for (let end = 0; end <= text.length; end++) read(text.slice(0, end));
  });
  test.each([...MUTATIONS])("%s", (name, [, mutation]) => {
    const random = new Random(name.length * 7919 + name.charCodeAt(0));
    const texts = files.map((file) => readFileSync(file, "latin1"));
    for (const text of texts) read(mutation(text, random, random.pick(texts)));
  });

  test("generic forms, where nothing but the verifier counts operands", () => {
    const random = new Random(7);
    for (const file of files.filter((_, i) => i % 4 === 0)) {
      const ctx = new Context(ALL_DIALECTS);
      ctx.allowUnregisteredDialects = true;
      const parsed = parseModule(ctx, file, readFileSync(file, "latin1"));
      if (!parsed || !verifyOperation(parsed.module)) continue;
      const text = printOperation(parsed.module, { generic: true });
      for (let i = 0; i < 3; i++) read(mutant(text, random, text));
    }
  });

  test("nesting 100,000 deep is refused", () => {
    const depth = 100_000;
    for (const text of [
      `${'"a.b"() ({'.repeat(depth)}${"}) : () -> ()".repeat(depth)}`,
      `"a.b"() {x = ${"[".repeat(depth)}${"]".repeat(depth)}} : () -> ()`,
      `"a.b"() : () -> ${"tuple<".repeat(depth)}i32${">".repeat(depth)}`,
      `"a.b"() : () -> () ${"loc(callsite(".repeat(depth)}`,
      `#a = ${"#b.c<".repeat(depth)}`,
      `"a.b"() {x = dense<${"[".repeat(depth)}> : tensor<i32>} : () -> ()`,
    ])
      expect(read(text)).toBe(false);
  });
  test("huge numbers and lists are handled", () => {
    expect(read(`"a.b"() {x = ${"9".repeat(100_000)} : i64} : () -> ()`)).toBe(false);
    expect(read(`%0:999999999999 = "a.b"() : () -> ()`)).toBe(false);
    expect(read(`%99999999999999999999 = "a.b"() : () -> i32`)).toBe(true);
    expect(read(`"a.b"() : () -> tensor<99999999999999999999xi32>`)).toBe(false);
    expect(read(`"a.b"() {x = [${"1,".repeat(100_000)}1]} : () -> ()`)).toBe(true);
  });
});
