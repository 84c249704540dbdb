/** The pass list: every pass of every stage, changed ones marked; what it shows, and how it is walked. */

import { memo } from "../../../support/memo.js";
import { type PipelineStep, stageName } from "../../../trace/stage.js";
import type { Step } from "../../../trace/trace.js";
import { BOLD, line, MUTED, type Row, rowOn, style } from "../../draw/style.js";
import { cut, cutName, padded } from "../../draw/text-width.js";
import type { Session, State } from "../../state/state.js";
import { changesOf, differs, isChanged, isCompared, shortFlag, stepName, stepsOf } from "../../state/steps.js";
import type { View } from "../../state/view.js";
import type { Size2 } from "../pane.js";

export type PassItem =
  | { readonly kind: "stage"; readonly stage: string }
  | { readonly kind: "step"; readonly step: Step }
  | { readonly kind: "pending"; readonly step: PipelineStep };

/** The rows of the list as the view filters them. */
export function passItems({ session, view }: Pick<State, "session" | "view">): readonly PassItem[] {
  const { hideUnchanged, nested, filter, selected } = view.passes;
  return items(session, stepsOf(session), session.pending, hideUnchanged, nested, filter, hideUnchanged || filter ? selected : -1);
}

const items = memo(
  (
    session: Session,
    steps: readonly Step[],
    pending: readonly PipelineStep[],
    hideUnchanged: boolean,
    nested: boolean,
    filter: string,
    selected: number,
  ): PassItem[] => {
    const found: PassItem[] = [];
    let stage = "";
    const head = (of: string) => {
      if (of !== stage) found.push({ kind: "stage", stage: (stage = of) });
    };
    for (const step of steps) {
      const isSelected = step.index === selected;
      if (step.parent !== undefined && !nested && !isSelected) continue;
      if (hideUnchanged && !isChanged(session, step) && step.kind !== "source" && !isSelected) continue;
      if (!matchesFilter(step, filter) && !isSelected) continue;
      head(stageName(step));
      found.push({ kind: "step", step });
    }
    for (const step of pending) {
      if (!matchesFilter(step, filter)) continue;
      head(stageName(step));
      found.push({ kind: "pending", step });
    }
    return found;
  },
);

/** Whether a pass is one that the filter asks for. */
export function matchesFilter(step: { readonly flag: string; readonly pass: string } | undefined, filter: string): boolean {
  return step !== undefined && `${step.flag} ${step.pass}`.toLowerCase().includes(filter.toLowerCase());
}

/** The row of the selected step; -1 where the list does not show it. */
export function selectedRow(state: Pick<State, "session" | "view">): number {
  return passItems(state).findIndex((item) => item.kind === "step" && item.step.index === state.view.passes.selected);
}

/** The step `by` rows on, stages left out. */
export function stepAway(state: Pick<State, "session" | "view">, by: number): number {
  const steps = passItems(state).flatMap((item) => (item.kind === "step" ? [item.step.index] : []));
  if (steps.length === 0) return state.view.passes.selected;
  let at = steps.indexOf(state.view.passes.selected);
  if (at < 0) at = steps.findIndex((s) => s > state.view.passes.selected);
  return steps[Math.max(0, Math.min(steps.length - 1, at + by))]!;
}
/** The next changed step in a direction; undefined where there is none. */
export function changedAway(state: Pick<State, "session" | "view">, direction: 1 | -1): number | undefined {
  const { nested, selected } = state.view.passes;
  const steps = stepsOf(state.session).filter((s) => isChanged(state.session, s) && (nested || s.parent === undefined));
  const found = direction > 0 ? steps.find((s) => s.index > selected) : steps.findLast((s) => s.index < selected);
  return found?.index;
}

const SELECTED = style("title", "selected", BOLD);
const STAGE = style("accent", "none", BOLD);
const CHANGED = style("plain", "none", BOLD);
const ADDED = style("added");
const REMOVED = style("removed");
const DIFFERS = style("warning", "none", BOLD);

export function passRows(state: State, { width, height }: Size2): Row[] {
  const { session, view } = state;
  const { top, selected } = view.passes;
  return passItems(state)
    .slice(top, top + height)
    .map((item) => {
      if (item.kind === "stage") return line(item.stage, STAGE);
      if (item.kind === "pending") return line(`    ${cut(shortFlag(item.step.flag), width - 4)}`, MUTED);
      const row = stepRow(session, view, item.step, width);
      return item.step.index === selected ? rowOn(row, "selected") : row;
    });
}

/** `>≠* tritongpu-coalesce   +8 -2  1.3 ms`: selected, another than in the baseline, changed. */
function stepRow(session: Session, view: View, step: Step, width: number): Row {
  const isSelected = step.index === view.passes.selected;
  const isOther = step.parent === undefined && differs(session, step) === true;
  const changed = isChanged(session, step);
  const changes = changesOf(session, step);
  const time = step.ms !== undefined && width >= 34 ? timeText(step.ms) : "";
  const right: [string, number][] = [];
  if (changes && changes.added > 0) right.push([` +${changes.added}`, ADDED]);
  if (changes && changes.removed > 0) right.push([` -${changes.removed}`, REMOVED]);
  if (time !== "") right.push([time.padStart(8), MUTED]);
  const used = right.reduce((n, [text]) => n + text.length, 0);
  const indent = step.parent === undefined ? "" : "  ";
  const mark = view.marks[step.index] ?? " ";
  const name = indent + stepName(session.trace, step) + functionOf(step);
  const room = Math.max(0, width - 4 - used);
  const ink = isSelected ? SELECTED : changed || step.kind === "source" ? CHANGED : style("muted");
  return [
    [isSelected ? ">" : mark, ink],
    [!isOther ? " " : isCompared(session, step) ? "≠" : "?", isCompared(session, step) ? DIFFERS : MUTED],
    [step.verified ? (changed ? "* " : "  ") : "! ", step.verified ? style("changed", "none", BOLD) : style("error", "none", BOLD)],
    [padded(cutName(name, room), room), ink],
    ...right,
  ];
}

/** ` @softmax` of a pass that runs inside another: it is listed for each function. */
function functionOf({ symbol, parent, run, kind }: Step): string {
  if (symbol === undefined || (parent === undefined && (run > 0 || kind === "source"))) return "";
  return ` @${symbol.replace(/^triton\.language\.(?:\w+\.)*?(\w+?)__.*$/, "$1")}`;
}

export function timeText(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : ms >= 100 ? `${ms.toFixed(0)} ms` : `${ms.toFixed(1)} ms`;
}

/** The summary in the lower edge: `12/69 changed · 3.1 ms`. */
export function passSummary(session: Session): string {
  const steps = stepsOf(session).filter((s) => s.parent === undefined && s.kind === "pass");
  const changed = steps.filter((s) => isChanged(session, s)).length;
  const ms = steps.reduce((sum, s) => sum + (s.ms ?? 0), 0);
  return `${changed}/${steps.length + session.pending.length} changed${ms > 0 ? ` · ${timeText(ms)}` : ""}`;
}
