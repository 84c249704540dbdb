/** IR of other Tritons than 3.6 is read, verifies, and comes out as it went in. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { splitInput, main as ttOpt } from "../cli/tt-opt.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { verifyOperation } from "../ir/verify.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";
import { memoryIo } from "./memory-io.js";

/** The lines that a text prints as, without the module that is put around ops that have none. */
function reprint(text: string): string[] {
  const ctx = new Context(ALL_DIALECTS);
  const parsed = parseModule(ctx, "era.mlir", text);
  const ok = parsed !== undefined && verifyOperation(parsed.module);
  expect(ctx.diagnostics.map((d) => `${d.position?.line}: ${d.message}`)).toEqual([]);
  expect(ok).toBe(true);
  const names = { nameLocAsPrefix: true };
  return linesOf(hasModule(text) ? printOperation(parsed!.module, names) : unwrapped(printOperation(parsed!.module, names)));
}
const hasModule = (text: string): boolean => /^module\b/m.test(text);
function unwrapped(text: string): string {
  const lines = text.trimEnd().split("\n");
  const top = lines.indexOf("module {");
  return [...lines.slice(0, top), ...lines.slice(top + 1, -1).map((line) => line.slice(2))].join("\n");
}
const linesOf = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("//"));
const read = (path: string): string => readFileSync(`fixtures/${path}`, "latin1");

const mlirFiles = (folder: string): string[] => readdirSync(`fixtures/${folder}`).filter((name) => name.endsWith(".mlir"));

describe("dumps of real Tritons", () => {
  for (const name of mlirFiles("eras"))
    describe(name, () => {
      for (const { text } of splitInput(read(`eras/${name}`)))
        test(text.split("\n", 1)[0]!.slice(3), () => {
          const once = reprint(text);
          // Names from the source came from locations, which are not in the fixtures: then values are renamed.
          const named = /%(?!arg\d|cst\b|cst_\d|c-?\d|true|false)[a-z]/.test(text);
          expect(named ? reprint(once.join("\n")) : once).toEqual(named ? once : linesOf(text));
        });
    });
});

/** Listings whose value names, argument names or spaces are the author's own. */
const AS_THEY_ARE = ["gemm", "before-licm", "after-licm", "after-convert-triton-to-tritongpu", "after-tritongpu-combine-ops"];

describe("listings of seeds 003 and 004", () => {
  for (const folder of ["seed003", "seed004"])
    for (const name of mlirFiles(folder))
      test(`${folder}/${name}`, async () => {
        const once = reprint(read(`${folder}/${name}`));
        expect(reprint(once.join("\n"))).toEqual(once);
        const exact = AS_THEY_ARE.includes(name.slice(0, -5)) || /tritongpu-p|(?:cat|dot|for|join|split|trans)-after/.test(name);
        if (exact) expect(once).toEqual(linesOf(read(`${folder}/${name}`)));
      });
});

/** Parses a text and prints it, in the custom or the generic syntax. */
function printed(text: string, generic: boolean): string {
  const ctx = new Context(ALL_DIALECTS);
  const parsed = parseModule(ctx, "era.mlir", text);
  const ok = parsed !== undefined && verifyOperation(parsed.module);
  expect(ctx.diagnostics.map((d) => `${d.position?.line}: ${d.message}`)).toEqual([]);
  return ok ? printOperation(parsed.module, { generic }) : "";
}

describe("generic forms of older IR are read, and and print as they are", () => {
  for (const folder of ["eras", "seed003", "seed004"])
    for (const name of mlirFiles(folder))
      test(`${folder}/${name}`, () => {
        for (const { text } of splitInput(read(`${folder}/${name}`))) {
          const generic = printed(text, true);
          expect(printed(generic, true)).toBe(generic);
          const once = printed(generic, false);
          expect(printed(once, false)).toBe(once);
        }
      });
});

test("loop-invariant code motion does to the article's listing what the article says", async () => {
  const io = memoryIo("");
  expect(await ttOpt(["--loop-invariant-code-motion", "fixtures/seed003/before-licm.mlir"], io)).toBe(0);
  const [signature, ...body] = linesOf(unwrapped(io.out()));
  const [given, ...wanted] = linesOf(read("seed003/after-licm.mlir"));
  expect(body).toEqual(wanted);
  // The article leaves out the attributes of arguments there.
  expect(signature!.replaceAll(" {tt.divisibility = 16 : i32}", "")).toBe(given);
});
