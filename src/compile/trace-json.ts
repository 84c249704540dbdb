import type { Step, Trace } from "./trace.js";

/** The Trace as JSON: lines in one table, steps with numbers of lines and ids of ops. */
export function traceJson(trace: Trace): string {
  const lines: string[] = [];
  for (let i = 0; i < trace.lines.size; i++) lines.push(trace.lines.line(i));
  const step = ({ text, rewrites, origins, ...rest }: Step) => ({
    ...rest,
    rewrites: [...rewrites],
    origins: [...origins],
    lines: [...text.lines],
    ops: [...text.ops],
    hashes: [...text.hashes],
  });
  const { source, target, options, diagnostics, warnings } = trace;
  return `${JSON.stringify({ format: 1, source, target, options, diagnostics, warnings, lines, steps: trace.steps.map(step) })}\n`;
}
