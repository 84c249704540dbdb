import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { verifyOperation } from "../ir/verify.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";

/** IR that real Triton 3.6 printed after its passes: together the files hold every op and attribute kind that occurs in 100 compilations. */
const folder = "fixtures/snapshots";

function read(file: string): { readonly text: string; readonly print: (options?: object) => string } {
  const text = readFileSync(`${folder}/${file}`, "latin1");
  const ctx = new Context(ALL_DIALECTS);
  const parsed = parseModule(ctx, file, text);
  const ok = parsed !== undefined && verifyOperation(parsed.module);
  expect(ctx.diagnostics.map((d) => `${d.position?.line}: ${d.message}`)).toEqual([]);
  expect(ok).toBe(true);
  const debug = file.endsWith("ir") && !file.endsWith(".mlir");
  return { text, print: (options = {}) => printOperation(parsed!.module, { debugInfo: debug, nameLocAsPrefix: debug, ...options }) };
}

describe("what real Triton printed is printed again, byte for byte", () => {
  for (const file of readdirSync(folder).sort())
    test(file, () => {
      const { text, print } = read(file);
      // Triton's text files of locations end with one newline less.
      expect(print().trimEnd()).toBe(text.trimEnd());
    });
});

test("the generic form reads back as the same IR", () => {
  for (const file of readdirSync(folder)
    .filter((f) => f.endsWith(".mlir"))
    .sort()) {
    const { text, print } = read(file);
    const ctx = new Context(ALL_DIALECTS);
    const parsed = parseModule(ctx, "generic.mlir", print({ generic: true }));
    expect(ctx.diagnostics.map((d) => `${file}:${d.position?.line}: ${d.message}`)).toEqual([]);
    expect(printOperation(parsed!.module).trimEnd()).toBe(text.trimEnd());
  }
});
