/** What each command does. A command that cannot act says why, in the message. */
import { assertNever } from "../../support/assert.js";
import type { CommandId } from "../keymap.js";
import { codegenItems } from "../panes/codegen/model.js";
import { changeAway, cursorLine, displayOf, namesOn, shownMode } from "../panes/diff/model.js";
import { moveElement, nextColour, selectElement } from "../panes/layout/cursor.js";
import { changedAway, stepAway } from "../panes/passes/model.js";
import { insideOf, placesOf } from "../state/places.js";
import { CODEGEN_TABS, DIFF_MODES, type Effect, LAYOUT_TABS, type PaneId, type State, type View, withView } from "../state/state.js";
import { differs, selectedStep, stepsOf } from "../state/steps.js";
import { commandLine } from "./command-line.js";
import { definition, lifeLine, matchAway, sourceOf, uses } from "./navigate.js";
import { chooseKernel, enter, openHelp, openPrompt, openWhatIf, openWhy } from "./open.js";
import { atStep, reanchored } from "./walk.js";

export function say(state: State, text: string, kind: "info" | "error" = "info"): State {
  return { ...state, message: { text, kind } };
}
export function ask(state: State, effect: Effect): State {
  return { ...state, effects: [...state.effects, effect] };
}

export function runCommand(state: State, id: CommandId): State {
  const { view } = state;
  switch (id) {
    case "down":
      return moveRows(state, view.focus, 1);
    case "up":
      return moveRows(state, view.focus, -1);
    case "page-down":
      return moveRows(state, view.focus, pageOf(state, view.focus));
    case "page-up":
      return moveRows(state, view.focus, -pageOf(state, view.focus));
    case "top":
      return moveRows(state, view.focus, -1e9);
    case "bottom":
      return moveRows(state, view.focus, 1e9);
    case "left":
      return moveColumns(state, -1);
    case "right":
      return moveColumns(state, 1);
    case "main-half-down":
      return moveRows(state, "diff", Math.ceil(pageOf(state, "diff") / 2));
    case "main-half-up":
      return moveRows(state, "diff", -Math.ceil(pageOf(state, "diff") / 2));
    case "main-down":
      return scroll(state, "diff", 1);
    case "main-up":
      return scroll(state, "diff", -1);
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
      return disable(state);
    case "next":
      return next(state, 1);
    case "previous":
      return next(state, -1);
    case "diff-mode":
      return diffMode(state);
    case "less-context":
      return context(state, -1);
    case "more-context":
      return context(state, 1);
    case "fold":
      return fold(state);
    case "mark":
      return mark(state);
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
    case "focus-passes":
      return focus(state, "passes");
    case "focus-diff":
      return focus(state, "diff");
    case "focus-layout":
      return focus(state, "layout");
    case "focus-codegen":
      return focus(state, "codegen");
    case "focus-source":
      return focus(state, "source");
    case "next-tab":
      return tab(state, 1);
    case "previous-tab":
      return tab(state, -1);
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
    case "kernels":
      return chooseKernel(state);
    case "colour":
      return nextColour(state);
    case "enter":
      return enter(state);
    case "select":
      return select(state);
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

/** Moves the cursor of a pane by rows. */
export function moveRows(state: State, pane: PaneId, by: number): State {
  const { view } = state;
  switch (pane) {
    case "passes":
      return atStep(state, stepAway(state, by));
    case "diff": {
      const length = displayOf(state)?.length ?? 0;
      const row = Math.max(0, Math.min(length - 1, view.diff.row + by));
      return withView(state, { diff: { ...view.diff, row, word: -1 } }, row !== view.diff.row);
    }
    case "layout":
      return moveElement(state, by, 0);
    case "codegen":
      return withView(state, { codegen: { ...view.codegen, row: Math.max(0, view.codegen.row + by) } });
    case "source":
      return withView(state, { source: { ...view.source, row: Math.max(0, view.source.row + by) } });
  }
}

/** Scrolls without moving the cursor, as long as that is seen. */
export function scroll(state: State, pane: PaneId, by: number): State {
  const { view } = state;
  if (pane !== "diff") return moveRows(state, pane, by);
  const height = insideOf(state, "diff")?.height ?? 20;
  const length = displayOf(state)?.length ?? 0;
  const top = Math.max(0, Math.min(length - height, view.diff.top + by));
  const margin = Math.min(3, Math.floor((height - 1) / 2));
  const lowest = top === 0 ? 0 : top + margin;
  const highest = top >= length - height ? length - 1 : top + height - 1 - margin;
  return withView(state, { diff: { ...view.diff, top, row: Math.max(lowest, Math.min(highest, view.diff.row)) } }, top !== view.diff.top);
}

function moveColumns(state: State, by: 1 | -1): State {
  const { view } = state;
  if (view.focus === "layout") return moveElement(state, 0, by);
  if (view.focus !== "diff") return sideways(state, 8 * by);
  const at = cursorLine(state);
  const count = at ? namesOn(at.text).length : 0;
  if (count === 0) return sideways(state, 8 * by);
  const word = Math.max(-1, Math.min(count - 1, view.diff.word + by));
  return withView(state, { diff: { ...view.diff, word } });
}

function sideways(state: State, by: number): State {
  const pane = state.view.focus === "passes" ? "diff" : state.view.focus;
  if (pane === "layout") return moveElement(state, 0, Math.sign(by) * 4);
  const left = Math.max(0, Math.min(2000, state.view[pane].left + by));
  return withView(state, { [pane]: { ...state.view[pane], left } });
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
  if (state.view.focus === "codegen" && state.view.codegen.tab === "rewrites") return nextRewrite(state, direction);
  const shown = displayOf(state);
  const to =
    shown && shown.mode !== "IR"
      ? changeAway(shown, state.view.diff.row, direction)
      : shown && changeAway(shown, state.view.diff.row, direction);
  if (to === undefined)
    return say(
      state,
      direction > 0 ? "no change below; > goes to the next changed pass" : "no change above; < goes to the changed pass before",
    );
  return withView(state, { diff: { ...state.view.diff, row: to, word: -1 } });
}

function nextRewrite(state: State, direction: 1 | -1): State {
  const items = codegenItems(state, insideOf(state, "codegen")?.width ?? 80);
  const { codegen } = state.view;
  const isHead = (_: unknown, i: number) => items[i]!.head === true && (direction > 0 ? i > codegen.row : i < codegen.row);
  const to = direction > 0 ? items.findIndex(isHead) : items.findLastIndex(isHead);
  return to < 0 ? say(state, `no rewrite ${direction > 0 ? "below" : "above"}`) : withView(state, { codegen: { ...codegen, row: to } });
}

function diffMode(state: State): State {
  const { mode } = state.view.diff;
  // Where the terminal is too narrow for two columns, unified comes by itself.
  let to = DIFF_MODES[(DIFF_MODES.indexOf(mode) + 1) % DIFF_MODES.length]!;
  if (to === "unified" && shownMode(state) === "unified") to = "IR";
  return reanchored(state, withView(state, { diff: { ...state.view.diff, mode: to } }));
}
function context(state: State, by: 1 | -1): State {
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

function mark(state: State): State {
  const { selected } = state.view.passes;
  const marked = state.view.mark === selected ? undefined : selected;
  const base = marked === undefined && state.view.diff.base === "mark" ? "previous" : state.view.diff.base;
  const next = withView(state, { mark: marked, diff: { ...state.view.diff, base } });
  return say(next, marked === undefined ? "the mark is gone" : "marked; ' holds other steps against it");
}
function againstMark(state: State): State {
  const { view } = state;
  if (view.mark === undefined) return say(state, "no step is marked; m marks the selected one");
  const base: View["diff"]["base"] = view.diff.base === "mark" ? "previous" : "mark";
  if (base === "mark" && view.mark === view.passes.selected) return say(state, "this step is the mark; select another one");
  return atFirstChange(withView(state, { diff: { ...view.diff, base, open: [] } }));
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
/** The first pass whose result is another than on the other side, held against that. */
function firstDifference(state: State): State {
  const { session, view } = state;
  const base = session.against ? "against" : session.baseline ? "baseline" : undefined;
  if (!base) return say(state, "nothing to hold against: o changes options, --against FILE brings another input");
  const name = session.against?.name ?? "the baseline";
  const first = stepsOf(session).find((step) => step.parent === undefined && differs(session, step));
  if (!first) return say(state, `no pass gives another result than with ${name}`);
  const there = atStep(withView(state, { diff: { ...view.diff, base, open: [] } }), first.index, true);
  return say(there, `the first difference to ${name}; ≠ marks the passes that differ, b goes back to the step before`);
}
function atFirstChange(state: State): State {
  return atStep(state, state.view.passes.selected, true);
}

function focus(state: State, pane: PaneId): State {
  if (pane === "source" && state.session.sources.length === 0)
    return say(state, "no Python source: the input's locations name no file that is here");
  const focused = withView(state, { focus: pane }, pane !== state.view.focus);
  return pane === "codegen" ? pastHeading(focused) : focused;
}
/** The cursor on the first row that leads somewhere, where it is still on the heading above. */
function pastHeading(state: State): State {
  const { codegen } = state.view;
  if (codegen.row > 0 || codegen.tab === "ptx" || codegen.tab === "rewrites") return state;
  const items = codegenItems(state, insideOf(state, "codegen")?.width ?? 80);
  return items[0]?.go || !items[1]?.go ? state : withView(state, { codegen: { ...codegen, row: 1 } });
}
function focusAway(state: State, by: 1 | -1): State {
  const order: PaneId[] = ["passes", "diff", "layout", "codegen"];
  if (state.session.sources.length > 0) order.push("source");
  return withView(state, { focus: order[(order.indexOf(state.view.focus) + by + order.length) % order.length]! });
}
function tab(state: State, by: 1 | -1): State {
  const { view } = state;
  const away = <T>(tabs: readonly T[], at: T): T => tabs[(tabs.indexOf(at) + by + tabs.length) % tabs.length]!;
  switch (view.focus) {
    case "layout":
      return withView(state, { layout: { ...view.layout, tab: away(LAYOUT_TABS, view.layout.tab), top: 0, left: 0 } });
    case "codegen":
      return withView(state, { codegen: { ...view.codegen, tab: away(CODEGEN_TABS, view.codegen.tab), row: 0, top: 0, left: 0 } });
    case "diff":
      return diffMode(state);
    case "passes":
      return withView(state, { passes: { ...view.passes, hideUnchanged: !view.passes.hideUnchanged } });
    case "source": {
      const count = state.session.sources.length;
      return withView(state, { source: { ...view.source, file: (view.source.file + by + count) % count, row: 0, top: 0 } });
    }
  }
}

function select(state: State): State {
  if (state.view.focus === "layout") return selectElement(state);
  if (state.view.focus === "passes") return mark(state);
  return enter(state);
}

function disable(state: State): State {
  const { settings } = state.session;
  const step = selectedStep(state);
  if (!settings) return say(state, "a dump cannot be rerun; e edits its IR and runs our passes on it");
  if (state.session.progress) return say(state, "still compiling");
  if (step?.kind !== "pass" || step.parent !== undefined) return say(state, "only passes of the pipeline can be switched off");
  const position = Number(step.label);
  return ask(say(state, `without ${step.flag} ...`), {
    kind: "compile",
    whatIf: { ...settings, disabled: [...settings.disabled, position] },
  });
}

function edit(state: State): State {
  if (state.view.focus === "source") {
    const file = state.session.sources[state.view.source.file];
    if (file) return ask(state, { kind: "edit-source", file: file.found, line: state.view.source.row + 1 });
  }
  if (state.session.progress) return say(state, "still compiling");
  const step = selectedStep(state);
  return step ? ask(state, { kind: "edit", step: step.index }) : state;
}

function copy(state: State): State {
  const at = cursorLine(state);
  return at ? ask(say(state, "copied the line"), { kind: "copy", text: at.text.trim() }) : say(state, "nothing to copy here");
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
