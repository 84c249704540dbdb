import { expect, test } from "vitest";
import { unknownTriton } from "./triton-version.js";

test.each([
  ["3.10", "3.8"],
  ["v3.7.2", "3.7"],
  ["2.1.0", "3.6"],
  ["4.0", "3.8"],
])("Triton %s is not compiled, the nearest is %s", (name, nearest) => {
  expect(unknownTriton(name)).toContain(`Triton ${name} is not compiled (the nearest is ${nearest}): 3.6 is followed whole`);
});
test("a name without a number has no nearest version", () => {
  expect(unknownTriton("new")).toMatch(/^Triton new is not compiled: /);
});
