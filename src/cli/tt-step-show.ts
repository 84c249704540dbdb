/** The output of `tt-step` for a Trace. */

import { toJson } from "../trace/json.js";
import { type Stage, stageName } from "../trace/stage.js";
import { findStep, noStep, type Step, stepBanner, type Trace } from "../trace/trace.js";
import type { Io } from "./io.js";
import { withHint } from "./options/option.js";
import type { TtStepArgs } from "./tt-step-args.js";

export interface Shown {
  readonly text: string;
  /** Whether the text is a file's, and no report: written as it is. */
  readonly exact?: boolean;
  readonly code: number;
}

/** Whether the arguments name nothing that is to be shown. */
export function asksForNothing(args: TtStepArgs): boolean {
  return (
    args.why === undefined &&
    args.layout === undefined &&
    !args.axisInfo &&
    !args.list &&
    args.printAfter.length === 0 &&
    !args.printAfterAll &&
    !args.printAfterChange &&
    !args.diff &&
    !args.emit &&
    !args.codegen &&
    !args.findings &&
    !args.ptxasReport &&
    !args.json
  );
}

/** Whether the arguments ask for what only another program makes. */
export const asksForPrograms = (args: TtStepArgs): boolean =>
  isMachineCode(args.emit) || args.ptxasReport || (args.llc && args.emit === "ptx");
/** Results that only another program makes. */
export const isMachineCode = (emit: TtStepArgs["emit"]): emit is MachineCodeKind => emit !== undefined && KINDS.has(emit);
type MachineCodeKind = "cubin" | "amdgcn" | "hsaco";
const KINDS: ReadonlySet<string> = new Set<MachineCodeKind>(["cubin", "amdgcn", "hsaco"]);

/** The output that the arguments ask for; a list when they ask for nothing. */
export async function show(trace: Trace, args: TtStepArgs, io: Io): Promise<Shown | { readonly error: string }> {
  const nothing = asksForNothing(args);
  if (args.json) return { text: toJson(trace), exact: true, code: 0 };
  const out: string[] = [];
  if (args.list || nothing) out.push(listText(trace));
  for (const spec of args.printAfter) {
    const step = findStep(trace, spec);
    if (!step) return { error: withHint(noStep(trace, spec), "--list") };
    out.push(stepText(trace, step));
  }
  if (args.printAfterAll || args.printAfterChange)
    for (const step of trace.steps) {
      if (step.kind === "source" || (step.parent !== undefined && !args.nested)) continue;
      if (args.printAfterAll || step.changed) out.push(stepText(trace, step));
    }
  if (args.diff) {
    const [a, b] = args.diff.map((spec) => findStep(trace, spec));
    if (!a || !b) return { error: withHint(noStep(trace, args.diff[a ? 1 : 0]), "--list") };
    out.push((await import("./tt-step-more.js")).diffText(trace, a, b, args, io));
  }
  if (args.why !== undefined || args.layout !== undefined || args.axisInfo) {
    const answer = (await import("./tt-step-more.js")).whyAndLayout(trace, args);
    if ("error" in answer) return answer;
    out.push(answer.text);
  }
  if (args.findings) out.push((await import("./tt-step-more.js")).findingsText(trace, io));
  if (args.codegen) {
    const panel = (await import("./tt-step-more.js")).codegenText(trace, io);
    if ("error" in panel) return panel;
    out.push(panel.text);
  }
  if (args.emit && !isMachineCode(args.emit)) {
    const text = emitted(trace, args.emit);
    if (text === undefined)
      return {
        error: noText(trace, args.emit),
      };
    out.push(text);
  }
  return { text: out.join(""), exact: args.emit !== undefined && out.length === 1, code: 0 };
}

type Emitted = Exclude<NonNullable<TtStepArgs["emit"]>, MachineCodeKind>;
/** A text made after the last pass, or why there is none. */
export function artifactOf(trace: Trace, kind: "llir" | "ptx"): string | { readonly error: string } {
  return emitted(trace, kind) ?? { error: noText(trace, kind) };
}

const noText = (trace: Trace, emit: Emitted): string =>
  `there is no ${emit === "llir" ? "LLVM IR" : emit === "ptx" ? "PTX" : emit} here${whyNot(trace, emit)}`;

/** Why a text made after the last pass is missing. */
function whyNot(trace: Trace, emit: Emitted): string {
  if (emit !== "llir" && emit !== "ptx") return "";
  if (trace.diagnostics.some((d) => d.code === "target.op")) return ": the module has ops that it cannot say";
  if (emit === "ptx" && trace.target?.startsWith("hip:"))
    return `: ${trace.target} has none; --emit llir and --emit amdgcn write what it has`;
  const { kind, name } = trace.source;
  const last = trace.steps.findLast((s) => s.parent === undefined && s.known);
  const isLowered = last !== undefined && /^\s*llvm\.func /m.test(trace.lines.textOf(last.text));
  if (last && (kind === "dump log" || kind === "IR tree")) {
    const [from, file, option] = isLowered ? ["llvm-dialect", "k.mlir", ""] : ["ttir", "k.ttir", "--modernize "];
    return `: a ${kind} is not compiled further; the last step whose result it holds is ${last.label}, ${last.flag} (${stageName(last)})
tt-step: its IR can be: tt-step ${name} ${option}--emit ${from} -o ${file}; tt-step ${file} --emit ${emit}`;
  }
  return ": the module is not in the LLVM dialect after the last pass";
}

function stepText(trace: Trace, step: Step): string {
  return `${stepBanner(step)}\n${trace.lines.textOf(step.text)}\n\n`;
}

/** The module at the end of a stage. */
function emitted(trace: Trace, emit: Emitted): string | undefined {
  // A cache folder, an LLVM IR or a PTX file hold these as they are.
  const own = trace.steps.find((s) => s.flag === emit && s.known);
  if (own) return trace.lines.textOf(own.text);
  if (emit === "llir" || emit === "ptx") return trace.artifacts[emit];
  const stage: Stage = emit === "llvm-dialect" ? "llir" : emit;
  const last = trace.steps.filter((s) => s.parent === undefined && s.stage === stage && s.kind !== "internal").at(-1);
  // The output of a failed pass is not handed on.
  return last?.verified ? trace.lines.textOf(last.text) : undefined;
}

/** One line a step: index, stage, flag with run, `*` if changed, op count, time. */
export function listText(trace: Trace): string {
  const runs = new Map<string, number>();
  for (const step of trace.steps) runs.set(step.flag, Math.max(runs.get(step.flag) ?? 0, step.run));
  const widest = trace.steps.reduce((width, step) => Math.max(width, stageName(step).length), 5);
  return trace.steps
    .map((step) => {
      const flag = step.kind !== "source" && (runs.get(step.flag) ?? 0) > 1 && step.run > 0 ? `${step.flag}#${step.run}` : step.flag;
      const indent = step.parent === undefined ? "" : "  ";
      const ms = step.ms === undefined ? "" : `${step.ms.toFixed(1)} ms`;
      const note = step.known ? ms : "its result is not in the log";
      const symbol = step.symbol === undefined ? "" : ` @${step.symbol}`;
      const ops = step.stage === "ptx" ? "" : `${String(step.numOps).padStart(6)} ops  `;
      return (
        `${step.label.padStart(5)}  ${stageName(step).padEnd(widest)} ${step.changed ? "*" : " "} ${(indent + flag + symbol).padEnd(52)} ${ops}${note}`.trimEnd() +
        "\n"
      );
    })
    .join("");
}
