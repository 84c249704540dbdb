import { expect, test } from "vitest";
import { ratedFacts } from "../../../explain/codegen/explain-facts.js";
import { textOf } from "../../draw/style.js";
import { kernelSession } from "../../session.fixture.js";
import { memoryItems } from "./memory.js";

test("rows fit with the mark of the cursor's op, so that the line is whole", () => {
  const facts = ratedFacts(kernelSession("fixtures/kernels/vecadd_any_n.ttir").trace);
  const family = new Set(facts.flatMap(({ op }) => op ?? []));
  for (const width of [46, 51, 72, 80, 120]) {
    const rows = memoryItems(facts, family, width).map(({ row }) => textOf(row));
    expect(rows.some((text) => / 11.* <$/.test(text))).toBe(true);
    expect(Math.max(...rows.map((text) => text.length))).toBeLessThanOrEqual(width);
  }
});
