/** The effect of each command. A command that cannot act says why, in the message. */
import { assertNever } from "../../support/assert.js";
import { openForm } from "../form/keys.js";
import { type CommandId, isFocus } from "../keymap.js";
import { changeAway, displayOf } from "../panes/diff/model.js";
import { nextMode } from "../panes/diff/pane.js";
import { PANE_IDS, PANES } from "../panes/index.js";
import { nextColour } from "../panes/layout/cursor.js";
import { tabAway } from "../panes/pane.js";
import { changedAway, stepAway } from "../panes/passes/model.js";
import { BESIDE_COLUMNS, insideOf, placesOf } from "../state/places.js";
import { ask, type ListItem, type State, say, withView } from "../state/state.js";
import { differs, isCompared, selectedStep, stepName, stepsOf } from "../state/steps.js";
import type { PaneId, View } from "../state/view.js";
import { nextTourStep, previousTourStep, showTourStep } from "../tour/tour.js";
import { commandLine } from "./command-line.js";
import { definition, lifeLine, list, sourceOf, uses } from "./navigate.js";
import { chooseKernel, openHelp, openPrompt, openWhatIf, openWhy } from "./open.js";
import { disablePass, movePass } from "./pass-order.js";
import { matchAway } from "./search.js";
import { againstMarked, atStep, marked, reanchored } from "./walk.js";

export function runCommand(state: State, id: CommandId): State {
  const { view } = state;
  if (isFocus(id)) return focus(state, id.slice("focus-".length) as PaneId);
  switch (id) {
    case "down":
      return PANES[view.focus].move(state, 1);
    case "up":
      return PANES[view.focus].move(state, -1);
    case "page-down":
      return PANES[view.focus].move(state, pageOf(state, view.focus));
    case "page-up":
      return PANES[view.focus].move(state, -pageOf(state, view.focus));
    case "top":
      return PANES[view.focus].move(state, -1e9);
    case "bottom":
      return PANES[view.focus].move(state, 1e9);
    case "left":
      return across(state, -1);
    case "right":
      return across(state, 1);
    case "main-half-down":
      return PANES.diff.move(state, Math.ceil(pageOf(state, "diff") / 2));
    case "main-half-up":
      return PANES.diff.move(state, -Math.ceil(pageOf(state, "diff") / 2));
    case "main-down":
      return PANES.diff.scroll!(state, 1);
    case "main-up":
      return PANES.diff.scroll!(state, -1);
    case "main-left":
      return sideways(state, -8);
    case "main-right":
      return sideways(state, 8);
    case "next-pass":
      return pass(state, 1);
    case "previous-pass":
      return pass(state, -1);
    case "next-changed":
      return changedPass(state, 1);
    case "previous-changed":
      return changedPass(state, -1);
    case "hide-unchanged":
      return withView(state, { passes: { ...view.passes, hideUnchanged: !view.passes.hideUnchanged } });
    case "nested":
      return withView(state, { passes: { ...view.passes, nested: !view.passes.nested } });
    case "disable":
      return disablePass(state);
    case "insert":
      return openPrompt(state, "insert");
    case "earlier":
      return movePass(state, -1);
    case "later":
      return movePass(state, 1);
    case "next":
      return next(state, 1);
    case "previous":
      return next(state, -1);
    case "diff-mode":
      return nextMode(state);
    case "python": {
      const noSource = PANES.source.absent!(state);
      if (noSource !== undefined) return say(state, noSource);
      if (state.size.columns < BESIDE_COLUMNS)
        return say(state, `the source beside the IR needs ${BESIDE_COLUMNS} columns; 0 shows it in place of the passes`);
      return withView(state, {
        upper: "diff",
        focus: state.view.focus === "findings" ? "diff" : state.view.focus,
        diff: { ...state.view.diff, python: !state.view.diff.python },
      });
    }
    case "short-types":
      return withView(state, { diff: { ...state.view.diff, short: !state.view.diff.short } });
    case "wrap":
      return withView(state, { diff: { ...state.view.diff, wrap: !state.view.diff.wrap } });
    case "less-context":
      return context(state, -1);
    case "more-context":
      return context(state, 1);
    case "fold":
      return fold(state);
    case "mark":
      return marked(state);
    case "against-mark":
      return againstMark(state);
    case "against-other":
      return againstOther(state);
    case "first-difference":
      return firstDifference(state);
    case "focus-next":
      return focusAway(state, 1);
    case "focus-previous":
      return focusAway(state, -1);
    case "next-tab":
      return PANES[view.focus].tab(state, 1);
    case "previous-tab":
      return PANES[view.focus].tab(state, -1);
    case "zoom":
      return view.zoomed ? say(state, "the pane is alone already; _ shows all panes") : withView(state, { zoomed: true });
    case "unzoom":
      return view.zoomed ? withView(state, { zoomed: false }) : say(state, "all panes are shown already");
    case "definition":
      return definition(state);
    case "uses":
      return uses(state);
    case "life-line":
      return lifeLine(state);
    case "source":
      return sourceOf(state);
    case "through-time":
      return openPrompt(state, "through-time");
    case "arguments":
      return openForm(state);
    case "kernels":
      return chooseKernel(state);
    case "colour":
      return nextColour(state);
    case "enter":
      return PANES[view.focus].enter(state);
    case "select":
      return (PANES[view.focus].select ?? PANES[view.focus].enter)(state);
    case "why":
      return openWhy(state);
    case "what-if":
      return openWhatIf(state);
    case "edit":
      return edit(state);
    case "export":
      return openPrompt(state, "export");
    case "copy":
      return copy(state);
    case "copy-all":
      return copyAll(state);
    case "search":
      return openPrompt(state, view.focus === "passes" ? "filter" : "search");
    case "cancel":
      return cancel(state);
    case "command":
      return openPrompt(state, "command", commandLine(state));
    case "help":
      return openHelp(state);
    case "redraw":
      return ask(state, { kind: "run", command: "redraw" });
    case "quit":
      return ask(state, { kind: "quit" });
    case "suspend":
      return ask(state, { kind: "suspend" });
    case "tour-next":
      return nextTourStep(state);
    case "tour-previous":
      return previousTourStep(state);
    case "tour-show":
      return showTourStep(state);
    case "undo":
    case "redo":
      return state;
    default:
      return assertNever(id);
  }
}

function pageOf(state: State, pane: PaneId): number {
  return Math.max(1, (insideOf(state, pane)?.height ?? 10) - 1);
}

/** Scrolls the diff from any pane, or the focused pane sideways. */
function sideways(state: State, by: number): State {
  return PANES[state.view.focus].sideways(state, by);
}
function across(state: State, by: 1 | -1): State {
  const pane = PANES[state.view.focus];
  return pane.across?.(state, by) ?? pane.sideways(state, 8 * by);
}

function pass(state: State, by: 1 | -1): State {
  const to = stepAway(state, by);
  if (to === state.view.passes.selected) return say(state, by > 0 ? "this is the last pass" : "this is the source");
  return atStep(state, to);
}
function changedPass(state: State, direction: 1 | -1): State {
  const to = changedAway(state, direction);
  return to === undefined ? say(state, `no changed pass ${direction > 0 ? "after" : "before"} this one`) : atStep(state, to);
}

function next(state: State, direction: 1 | -1): State {
  if (state.view.search) return matchAway(state, direction);
  const elsewhere = PANES[state.view.focus].next?.(state, direction);
  if (elsewhere) return elsewhere;
  const shown = displayOf(state);
  const { row } = state.view.diff;
  const to = shown && changeAway(shown, row, direction);
  if (to === undefined) {
    const isElsewhere = shown !== undefined && changeAway(shown, row, direction > 0 ? -1 : 1) !== undefined;
    const [here, key, there, step] =
      direction > 0
        ? ["below", "N", "above", "> goes to the next changed pass"]
        : ["above", "n", "below", "< goes to the changed pass before"];
    return say(state, `no change ${here}; ${isElsewhere ? `${key} goes to the one ${there}, ` : ""}${step}`);
  }
  return withView(state, { diff: { ...state.view.diff, row: to, word: -1 } });
}

function context(state: State, by: 1 | -1): State {
  if (displayOf(state)?.mode === "IR") return say(state, "all lines are shown");
  const steps = [0, 1, 3, 6, 12, 25, 100_000];
  const at = steps.findIndex((c) => c >= state.view.diff.context);
  const to = steps[Math.max(0, Math.min(steps.length - 1, at + by))]!;
  if (to === state.view.diff.context) return say(state, by > 0 ? "all lines are shown" : "only changes are shown");
  return reanchored(state, withView(state, { diff: { ...state.view.diff, context: to, open: [] } }));
}
function fold(state: State): State {
  const shown = displayOf(state);
  const { diff } = state.view;
  if (!shown || shown.length === 0) return state;
  const at = shown.at(diff.row);
  if (at.kind === "fold") return withView(state, { diff: { ...diff, open: [...diff.open, at.first] } });
  if (diff.open.length > 0) return reanchored(state, withView(state, { diff: { ...diff, open: [] } }));
  return say(state, shown.mode === "IR" ? "the IR alone has no folds; | shows the diff" : "no fold here; folds are the dotted rows");
}

function againstMark(state: State): State {
  const { view, session } = state;
  const marks = Object.entries(view.marks);
  if (view.diff.base === "mark") return atFirstChange(withView(state, { diff: { ...view.diff, base: "previous", open: [] } }));
  if (marks.length === 0) return say(state, "no step is marked; m marks the selected one");
  if (marks.length === 1) return againstMarked(state, Number(marks[0]![0]));
  const items = marks.map(([index, letter]): ListItem => {
    const step = session.trace.steps[Number(index)]!;
    return { text: `${letter}  ${step.label.padStart(3)} ${stepName(session.trace, step)}`, go: { to: "mark", step: Number(index) } };
  });
  return list(state, "hold against which mark?", items);
}
function againstOther(state: State): State {
  const { session, view } = state;
  const bases: View["diff"]["base"][] = ["previous"];
  if (session.baseline) bases.push("baseline");
  if (session.against) bases.push("against");
  if (bases.length === 1) return say(state, "nothing to hold against: o changes options, --against FILE brings another input");
  const base = bases[(bases.indexOf(view.diff.base) + 1) % bases.length] ?? "previous";
  const named = base === "previous" ? "the step before" : base === "baseline" ? "the baseline" : session.against!.name;
  return say(atFirstChange(withView(state, { diff: { ...view.diff, base, open: [] } })), `against ${named}`);
}
/** The first pass whose result differs from the other side, compared with it. */
function firstDifference(state: State): State {
  const { session, view } = state;
  const base = session.against ? "against" : session.baseline ? "baseline" : undefined;
  if (!base) return say(state, "nothing to hold against: o changes options, --against FILE brings another input");
  const name = session.against?.name ?? "the baseline";
  const first = stepsOf(session).find((step) => step.parent === undefined && differs(session, step));
  if (!first) return say(state, `no pass gives another result than with ${name}`);
  if (!isCompared(session, first)) return { ...say(state, `comparing with ${name} ...`), awaitsDifference: true };
  const there = atStep(withView(state, { diff: { ...view.diff, base, open: [] } }), first.index, true);
  return say(there, `the first difference to ${name}; ≠ marks the passes that differ, b goes back to the step before`);
}
function atFirstChange(state: State): State {
  return atStep(state, state.view.passes.selected, true);
}

function focus(state: State, pane: PaneId): State {
  const { absent, focused } = PANES[pane];
  const why = absent?.(state);
  if (why !== undefined) return say(state, why);
  const there = withView(state, { focus: pane }, pane !== state.view.focus);
  return focused?.(there) ?? there;
}
function focusAway(state: State, by: 1 | -1): State {
  const order = PANE_IDS.filter((id) => PANES[id].absent?.(state) === undefined);
  return withView(state, { focus: tabAway(order, state.view.focus, by) });
}

function edit(state: State): State {
  const { name, refused } = state.session;
  if (refused) return ask(state, { kind: "edit-source", file: name, line: Number(/:(\d+):\d+: error/.exec(refused.text)?.[1] ?? 1) });
  if (state.view.focus === "source") {
    const file = state.session.sources[state.view.source.file];
    if (file) return ask(state, { kind: "edit-source", file: file.found, line: state.view.source.row + 1 });
  }
  if (state.session.progress) return say(state, "still compiling");
  const step = selectedStep(state);
  return step ? ask(state, { kind: "edit", step: step.index }) : state;
}

function copy(state: State): State {
  const [what, text] = PANES[state.view.focus].copied(state) ?? [];
  return text === undefined ? say(state, "nothing to copy here") : ask(say(state, `copied ${what}`), { kind: "copy", text });
}
function copyAll(state: State): State {
  const step = selectedStep(state);
  if (!step) return state;
  return ask(say(state, `copied the IR after ${step.flag}`), { kind: "copy", text: state.session.trace.lines.textOf(step.text) });
}

function cancel(state: State): State {
  const { view } = state;
  if (view.search) return withView(state, { search: undefined });
  if (view.passes.filter) return withView(state, { passes: { ...view.passes, filter: "" } });
  if (view.layout.thread !== undefined && view.focus === "layout")
    return withView(state, { layout: { ...view.layout, thread: undefined } });
  if (view.zoomed) return withView(state, { zoomed: false });
  if (view.diff.base !== "previous") return withView(state, { diff: { ...view.diff, base: "previous" } });
  if (view.focus !== "passes" && placesOf(state).kind !== "tiny") return withView(state, { focus: "passes" });
  return say(state, "q quits");
}
