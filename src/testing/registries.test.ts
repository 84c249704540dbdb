import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { PASSES } from "../passes/index.js";
import { programOf } from "../syntax/format-program.js";

const sources = (folder: string) =>
  readdirSync(`src/${folder}`, { recursive: true, encoding: "utf8" })
    .filter((f) => f.endsWith(".ts") && !f.endsWith(".test.ts"))
    .map((f) => readFileSync(`src/${folder}/${f}`, "utf8"));
const named = (texts: readonly string[], call: string) =>
  texts.flatMap((text) => [...text.matchAll(new RegExp(`\\b${call}(?:<[^(]*>)?\\(\\s*"([^"]+)"`, "g"))].map((m) => m[1]!));

test("every pass that a file defines is found by its flag", () => {
  expect(named(sources("passes"), "definePass").filter((flag) => !PASSES.has(flag))).toEqual([]);
});
test("every op that a file defines is registered", () => {
  const registered = new Set(ALL_DIALECTS.flatMap((d) => d.ops.map((op) => op.name)));
  expect(named(sources("dialects"), "defineOp").filter((name) => !registered.has(name))).toEqual([]);
});
test("every attribute and type that a file defines is registered", () => {
  const registered = new Set(ALL_DIALECTS.flatMap((d) => [...d.attrs, ...d.types].map((def) => def.name)));
  expect(
    [...named(sources("dialects"), "defineAttr"), ...named(sources("dialects"), "defineType")].filter((name) => !registered.has(name)),
  ).toEqual([]);
});
test("every assembly format compiles", () => {
  for (const dialect of ALL_DIALECTS) for (const op of dialect.ops) if (op.format !== undefined) expect(() => programOf(op)).not.toThrow();
});
test("passes say what they do", () => {
  for (const pass of PASSES.values()) {
    expect(pass.summary, pass.flag).not.toBe("");
    for (const [name, spec] of Object.entries(pass.options)) expect(spec.summary, `${pass.flag} ${name}`).not.toBe("");
  }
});
