/** The diff's counts against counts from the IR: from the texts, which know of no ids, and from the ids and where ops came from. */
import { expect, test } from "vitest";
import { stepBefore, stepDiff, stepOpChanges } from "../diff/step-diff.js";
import type { StepText } from "../trace/line-table.js";
import type { Step } from "../trace/trace.js";
import { dumpTrace, kernelSession } from "../tui/session.fixture.js";

const kernel = (name: string) => () => kernelSession(`fixtures/kernels/${name}.ttir`).trace;
const traces = [
  ...["vecadd", "softmax", "layernorm", "matmul", "flash_attention"].map((name) => [name, kernel(name)] as const),
  ...["fixtures/tui/softmax.log", "fixtures/dumps/2.0.0-vecadd.log"].map((path) => [path, () => dumpTrace(path)] as const),
];

test.each(traces)("%s: ops added and removed are those that the IR has more and less", (_, make) => {
  const trace = make();
  let compared = 0;
  for (const step of trace.steps) {
    // PTX has no ops of the IR.
    const previous = step.changed && step.stage !== "ptx" ? stepBefore(trace, step) : undefined;
    if (!previous) continue;
    const { before, after, alignment } = stepDiff(trace, previous, step);
    // The added and removed ops that are shown.
    const shown = { added: 0, removed: 0 };
    for (const { kind, left, right } of alignment.rows) {
      if (kind === "added" && after.ops[right] !== 0) shown.added++;
      if (kind === "removed" && before.ops[left] !== 0) shown.removed++;
    }
    const lines = (text: StepText) => [...text.lines].filter((line) => beginsOp(trace.lines.line(line))).length;
    expect(shown.added - shown.removed, step.label).toBe(lines(after) - lines(before));
    const between = trace.steps.filter((s) => (s.index > previous.index && s.index <= step.index) || s.parent === step.index);
    expect(shown, step.label).toEqual(countedByOrigin(before, after, between));
    expect(stepOpChanges(trace, previous, step), step.label).toEqual(shown);
    compared++;
  }
  expect(compared).toBeGreaterThan(4);
});

/** Whether an op begins on a line: neither a brace, a label, a definition of an alias nor a comment does. */
function beginsOp(line: string): boolean {
  const text = line.trim();
  return text !== "" && !/^(?:[}^{#!]|\/\/)/.test(text);
}

/** New ops less those that stand for one that went, and ops that went less those. */
function countedByOrigin(before: StepText, after: StepText, between: readonly Step[]): { added: number; removed: number } {
  const parents = new Map<number, number[]>();
  for (const { origins } of between)
    for (let i = 0; i < origins.length; i += 2) parents.set(origins[i]!, [...(parents.get(origins[i]!) ?? []), origins[i + 1]!]);
  const there = new Set([...after.ops]);
  const gone = new Set([...before.ops].filter((op) => op !== 0 && !there.has(op)));
  const old = new Set(before.ops);
  let added = 0;
  for (const op of after.ops) {
    if (op === 0 || old.has(op)) continue;
    const queue = [...(parents.get(op) ?? [])];
    for (let i = 0; i < queue.length && i < 16; i++) if (!old.has(queue[i]!)) queue.push(...(parents.get(queue[i]!) ?? []));
    const standsFor = queue.slice(0, 16).find((origin) => gone.has(origin));
    if (standsFor === undefined) added++;
    else gone.delete(standsFor);
  }
  return { added, removed: gone.size };
}
