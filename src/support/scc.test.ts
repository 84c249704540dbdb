import { expect, test } from "vitest";
import { stronglyConnectedComponents } from "./scc.js";

const graph: Record<string, readonly string[]> = { a: ["b", "e"], b: ["c"], c: ["b", "d"], d: [], e: ["d", "e"], f: ["a"] };
test("components come after those they lead to; what cannot be reached is left out", () => {
  expect(stronglyConnectedComponents("a", (n) => graph[n]!)).toEqual([["d"], ["c", "b"], ["e"], ["a"]]);
});
test("a chain of a hundred thousand nodes needs no deep stack", () => {
  expect(stronglyConnectedComponents(0, (n) => (n < 100_000 ? [n + 1] : []))).toHaveLength(100_001);
});
