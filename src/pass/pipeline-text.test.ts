import { expect, test } from "vitest";
import { parsePipeline } from "./pipeline-text.js";

test("a pipeline is nested as deep as the limit says", () => {
  const nested = (depth: number) => parsePipeline(`${"builtin.module(".repeat(depth)}${")".repeat(depth)}`, () => undefined);
  expect(nested(256)).toHaveProperty("elements");
  expect(nested(257)).toEqual({ error: "limit: more than 256 levels of nesting", at: 257 * "builtin.module(".length - 1 });
  expect(nested(100_000)).toHaveProperty("error");
});
