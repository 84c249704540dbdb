/** The kernels of a Trace: a log may hold several compilations, one after the other, and a module several functions. */

import type { Lines } from "../diff/step-side.js";
import { publicFunction } from "../explain/headline.js";
import { memo } from "../support/memo.js";
import type { StepText } from "../trace/line-table.js";
import { STAGES } from "../trace/stage.js";
import type { Step, Trace } from "../trace/trace.js";
import type { Kernel } from "./state/state.js";

/** One entry for each compilation, or for each public function where there is only one; none where there is one of both. */
export function findKernels(trace: Trace): readonly Kernel[] {
  const starts: number[] = [0];
  let reached = 0;
  for (const step of trace.steps) {
    const at = STAGES.indexOf(step.stage);
    if (step.index > 0 && (step.kind === "source" || at < reached)) {
      starts.push(step.index);
      reached = at;
    } else reached = Math.max(reached, at);
  }
  if (starts.length < 2) return functionsOf(trace);
  return starts.map((first, i) => ({ name: nameOf(trace, trace.steps[first]!), first, last: (starts[i + 1] ?? trace.steps.length) - 1 }));
}

function functionsOf(trace: Trace): readonly Kernel[] {
  const [first] = trace.steps;
  if (!first) return [];
  const last = trace.steps.length - 1;
  const names = [...first.text.lines].flatMap((line) => publicFunction(trace.lines.line(line)) ?? []);
  return names.length < 2 ? [] : names.map((name) => ({ name, symbol: name, first: 0, last }));
}

function nameOf(trace: Trace, step: Step): string {
  for (const line of step.text.lines) {
    const name = publicFunction(trace.lines.line(line));
    if (name !== undefined) return name;
  }
  return step.symbol ?? `kernel at ${step.label}`;
}
/** Lines of a function in a step: first, and the one after its closing brace; undefined where it is not there. */
export const functionLines = memo((lines: Lines, text: StepText, symbol: string): readonly [number, number] | undefined => {
  const begins = new RegExp(`^(\\s*)(?:[\\w.]+\\.)?func\\b.*@"?${symbol.replace(/[$.]/g, "\\$&")}"?\\(`);
  for (let at = 0; at < text.lines.length; at++) {
    const line = lines.line(text.lines[at]!);
    if (!line.includes("func")) continue;
    const found = begins.exec(line);
    if (!found) continue;
    const close = `${found[1]!}}`;
    let end = at + 1;
    while (end < text.lines.length && !lines.line(text.lines[end]!).startsWith(close)) end++;
    return [at, Math.min(end + 1, text.lines.length)];
  }
  return undefined;
}, 64);

/** A function's part of a step's text; nothing where it is not there. */
export function functionPart(lines: Lines, text: StepText, symbol: string): StepText {
  const [from, to] = functionLines(lines, text, symbol) ?? [0, 0];
  return { lines: text.lines.slice(from, to), ops: text.ops.slice(from, to), hashes: text.hashes.slice(from, to) };
}
