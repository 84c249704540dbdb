/** The change of the state by every input: pure, so that it can be tested with plain objects and random keys. */

import type { Tour } from "../../learn/tour.js";
import { type CommandId, isPrefix, keyTable } from "../keymap.js";
import { charactersOf, type TerminalInput } from "../keys.js";
import { initialView } from "../panes/index.js";
import { type Computed, type Moment, type Session, type Settings, type Size, type State, say } from "../state/state.js";
import { otherSide } from "../state/steps.js";
import type { View } from "../state/view.js";
import { atTourStep, followed, withOutput } from "../tour/tour.js";
import { runCommand } from "./commands.js";
import { withComputed } from "./computed.js";
import { pressed } from "./mouse.js";
import { arrived, withOpened } from "./open-state.js";
import { overlayKey } from "./overlays.js";
import { settle } from "./settle.js";

export type Action =
  | { readonly type: "input"; readonly input: TerminalInput }
  | { readonly type: "resize"; readonly size: Size }
  /** The world changed: more passes are done, or another Trace is looked at. */
  | { readonly type: "session"; readonly session: Session; readonly select?: number }
  /** A what-if or an edit begins: `u` comes back to what was before. */
  | { readonly type: "begin"; readonly session: Session }
  /** More is known of the Traces that are looked at. */
  | { readonly type: "computed"; readonly computed: Computed }
  | { readonly type: "message"; readonly text: string; readonly kind: "info" | "error" }
  | { readonly type: "command"; readonly command: CommandId }
  /** The screen that a command line asks for. */
  | { readonly type: "screen"; readonly screen: string }
  /** A tour begins, or goes on at a step. */
  | { readonly type: "tour"; readonly tour: Tour; readonly at: number }
  /** The output of a command that was asked for. */
  | { readonly type: "output"; readonly title: string; readonly text: string }
  /** The effects were taken by the shell. */
  | { readonly type: "taken" };

const MAX_PAST = 200;
/** Sessions before what-ifs that are kept for `u`. */
const MAX_SESSIONS = 4;

export function initialState(session: Session, size: Size, settings: Settings, view: View = initialView()): State {
  return settle({
    size,
    session,
    view,
    overlay: undefined,
    dragged: undefined,
    pending: "",
    message: undefined,
    awaited: undefined,
    awaitsDifference: false,
    past: [],
    future: [],
    lastSearches: [],
    settings,
    tour: undefined,
    effects: [],
  });
}

/** The state after an action, with effects for the shell to do. */
export const reduce = (state: State, action: Action): State => followed(reduced(state, action));

function reduced(state: State, action: Action): State {
  switch (action.type) {
    case "resize":
      return settle({ ...state, size: action.size });
    case "session": {
      let { view } = state;
      if (action.select !== undefined) view = { ...view, passes: { ...view.passes, selected: action.select } };
      // A comparison opens with what the final codes are made of.
      if (isComparison(action.session) && !isComparison(state.session))
        view = { ...view, lower: "codegen", codegen: { ...view.codegen, tab: "compare", row: 0, top: 0, left: 0 } };
      // A Python kernel is read beside its IR.
      if (action.session.form && action.session.sources.length > 0 && state.session.sources.length === 0)
        view = { ...view, diff: { ...view.diff, python: true } };
      return settle(arrived(settle({ ...state, session: action.session, view })));
    }
    case "begin": {
      const past = [...state.past, momentOf(state)].slice(-MAX_PAST);
      const kept = new Set([...new Set(past.map((m) => m.session.generation))].slice(-MAX_SESSIONS));
      return settle({ ...state, session: action.session, past: past.filter((m) => kept.has(m.session.generation)), future: [] });
    }
    case "computed":
      return differenceArrived(settle(arrived(withComputed(state, action.computed))));
    case "message":
      return { ...state, message: action.text === "" ? undefined : { text: action.text, kind: action.kind } };
    case "command":
      return command(state, action.command);
    case "screen":
      return withOpened(state, action.screen);
    case "tour":
      return settle(atTourStep(state, action.tour, action.at));
    case "output":
      return withOutput(state, action.title, action.text);
    case "taken":
      return { ...state, effects: [] };
    case "input":
      return input(state, action.input);
  }
}

function input(state: State, given: TerminalInput): State {
  switch (given.kind) {
    case "key":
      return key(state, given.key);
    case "paste":
      // As one line; where no text is typed its letters would be commands.
      if (!takesText(state.overlay)) return say(state, "pasted text is no keys: it goes into prompts, such as / and :");
      return reduceInputs(state, charactersOf(given.text.trim().replace(/\s+/g, " ").slice(0, LONGEST_PASTE)));
    case "mouse":
      return remember(state, settle(pressed(calm(state), given)));
  }
}

/** Characters of pasted text that are taken: no signature, path or search is longer, and each is a key. */
const LONGEST_PASTE = 4096;

const isComparison = (session: Session): boolean => !session.progress && otherSide(session) !== undefined;

const takesText = (overlay: State["overlay"]): boolean =>
  overlay?.kind === "what-if"
    ? overlay.editing !== undefined
    : overlay?.kind === "help"
      ? overlay.typing
      : /^(?:prompt|form)$/.test(overlay?.kind ?? "");

/** Inputs one after the other. */
export function reduceInputs(state: State, inputs: readonly TerminalInput[]): State {
  return inputs.reduce((s, input) => reduce(s, { type: "input", input }), state);
}

function differenceArrived(state: State): State {
  if (!state.awaitsDifference || state.session.computed.differing.size === 0) return state;
  return command({ ...state, awaitsDifference: false }, "first-difference");
}

/** A message is shown, and a screen or difference awaited, until the next key. */
const calm = (state: State): State =>
  state.message || state.awaited || state.awaitsDifference
    ? { ...state, message: undefined, awaited: undefined, awaitsDifference: false }
    : state;

function key(state: State, name: string): State {
  const quiet = calm(state);
  if (name === "ctrl+c") return command({ ...quiet, overlay: undefined }, "quit");
  if (name === "ctrl+z") return command(quiet, "suspend");
  // The narrator is heard over a list.
  const inTour = quiet.overlay?.kind === "list" && /^tour-/.test(keyTable(quiet.settings.keys).get(name) ?? "");
  if (quiet.overlay && !inTour) return remember(state, settle(overlayKey(quiet, quiet.overlay, name)));
  const sequence = quiet.pending === "" ? name : `${quiet.pending} ${name}`;
  const found = keyTable(quiet.settings.keys).get(sequence);
  const rested = { ...quiet, pending: "" };
  if (found) return command(rested, found);
  if (isPrefix(quiet.settings.keys, sequence)) return { ...rested, pending: sequence };
  if (quiet.pending !== "")
    return name === "esc" ? rested : { ...rested, message: { text: `no key ${sequence}; ? shows all keys`, kind: "info" } };
  return { ...rested, message: { text: `no key ${name}; ? shows all keys`, kind: "info" } };
}

/** Commands after which `u` comes back to the view before. */
const UNDOABLE: ReadonlySet<CommandId> = new Set<CommandId>([
  "top",
  "bottom",
  "next",
  "previous",
  "previous-changed",
  "next-changed",
  "hide-unchanged",
  "nested",
  "diff-mode",
  "python",
  "short-types",
  "wrap",
  "less-context",
  "more-context",
  "fold",
  "mark",
  "against-mark",
  "against-other",
  "first-difference",
  "definition",
  "source",
  "zoom",
  "unzoom",
  "enter",
  "colour",
]);

function command(state: State, id: CommandId): State {
  if (id === "undo" || id === "redo") return settle(history(state, id));
  const next = settle(runCommand(state, id));
  return UNDOABLE.has(id) ? remember(state, next) : next;
}

/** Keeps the view before, where the view is another now. */
function remember(before: State, after: State): State {
  if (before.view === after.view || sameView(before.view, after.view)) return after;
  return { ...after, past: [...before.past, momentOf(before)].slice(-MAX_PAST), future: [] };
}
function momentOf({ view, session }: State): Moment {
  return { view, session };
}
function sameView(a: View, b: View): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function history(state: State, id: "undo" | "redo"): State {
  const [from, to] = id === "undo" ? (["past", "future"] as const) : (["future", "past"] as const);
  const moment = state[from].at(-1);
  if (!moment) return { ...state, message: { text: `nothing to ${id}`, kind: "info" } };
  const left = { ...state, view: moment.view, [from]: state[from].slice(0, -1) };
  // Within a session the Trace goes on growing: only the view goes back.
  if (moment.session.generation === state.session.generation) {
    const { kernel } = moment.session;
    const session = state.session.kernel === kernel ? state.session : { ...state.session, kernel };
    return { ...left, session, [to]: [...state[to], momentOf(state)] };
  }
  const text = id === "undo" ? "as it was before; ^r does it again" : "done again; u undoes it";
  // A compilation that is given up is nothing to come back to.
  const gone = state.session.progress ? state[to] : [...state[to], momentOf(state)];
  return { ...left, session: moment.session, [to]: gone, message: { text, kind: "info" } };
}
