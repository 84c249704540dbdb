/** `--diff` and `--against`: differences as text. */
import { countsText, sideBySide, unified } from "../diff/hunks.js";
import { stepDiff } from "../diff/step-diff.js";
import type { Step, Trace } from "../trace/trace.js";
import type { Io } from "./io.js";
import type { TtStepArgs } from "./tt-step-args.js";

/** A diff of two steps with its header. */
export function diffText(trace: Trace, a: Step, b: Step, args: TtStepArgs, io: Io): string {
  const { lines, before, after, alignment } = stepDiff(trace, a, b);
  const text = { lines, before, after };
  const name = (step: Step) => `${step.label} ${step.flag}`;
  const width = Number(io.env["COLUMNS"]) || 160;
  const colour = usesColour(args, io);
  const body = args.diffMode === "side-by-side" ? sideBySide(text, alignment.rows, width, colour) : unified(text, alignment.rows, colour);
  return `--- ${name(a)}\n+++ ${name(b)}: ${countsText(alignment)}\n${body}`;
}

export function usesColour(args: TtStepArgs, io: Io): boolean {
  if (args.color !== "auto") return args.color === "always";
  return io.isTerminal === true && !io.env["NO_COLOR"] && io.env["TERM"] !== "dumb" && args.output === "-";
}
