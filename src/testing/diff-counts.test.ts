/** The diff's counts against a count from the IR: ops that are there after a pass and were not before, by the ids on the lines. */
import { expect, test } from "vitest";
import { stepBefore, stepDiff } from "../diff/step-diff.js";
import { kernelSession } from "../tui/session.fixture.js";

test.each(["vecadd", "softmax", "layernorm", "matmul", "flash_attention"])("%s: added less removed is what the IR grew by", (name) => {
  const { trace } = kernelSession(`fixtures/kernels/${name}.ttir`);
  let compared = 0;
  for (const step of trace.steps) {
    const previous = step.changed ? stepBefore(trace, step) : undefined;
    if (!previous) continue;
    const { before, after, alignment } = stepDiff(trace, previous, step);
    // Counted from the rows, which are what is shown; and from the texts, which know nothing of the alignment.
    const shown = { added: 0, removed: 0 };
    for (const { kind, left, right } of alignment.rows) {
      if (kind === "added" && after.ops[right] !== 0) shown.added++;
      if (kind === "removed" && before.ops[left] !== 0) shown.removed++;
    }
    const ops = (text: typeof before) => text.ops.reduce((n, op) => n + (op === 0 ? 0 : 1), 0);
    expect(shown.added - shown.removed, step.label).toBe(ops(after) - ops(before));
    compared++;
  }
  expect(compared).toBeGreaterThan(5);
});
