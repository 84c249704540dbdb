/** Questions about the steps of a session that several panes ask. */

import { paired } from "../../diff/pair-steps.js";
import { type StepDiff, stepBefore, stepDiff, stepDiffInSlices, stepOpChanges, withoutDiff } from "../../diff/step-diff.js";
import { stepDiffAcross, stepDiffAcrossInSlices } from "../../diff/step-diff-across.js";
import type { SourcePosition } from "../../explain/provenance.js";
import { memo } from "../../support/memo.js";
import type { Sliced } from "../../support/slices.js";
import { stageEnds } from "../../trace/stage-ends.js";
import type { Step, Trace } from "../../trace/trace.js";
import { functionPart } from "../kernels.js";
import type { Session, State } from "./state.js";

/** The step that is selected in the list of passes. */
export function selectedStep({ session, view }: Pick<State, "session" | "view">): Step | undefined {
  return session.trace.steps[view.passes.selected];
}

/** `coalesce`, `canonicalize#3`: a pass for people, with its run where it runs more than once. */
export function stepName(trace: Trace, step: Step): string {
  return step.kind === "source" ? "source" : shortFlag(fullName(trace, step));
}
/** `tritongpu-coalesce`, as options name it. */
export function fullName(trace: Trace, { flag, run }: Step): string {
  return run > 0 && runsOf(trace, flag) > 1 ? `${flag}#${run}` : flag;
}
/** `coalesce` for `tritongpu-coalesce`: a flag without the prefix that most of them share. */
export function shortFlag(flag: string): string {
  return flag.replace(/^(?:tritongpu|triton-nvidia-gpu|triton-nvidia|nvgpu|tritonamdgpu|triton)-(?=.)/, "");
}
const runCounts = memo((trace: Trace) => {
  const runs = new Map<string, number>();
  for (const step of trace.steps) runs.set(step.flag, Math.max(runs.get(step.flag) ?? 0, step.run));
  return runs;
});
function runsOf(trace: Trace, flag: string): number {
  return runCounts(trace).get(flag) ?? 0;
}

/** The steps of the kernel that is looked at. */
export function stepsOf(session: Session): readonly Step[] {
  return kernelSteps(session.trace, session.kernels, session.kernel);
}
const kernelSteps = memo((trace: Trace, kernels: Session["kernels"], kernel: number): readonly Step[] => {
  const range = kernels[kernel];
  return range && range.symbol === undefined ? trace.steps.slice(range.first, range.last + 1) : trace.steps;
});

/** The step before, within the kernel. */
export function before(session: Session, step: Step): Step | undefined {
  // Machine code has no lines in common with the IR that it was made of.
  const found = step.stage === "ptx" ? undefined : stepBefore(session.trace, step);
  const range = session.kernels[session.kernel];
  return found && range && found.index < range.first ? undefined : found;
}

/** The selected step, the other side of the comparison, and the difference. */
export interface Compared {
  /** How the other side is called: `triton-licm`, `num-warps=8`. */
  readonly beforeName: string;
  readonly afterName: string;
  readonly beforeStep: Step | undefined;
  readonly afterStep: Step;
  readonly diff: StepDiff;
  /** A difference that is still to be made; `diff` is the IR after alone then. */
  readonly wanted?: WantedDiff;
}
export interface WantedDiff {
  /** The key in `Computed.diffs`. */
  readonly key: string;
  readonly steps: () => Sliced<StepDiff>;
}

/** Differences of more lines, both sides together, are made in slices. */
const LARGE = 16_000;
/** Likewise between two Traces, whose ops are to be identified first. */
const LARGE_ACROSS = 2000;

/** The difference of two steps of the Trace, where it is known or made soon. */
function diffWithin(session: Session, a: Step, b: Step): Pick<Compared, "diff" | "wanted"> {
  const { trace } = session;
  if (a.text === b.text || a.text.lines.length + b.text.lines.length < LARGE) return { diff: diffOf(trace, a, b) };
  const wanted = { key: `${a.index}..${b.index}`, steps: () => stepDiffInSlices(trace, a, b) };
  return knownOr(session, b, wanted, () => diffOf(trace, a, b));
}
/** The difference of a step of another Trace and one of this Trace. */
function diffAcross(session: Session, base: string, other: Trace, a: Step, b: Step): Pick<Compared, "diff" | "wanted"> {
  const { trace } = session;
  if (a.text.lines.length + b.text.lines.length < LARGE_ACROSS) return { diff: across(other, a, trace, b) };
  const wanted = { key: `${base} ${a.index}..${b.index}`, steps: () => stepDiffAcrossInSlices(other, a, trace, b) };
  return knownOr(session, b, wanted, () => across(other, a, trace, b));
}
/** The known part of a difference, unless it is made at once. */
function knownOr({ trace, computed }: Session, after: Step, wanted: WantedDiff, atOnce: () => StepDiff): Pick<Compared, "diff" | "wanted"> {
  if (!computed.diffs) return { diff: atOnce() };
  const diff = computed.diffs.get(wanted.key);
  return diff ? { diff } : { diff: plain(trace, after), wanted };
}
const plain = memo(withoutDiff, 2);

/** The selected step against what the view holds it against; the step before where there is nothing else. */
export function comparedOf(state: Pick<State, "session" | "view">): Compared | undefined {
  const step = selectedStep(state);
  if (!step) return undefined;
  const { session, view } = state;
  return compare(session, step, view.diff.base, view.mark);
}

const compare = memo((session: Session, step: Step, base: State["view"]["diff"]["base"], mark: number | undefined): Compared => {
  const { trace } = session;
  const afterName = stepName(trace, step);
  if (base === "mark" && mark !== undefined && trace.steps[mark] && mark !== step.index) {
    const other = trace.steps[mark];
    return {
      beforeName: `mark: ${stepName(trace, other)}`,
      afterName,
      beforeStep: other,
      afterStep: step,
      ...diffWithin(session, other, step),
    };
  }
  const elsewhere = base === "baseline" ? session.baseline : base === "against" ? session.against : undefined;
  if (elsewhere) {
    const partner = partnerOf(trace, step, elsewhere.trace);
    if (partner) {
      const name = base === "baseline" ? "baseline" : (session.against?.name ?? "");
      return {
        beforeName: `${name}: ${stepName(elsewhere.trace, partner)}`,
        afterName: base === "against" && session.against?.here !== undefined ? `${session.against.here}: ${afterName}` : afterName,
        beforeStep: undefined,
        afterStep: step,
        ...diffAcross(session, base, elsewhere.trace, partner, step),
      };
    }
  }
  const previous = before(session, step) ?? step;
  return {
    beforeName: stepName(trace, previous),
    afterName,
    beforeStep: previous,
    afterStep: step,
    ...diffWithin(session, previous, step),
  };
}, 16);

const diffOf = memo(stepDiff, 24);
const across = memo(stepDiffAcross, 4);

/** The function that is looked at, where the steps are about others too. */
export function symbolOf({ kernels, kernel }: Session): string | undefined {
  return kernels[kernel]?.symbol;
}
/** Whether a step changed what is looked at. */
export function isChanged(session: Session, step: Step): boolean {
  const symbol = step.changed ? symbolOf(session) : undefined;
  return symbol === undefined ? step.changed : changedFunction(session, step, symbol);
}
const changedFunction = memo((session: Session, step: Step, symbol: string): boolean => {
  const { lines } = session.trace;
  const previous = before(session, step);
  if (!previous) return step.changed;
  const [a, b] = [previous, step].map((s) => functionPart(lines, s.text, symbol).lines) as [Int32Array, Int32Array];
  return a.length !== b.length || a.some((line, i) => line !== b[i] && lines.line(line) !== lines.line(b[i]!));
}, 128);

/** Which of the passes that the session's own compilation ran a step is, from 1; 0 or less for those before an edit. */
export const passNumber = ({ input }: Session, { label }: Step): number =>
  Math.floor(Number.parseInt(label, 10)) - (input?.edited?.passes ?? 0);

/** How many ops a step of the pipeline added and removed, as its diff counts them; undefined as long as that is not known. */
export function changesOf(session: Session, step: Step): { readonly added: number; readonly removed: number } | undefined {
  if (step.kind === "source" || step.stage === "ptx" || !isChanged(session, step)) return undefined;
  return session.computed.counts.get(step.index) ?? (countsLater(session, step) ? undefined : countsOf(session, step));
}
/** Whether counting a step's ops would keep the user waiting. */
export function countsLater({ computed }: Session, step: Step): boolean {
  return computed.diffs !== undefined && step.text.lines.length > LARGE / 2;
}
/** Counts them now. */
export function countsOf(session: Session, step: Step): { readonly added: number; readonly removed: number } | undefined {
  const symbol = symbolOf(session) ?? "";
  const known = counts.get(step) ?? new Map<string, OpChanges>();
  counts.set(step, known);
  const previous = known.has(symbol) ? undefined : before(session, step);
  if (previous) {
    const { trace } = session;
    const part = (s: Step): Step => (symbol === "" ? s : { ...s, text: functionPart(trace.lines, s.text, symbol) });
    known.set(symbol, stepOpChanges(trace, part(previous), part(step)));
  }
  return known.get(symbol);
}
type OpChanges = { readonly added: number; readonly removed: number };
const counts = new WeakMap<Step, Map<string, OpChanges>>();

/** The step of another Trace that stands for a step: its run of the same pass, counted as both pipelines share them. */
export function partnerOf(trace: Trace, step: Step, other: Trace): Step | undefined {
  return pairing(trace, other).get(step.index);
}
/** Pairs the top-level steps of two Traces by name, in order. */
export const pairing = memo((one: Trace, other: Trace): ReadonlyMap<number, Step> => {
  const ends = stageEnds(one, other);
  if (ends) return new Map(ends.map(([ours, theirs]) => [ours.index, theirs]));
  const top = ({ steps }: Trace): readonly Step[] => steps.filter((s) => s.parent === undefined && s.kind !== "internal");
  const same = (a: Step, b: Step): boolean => (a.kind === "source" ? b.kind === "source" : a.flag === b.flag && b.kind !== "source");
  return new Map(paired(top(one), top(other), same).map(([ours, theirs]) => [ours.index, theirs]));
});

/** The Trace that the session is compared with: another input, or the session before a what-if. */
export function otherSide({ against, baseline }: Session): Trace | undefined {
  return (against ?? baseline)?.trace;
}
/** Whether a step's IR is another than on the other side; undefined where that has no such step. */
export function differs(session: Session, step: Step): boolean | undefined {
  const other = otherSide(session);
  const partner = other && partnerOf(session.trace, step, other);
  return partner && (session.computed.differing.get(step.index) ?? textDiffers(session.trace, step, other, partner));
}

/** Whether ops were identified for that: until then, a step that is only written differently is said to differ. */
export const isCompared = ({ computed }: Session, step: Step): boolean =>
  computed.diffs === undefined || computed.differing.has(step.index);

/** Whether two steps of two Traces say something else, letter by letter. */
export const textDiffers = memo((trace: Trace, step: Step, other: Trace, partner: Step): boolean => {
  const a = step.text.lines;
  const b = partner.text.lines;
  if (a.length !== b.length) return true;
  if (trace.lines === other.lines) return a.some((line, i) => line !== b[i]);
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [trace.lines.line(a[i]!), other.lines.line(b[i]!)];
    if (x !== y && (!/func\b.*@/.test(x) || withoutHints(x) !== withoutHints(y))) return true;
  }
  return false;
}, 256);
/** A what-if changes what is said of arguments: in itself that is no difference. */
function withoutHints(signature: string): string {
  return signature.replace(/ ?\{tt\.divisibility = \d+ : i32\}/g, "").replace(/tt\.divisibility = \d+ : i32(?:, )?/g, "");
}

/** Whether they do when ops are identified: neither names nor the places of constants are a difference. */
export function* saysSomethingElse(trace: Trace, step: Step, other: Trace, partner: Step): Sliced<boolean> {
  if (!textDiffers(trace, step, other, partner)) return false;
  if (step.text.lines.length > MAX_IDENTIFIED) return true;
  const { lines, before, after, alignment } = yield* stepDiffAcrossInSlices(other, partner, trace, step);
  const said = (side: { readonly lines: Int32Array }, line: number) => lines.line(side.lines[line]!);
  return alignment.rows.some((row) => {
    if (row.kind === "moved-to") return !/= (?:arith\.constant|llvm\.mlir\.constant)\b/.test(said(after, row.right));
    if (row.kind === "changed") return withoutHints(said(before, row.left)) !== withoutHints(said(after, row.right));
    return row.kind === "added" || row.kind === "removed";
  });
}
const MAX_IDENTIFIED = 6000;

/** `vecadd.py:11  x = tl.load(x_ptr + offs)`. */
export function placeText({ sources }: Session, { file, line }: SourcePosition): string {
  const text = sources.find(({ path }) => path === file)?.lines[line - 1]?.trim();
  return `${file.slice(file.lastIndexOf("/") + 1)}:${line}${text ? `  ${text}` : ""}`;
}
