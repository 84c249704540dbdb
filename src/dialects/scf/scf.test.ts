import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Context } from "../../ir/context.js";
import type { Operation } from "../../ir/operation.js";
import { verifyOperation } from "../../ir/verify.js";
import { canonicalizationPatterns } from "../../passes/common/canonicalize.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { tritonCalled } from "../../support/triton-version.js";
import { parseModule } from "../../syntax/parse.js";
import { printOperation } from "../../syntax/print.js";
import { goldenParts, rewritten } from "../../testing/golden-parts.js";
import { ALL_DIALECTS } from "../index.js";

const canonicalized = (module: Operation) =>
  void applyPatternsGreedily(module, canonicalizationPatterns(module.ctx).set, { topDown: true, regionSimplification: "normal" });

describe.each([
  "scf/canonicalize-if",
  "scf/canonicalize-for",
  "scf/trip-count",
  "scf/trip-count-distance",
  "scf/trip-count-step",
  "scf/canonicalize-while",
  "scf/canonicalize-parallel",
  "cf/canonicalize",
])("%s as real Triton", (name) => {
  for (const part of goldenParts(`fixtures/${name}.mlir`))
    test(part.name, () => expect(rewritten(part.input, canonicalized)).toBe(part.output));
});

describe.each([
  ["canonicalize-since-3-7", "3.7"],
  ["canonicalize-since-3-7", "3.8"],
  ["trip-count-in-3-7", "3.7"],
  ["trip-count-since-3-8", "3.8"],
])("scf/%s as real Triton %s", (name, version) => {
  for (const part of goldenParts(`fixtures/scf/${name}.mlir`))
    test(part.name, () => expect(rewritten(part.input, canonicalized, tritonCalled(version))).toBe(part.output));
});

describe.each(["scf", "gpu"])("%s ops", (dialect) => {
  const text = readFileSync(`fixtures/${dialect}/ops.mlir`, "latin1");
  const print = (source: string, generic: boolean): string => {
    const ctx = new Context(ALL_DIALECTS);
    ctx.allowUnregisteredDialects = true;
    const module = parseModule(ctx, "ops.mlir", source)!.module;
    expect(verifyOperation(module), JSON.stringify(ctx.diagnostics)).toBe(true);
    return printOperation(module, { generic });
  };
  test("print as upstream prints them", () => expect(print(text, false)).toBe(text));
  test("go through the generic form", () => expect(print(print(text, true), false)).toBe(text));
});
