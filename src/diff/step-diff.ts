/** The difference between two steps of a Trace. */

import { finished, type Sliced } from "../support/slices.js";
import type { StepText } from "../trace/line-table.js";
import type { Step, Trace } from "../trace/trace.js";
import { type Alignment, alignInSlices, opChanges, unchanged } from "./align.js";
import type { Lines } from "./step-side.js";

/** The IR after two steps side by side. */
export interface StepDiff {
  readonly lines: Lines;
  readonly before: StepText;
  readonly after: StepText;
  readonly alignment: Alignment;
}

/** The changes from step `a` to step `b`, in either order. */
export function stepDiff(trace: Trace, a: Step, b: Step): StepDiff {
  return finished(stepDiffInSlices(trace, a, b));
}
/** As `stepDiff`, halting every few milliseconds. */
export function* stepDiffInSlices(trace: Trace, a: Step, b: Step): Sliced<StepDiff> {
  const [before, after] = commonPart(a, b);
  return { lines: trace.lines, before, after, alignment: yield* alignInSlices(trace.lines, before, after, originsBetween(trace, a, b)) };
}
/** The IR after `b` alone, as long as the difference is not known. */
export function withoutDiff(trace: Trace, b: Step): StepDiff {
  return { lines: trace.lines, before: b.text, after: b.text, alignment: unchanged(b.text) };
}
/** How many ops were added and removed from `a` to `b`, as `stepDiff` counts them, but sooner. */
export function stepOpChanges(trace: Trace, a: Step, b: Step): { readonly added: number; readonly removed: number } {
  return opChanges(trace.lines, ...commonPart(a, b), originsBetween(trace, a, b));
}

function originsBetween(trace: Trace, a: Step, b: Step): readonly Int32Array[] {
  if (a.index > b.index) return [];
  // Steps inside `b` come after it in the list and end before it.
  return trace.steps.filter((s) => (s.index > a.index && s.index <= b.index) || s.parent === b.index).map((s) => s.origins);
}

/** The step that a step started from: the one before it at its level, or what its parent started from. */
export function stepBefore(trace: Trace, step: Step): Step | undefined {
  for (let i = step.index - 1; i >= 0; i--) {
    const s = trace.steps[i]!;
    if (s.parent === step.parent) return s;
    if (s.index === step.parent) return stepBefore(trace, s);
  }
  return undefined;
}

/** Where one of two steps shows a single function, that function of the other. */
function commonPart(a: Step, b: Step): [StepText, StepText] {
  const part = (whole: StepText, one: StepText): StepText => {
    const id = one.ops.find((op) => op !== 0);
    const from = id === undefined ? -1 : whole.ops.indexOf(id);
    if (from <= 0 || one.ops[0] === whole.ops[0]) return whole;
    const inside = new Set(one.ops);
    let to = from + 1;
    for (let line = to; line < whole.ops.length; line++) if (whole.ops[line] !== 0 && inside.has(whole.ops[line]!)) to = line + 1;
    // The function's own closing brace follows its last op.
    const end = Math.min(whole.lines.length, to + 1);
    return { lines: whole.lines.slice(from, end), ops: whole.ops.slice(from, end), hashes: whole.hashes.slice(from, end) };
  };
  if ((a.symbol === undefined) === (b.symbol === undefined)) return [a.text, b.text];
  return a.symbol === undefined ? [part(a.text, b.text), b.text] : [a.text, part(b.text, a.text)];
}
