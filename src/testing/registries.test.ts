import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pipelineOf } from "../compile/compile.js";
import { defaultOptions } from "../compile/options.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { TRITON_DIALECTS } from "../dialects/triton.js";
import { dialectsFor, TTIR_DIALECTS } from "../dialects/ttir.js";
import { PASSES } from "../passes/index.js";
import { TTGIR_PASSES } from "../passes/ttgir.js";
import { TTIR_PASSES } from "../passes/ttir.js";
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

test("a text that names a dialect has it", async () => {
  expect(await dialectsFor('%0 = tt.load %p : tensor<4x!tt.ptr<f32>> loc("kernel.py":1:2)', false)).toBe(TTIR_DIALECTS);
  expect(await dialectsFor("%0 = tt.load %p : tensor<4x!tt.ptr<f32>>", true)).toBe(TRITON_DIALECTS);
  expect(await dialectsFor("%0 = tt.load %p : tensor<4x!tt.ptr<f32>, #ttg.blocked<{}>>", false)).toBe(TRITON_DIALECTS);
  for (const { name } of ALL_DIALECTS)
    expect(await dialectsFor(`module {\n  ${name}.op %0`, false), name).toContainEqual(expect.objectContaining({ name }));
  expect(await dialectsFor("func @old() {}", false)).toBe(ALL_DIALECTS);
});
test("the passes of a stage are found without those of later ones", () => {
  for (const capability of [75, 80, 90, 100])
    for (const { stage, flag } of pipelineOf({ capability, options: defaultOptions(capability) }))
      expect((stage === "ttir" ? TTIR_PASSES : stage === "ttgir" ? TTGIR_PASSES : PASSES).has(flag), flag).toBe(true);
});
