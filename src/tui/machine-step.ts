/** The final code as steps of the list: PTX after the last pass. */
import type { LineTable, StepText } from "../trace/line-table.js";
import type { Step, Trace } from "../trace/trace.js";

/** The Trace with its PTX as a last step, where the Trace has PTX and no such step. */
export function withPtxStep(trace: Trace): Trace {
  const { ptx } = trace.artifacts;
  const last = trace.steps.at(-1);
  if (ptx === undefined || !last || trace.steps.some((step) => step.flag === "ptx")) return trace;
  const step: Step = {
    ...last,
    index: trace.steps.length,
    label: "ptx",
    kind: "internal",
    parent: undefined,
    symbol: undefined,
    stage: "ptx",
    pass: "PTX",
    flag: "ptx",
    options: "",
    run: 0,
    changed: true,
    ms: undefined,
    statistics: {},
    patterns: [],
    rewrites: new Int32Array(0),
    origins: new Int32Array(0),
    remarks: [],
    numOps: 0,
    text: textOf(trace.lines, ptx),
  };
  return { ...trace, steps: [...trace.steps, step] };
}

function textOf(table: LineTable, text: string): StepText {
  const lines = Int32Array.from(text.trimEnd().split("\n"), (line) => table.number(line));
  return { lines, ops: new Int32Array(lines.length), hashes: new Int32Array(lines.length) };
}
