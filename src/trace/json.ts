import type { Step, Trace } from "./trace.js";

/** The Trace as JSON: lines in one table, steps with numbers of lines and ids of ops. */
export function traceJson(trace: Trace): string {
  const { lines, indexOf } = trace.lines.all();
  const step = ({ text, rewrites, origins, ...rest }: Step) => ({
    ...rest,
    rewrites: [...rewrites],
    origins: [...origins],
    lines: Array.from(text.lines, indexOf),
    ops: [...text.ops],
    hashes: [...text.hashes],
  });
  const { source, target, options, diagnostics, warnings, artifacts } = trace;
  return `${JSON.stringify({ format: 1, source, target, options, diagnostics, warnings, artifacts, lines, steps: trace.steps.map(step) })}\n`;
}
