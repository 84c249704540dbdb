import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Random } from "../fuzz/random.js";
import { Context } from "../ir/context.js";
import { verifyOperation } from "../ir/verify.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";
import { makePool, randomOp } from "./arbitraries.js";

const SAMPLES = 6;

/** Reads a printed module into a fresh Context and prints it again. */
function reprint(text: string, generic: boolean): string {
  const ctx = new Context(ALL_DIALECTS);
  ctx.allowUnregisteredDialects = true;
  const parsed = parseModule(ctx, "printed.mlir", text);
  if (!parsed || !verifyOperation(parsed.module)) throw new Error(`${ctx.diagnostics[0]?.message}\n${text}`);
  return printOperation(parsed.module, { generic });
}

/** Ops without regions that random operands, attributes and results seldom or never satisfy. */
const made = new Map<string, number>();

describe("random ops made from the records read back as printed", () => {
  for (const dialect of ALL_DIALECTS)
    test(dialect.name, () => {
      const ctx = new Context(ALL_DIALECTS);
      ctx.allowUnregisteredDialects = true;
      const pool = makePool(ctx);
      const random = new Random(0xc0ffee);
      const below = (n: number): number => random.below(n);
      for (const def of dialect.ops)
        for (let i = 0; i < SAMPLES; i++) {
          const module = randomOp(ctx, def, pool, below);
          if (!module) continue;
          made.set(def.name, (made.get(def.name) ?? 0) + 1);
          const custom = printOperation(module);
          expect(reprint(custom, false)).toBe(custom);
          const generic = printOperation(module, { generic: true });
          expect(reprint(generic, true)).toBe(generic);
        }
    });

  test("most kinds of op are reached", () => {
    const kinds = ALL_DIALECTS.flatMap((d) => d.ops).filter((d) => d.regions.length === 0 && d.successors.length === 0);
    expect(made.size / kinds.length).toBeGreaterThan(0.6);
  });
});
