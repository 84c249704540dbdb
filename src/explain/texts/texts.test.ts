/** Everything that the tool prints has its explanation: a new pass without its text fails here. */
import { expect, test } from "vitest";
import { PASSES } from "../../passes/index.js";
import { explainedNames, nameText, passText } from "./index.js";
import { PASS_EXAMPLES } from "./pass-examples.fixture.js";
import EXAMPLES from "./pass-examples.json" with { type: "json" };
import { PASS_TEXTS } from "./passes/index.js";

const SHOWN = [...PASSES.values()].filter((pass) => !pass.testOnly).map((pass) => pass.flag);

test("every pass has a text (explain/texts/passes) and an example (pass-examples.fixture.ts), and no text is of none", () => {
  expect(Object.keys(PASS_TEXTS).sort()).toEqual([...SHOWN].sort());
  expect(Object.keys(PASS_EXAMPLES).sort()).toEqual([...SHOWN].sort());
});

test("an example shows 3 to 8 lines before and after, which differ", () => {
  // No index dialect is left to convert: the pass has nothing to do.
  const { "convert-index-to-llvm": _, ...others } = EXAMPLES;
  for (const [flag, { before, after }] of Object.entries<{ before: string[]; after: string[] }>(others)) {
    expect(before, flag).not.toEqual(after);
    for (const lines of [before, after]) {
      const shown = lines.filter((line) => line.trim() !== "...").length;
      expect(shown >= 3 && shown <= 8, `${flag}: ${shown} lines`).toBe(true);
    }
  }
});

test("a pass is found by its flag, its class upstream, and the end of its flag", () => {
  const { title, lines } = passText("tritongpu-coalesce")!;
  expect(title).toBe("tritongpu-coalesce (TritonGPUCoalesce): coalesce memory accesses");
  expect(lines).toContain("  sm_80, sm_90, sm_100: ttgir, after convert-triton-to-tritongpu, before tritongpu-F32DotTC");
  expect(lines).toContain("Upstream: lib/Dialect/TritonGPU/Transforms/Coalesce.cpp, CoalesceUtils.cpp");
  expect(passText("TritonGPUCoalesce")).toEqual(passText("coalesce"));
  expect(passText("no-such-pass")).toBeUndefined();
});

test("every name of the list has an explanation", () => {
  for (const name of Object.values(explainedNames()).flat()) expect(nameText(name)?.lines.length, name).toBeGreaterThan(0);
});
