/** After an edit, the passes before it, identities and places in the source remain. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { linesOfOps, locationOf } from "../explain/provenance.js";
import { compile } from "../library/compile.js";
import { readSource } from "../library/sources.js";
import { findStep, type Trace } from "../trace/trace.js";
import { continuing, withPlaces } from "./continued-trace.js";

function compiled(name: string, text: string, startAfter?: string): Trace {
  const source = readSource({ name, text });
  if (source.kind !== "module") throw new Error("no IR");
  const made = compile(source, { target: "cuda:80", from: "ttir", ...(startAfter === undefined ? {} : { startAfter }) });
  if (made.kind === "error") throw new Error(made.message);
  return made.trace;
}

test("an edit is a step after the passes before it; ops that stay keep their ids and lines of Python", () => {
  const path = "fixtures/kernels/vecadd.ttir";
  const earlier = compiled(path, readFileSync(path, "latin1"));
  const last = findStep(earlier, "tritongpu-coalesce")!;
  const text = earlier.lines.textOf(last.text).replace("arith.addf", "arith.mulf");
  const placed = withPlaces(earlier, last, text);
  expect(placed).toMatch(/tt\.load .* loc\("[^"]*vecadd\.py":\d+:\d+\)\n/);
  const whole = continuing(earlier, last)(compiled("edited", placed, last.label));
  const edit = whole.steps.find(({ label }) => label === `${last.label}e`)!;
  const lineOf = (step: typeof edit, op: string) =>
    [...linesOfOps(step.text)].find(([, at]) => whole.lines.line(step.text.lines[at]!).includes(op))!;

  expect(whole.steps.slice(0, edit.index)).toEqual(earlier.steps.slice(0, edit.index));
  expect(whole.steps.map(({ index }) => index)).toEqual(whole.steps.map((_, i) => i));
  expect(new Set(whole.steps.map(({ label }) => label)).size).toBe(whole.steps.length);
  expect(findStep(whole, "canonicalize#3")!.index).toBeGreaterThan(edit.index);
  expect(lineOf(edit, "tt.load")[0]).toBe(lineOf(last, "tt.load")[0]);
  // The op that was changed is another one, made from the one before.
  expect(lineOf(edit, "arith.mulf")[0]).not.toBe(0);
  for (const step of [edit, whole.steps.findLast(({ stage }) => stage === "ttgir")!])
    for (const op of ["tt.load", "arith.mulf", "tt.store"])
      expect(locationOf(whole, lineOf(step, op)[0]), `${op} after ${step.flag}`).toMatchObject({
        file: expect.stringContaining("vecadd.py"),
      });
  expect(whole.artifacts.ptx).toMatch(/\.file\s+\d+ "[^"]*vecadd\.py"/);
});
