/** Targets of all platforms: options follow from one to another. */
import { expect, test } from "vitest";
import { checkOptions, defaultOptions, retargeted, TARGETS } from "./targets.js";

test("with another target, defaults become that target's, and values that were chosen stay", () => {
  const chosen = { ...defaultOptions("cuda:80"), numWarps: 8 };
  expect(retargeted(chosen, "cuda:80", "cuda:90")).toEqual({ ...defaultOptions("cuda:90"), numWarps: 8 });
  expect(retargeted(chosen, "cuda:80", "hip:gfx942")).toMatchObject({ numWarps: 8, numStages: 2, defaultDotInputPrecision: "ieee" });
  for (const from of TARGETS)
    for (const to of TARGETS) {
      const there = retargeted(defaultOptions(from), from, to);
      expect(there).toEqual(defaultOptions(to));
      expect(checkOptions(there, to)).toBeUndefined();
    }
});

test("a target that is not known is a reason, not an exception", () => {
  for (const target of ["cuda:1x", "__proto__", ""]) expect(checkOptions(defaultOptions(target), target)).toMatch(/^unknown target/);
});
