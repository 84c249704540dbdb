import fc from "fast-check";
import { expect, test } from "vitest";
import { longestIncreasing } from "./longest-increasing.js";

/** The length by the textbook's quadratic recurrence. */
function lengthOf(values: readonly number[]): number {
  const best = values.map(() => 0);
  values.forEach((v, i) => {
    if (v >= 0) best[i] = 1 + Math.max(0, ...values.slice(0, i).map((u, j) => (u >= 0 && u < v ? best[j]! : 0)));
  });
  return Math.max(0, ...best);
}

test("the marked entries ascend, and no longer run does", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1, max: 30 }), { maxLength: 30 }), (values) => {
      const marks = longestIncreasing(Int32Array.from(values));
      const run = values.filter((_, i) => marks[i] === 1);
      expect(run.every((v, i) => v >= 0 && (i === 0 || run[i - 1]! < v))).toBe(true);
      expect(run.length).toBe(lengthOf(values));
    }),
    { seed: 7 },
  );
});
