/** The kernels of a Trace: a log may hold several compilations, one behind the other. */
import type { Step, Trace } from "../compile/trace.js";
import type { Kernel } from "./state/state.js";

const ORDER = ["ttir", "ttgir", "llir", "ptx"];

/** One entry for each compilation; none where there is only one. */
export function findKernels(trace: Trace): readonly Kernel[] {
  const starts: number[] = [0];
  let reached = 0;
  for (const step of trace.steps) {
    const at = ORDER.indexOf(step.stage);
    if (step.index > 0 && (step.kind === "source" || at < reached)) {
      starts.push(step.index);
      reached = at;
    } else reached = Math.max(reached, at);
  }
  if (starts.length < 2) return [];
  return starts.map((first, i) => ({ name: nameOf(trace, trace.steps[first]!), first, last: (starts[i + 1] ?? trace.steps.length) - 1 }));
}

function nameOf(trace: Trace, step: Step): string {
  for (const line of step.text.lines) {
    const name = /\b(?:tt\.func|func|llvm\.func)\s+public\s+@"?([\w.$]+)/.exec(trace.lines.line(line));
    if (name) return name[1]!;
  }
  return step.symbol ?? `kernel at ${step.label}`;
}
