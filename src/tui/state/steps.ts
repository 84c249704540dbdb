/** Questions about the steps of a session that several panes ask. */
import type { Step, Trace } from "../../compile/trace.js";
import { type StepDiff, stepBefore, stepDiff, stepDiffAcross } from "../../diff/step-diff.js";
import { memo } from "../../support/memo.js";
import type { Session, State } from "./state.js";

export function selectedStep({ session, view }: Pick<State, "session" | "view">): Step | undefined {
  return session.trace.steps[view.passes.selected];
}

/** `canonicalize#3`, where the pass runs more than once. */
export function stepName(trace: Trace, step: Step): string {
  if (step.kind === "source") return "source";
  return step.run > 0 && runsOf(trace, step.flag) > 1 ? `${step.flag}#${step.run}` : step.flag;
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
  const range = kernels.length > 1 ? kernels[kernel] : undefined;
  return range ? trace.steps.slice(range.first, range.last + 1) : trace.steps;
});

/** The step before, within the kernel. */
export function before(session: Session, step: Step): Step | undefined {
  const found = stepBefore(session.trace, step);
  const range = session.kernels.length > 1 ? session.kernels[session.kernel] : undefined;
  return found && range && found.index < range.first ? undefined : found;
}

/** What the selected step is held against, and the difference. */
export interface Compared {
  /** How the other side is called: `triton-licm`, `num-warps=8`. */
  readonly beforeName: string;
  readonly afterName: string;
  readonly beforeStep: Step | undefined;
  readonly afterStep: Step;
  readonly diff: StepDiff;
}

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
      diff: diffOf(trace, other, step),
    };
  }
  const elsewhere = base === "baseline" ? session.baseline : base === "against" ? session.against : undefined;
  if (elsewhere) {
    const partner = partnerOf(trace, step, elsewhere.trace);
    if (partner) {
      const name = base === "baseline" ? "baseline" : (session.against?.name ?? "");
      return {
        beforeName: `${name}: ${stepName(elsewhere.trace, partner)}`,
        afterName,
        beforeStep: undefined,
        afterStep: step,
        diff: across(elsewhere.trace, partner, trace, step),
      };
    }
  }
  const previous = before(session, step) ?? step;
  return { beforeName: stepName(trace, previous), afterName, beforeStep: previous, afterStep: step, diff: diffOf(trace, previous, step) };
}, 16);

const diffOf = memo(stepDiff, 24);
const across = memo(stepDiffAcross, 4);

/** Larger steps are not aligned for the list: their ops are counted by identity. */
const MAX_ALIGNED = 4000;

/** How many ops a step of the pipeline added and removed, as its diff counts them. */
export function changesOf(session: Session, step: Step): { readonly added: number; readonly removed: number } | undefined {
  if (!step.changed || step.kind === "source") return undefined;
  let found = counts.get(step);
  if (!found) {
    const previous = before(session, step);
    if (!previous) return undefined;
    found = step.text.lines.length > MAX_ALIGNED ? byIdentity(previous, step) : stepDiff(session.trace, previous, step).alignment.counts;
    counts.set(step, found);
  }
  return found;
}
const counts = new WeakMap<Step, { readonly added: number; readonly removed: number }>();
function byIdentity(a: Step, b: Step): { readonly added: number; readonly removed: number } {
  const old = new Set(a.text.ops);
  const now = new Set(b.text.ops);
  let [added, removed] = [0, 0];
  for (const op of now) if (!old.has(op)) added++;
  for (const op of old) if (!now.has(op)) removed++;
  return { added, removed };
}

/** The step of another Trace that stands for a step: its run of the same pass, counted as both pipelines share them. */
export function partnerOf(trace: Trace, step: Step, other: Trace): Step | undefined {
  return pairing(trace, other).get(step.index);
}
/** Pairs the top-level steps of two Traces by name, in order. */
export const pairing = memo((one: Trace, other: Trace): ReadonlyMap<number, Step> => {
  const a = one.steps.filter((s) => s.parent === undefined && s.kind !== "internal");
  const b = other.steps.filter((s) => s.parent === undefined && s.kind !== "internal");
  const width = b.length + 1;
  const same = (i: number, j: number) =>
    a[i]!.kind === "source" ? b[j]!.kind === "source" : a[i]!.flag === b[j]!.flag && b[j]!.kind !== "source";
  const best = new Int32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i * width + j] = same(i, j)
        ? best[(i + 1) * width + j + 1]! + 1
        : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
  const pairs = new Map<number, Step>();
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (same(i, j)) pairs.set(a[i++]!.index, b[j++]!);
    else if (best[(i + 1) * width + j]! >= best[i * width + j + 1]!) i++;
    else j++;
  }
  return pairs;
});

/** A what-if changes what is said of arguments: in itself that is no difference. */
function withoutHints(signature: string): string {
  return signature.replace(/ ?\{tt\.divisibility = \d+ : i32\}/g, "").replace(/tt\.divisibility = \d+ : i32(?:, )?/g, "");
}

/** Whether a step's IR is another than its partner's; undefined where it has none. */
export function differs(trace: Trace, step: Step, other: Trace): boolean | undefined {
  const partner = partnerOf(trace, step, other);
  return partner && textDiffers(trace, step, other, partner);
}
const textDiffers = memo((trace: Trace, step: Step, other: Trace, partner: Step): boolean => {
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
