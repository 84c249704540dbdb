/** The final code as steps of the list: PTX after the last pass, and machine code after it; AMD's assembly. */
import { codegenStep } from "../explain/codegen-facts.js";
import { assembles } from "../gpu/gpu.js";
import type { LineTable, StepText } from "../trace/line-table.js";
import type { MachineCode, Step, Trace } from "../trace/trace.js";
import type { Ptx, Session } from "./state/state.js";

/** The Trace with its PTX as a last step, where the Trace has PTX and no such step. */
export function withPtxStep(trace: Trace): Trace {
  const { ptx } = trace.artifacts;
  return ptx === undefined ? trace : withStep(trace, "ptx", "PTX", ptx.trimEnd().split("\n"));
}
/** The text of a Trace that is assembled; undefined where it has none. */
export const assembledText = ({ target, artifacts }: Trace): string | undefined => artifacts[assembles(target)];

/** The Trace with the text to assemble that another thread has made of it; PTX is a step. */
export function withPtx(trace: Trace, { text, instructions = {} }: Extract<Ptx, { kind: "text" }>): Trace {
  if (assembles(trace.target) === "llir") return { ...trace, artifacts: { ...trace.artifacts, llir: text } };
  const ops = codegenStep(trace)?.text.ops.filter((op) => op !== 0) ?? [];
  const byOp = Object.fromEntries(Object.entries(instructions).map(([number, names]) => [ops[Number(number)], names]));
  return withPtxStep({ ...trace, artifacts: { ...trace.artifacts, ptx: text, instructions: byOp } });
}
/** A Trace of the session that is to be assembled: its own, or the other side of a comparison. */
export function unassembled({ trace, against, baseline, progress, computed }: Session): Trace | undefined {
  if (progress || computed.noMachine !== undefined) return undefined;
  return [trace, against?.trace, baseline?.trace].find((t) => t && assembledText(t) !== undefined && !t.artifacts.machine);
}
/** The Trace with its machine code, and the text of that as a last step where there is one. */
export function withMachineStep(trace: Trace, machine: MachineCode): Trace {
  const known = { ...trace, artifacts: { ...trace.artifacts, machine } };
  const [flag, pass] = machine.wave ? (["amdgcn", "AMDGCN"] as const) : (["sass", "SASS"] as const);
  const lines = machine.sass?.map(({ text }) => text);
  return lines ? withStep(known, flag, pass, lines) : known;
}

function withStep(trace: Trace, flag: string, pass: string, lines: readonly string[]): Trace {
  const last = trace.steps.at(-1);
  if (!last || trace.steps.some((step) => step.flag === flag)) return trace;
  const step: Step = {
    ...last,
    index: trace.steps.length,
    label: flag,
    kind: "internal",
    parent: undefined,
    symbol: undefined,
    stage: "ptx",
    pass,
    flag,
    options: "",
    run: 1,
    changed: true,
    ms: undefined,
    statistics: {},
    patterns: [],
    rewrites: new Int32Array(0),
    origins: new Int32Array(0),
    remarks: [],
    numOps: 0,
    text: textOf(trace.lines, lines),
  };
  return { ...trace, steps: [...trace.steps, step] };
}

function textOf(table: LineTable, text: readonly string[]): StepText {
  const lines = Int32Array.from(text, (line) => table.number(line));
  return { lines, ops: new Int32Array(lines.length), hashes: new Int32Array(lines.length) };
}
