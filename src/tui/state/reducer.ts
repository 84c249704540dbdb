/** What every input does to the state: pure, so that it can be tested with plain objects and random keys. */

import { COMMANDS, type CommandId, isPrefix, keyTable } from "../keymap.js";
import { decodeInput, type Input } from "../keys.js";
import { runCommand } from "./commands.js";
import { pressed } from "./mouse.js";
import { list } from "./navigate.js";
import { overlayKey } from "./overlays.js";
import { settle } from "./settle.js";
import type { Session, Size, State, View } from "./state.js";
import { initialView, type Settings } from "./state.js";

export type Action =
  | { readonly type: "input"; readonly input: Input }
  | { readonly type: "resize"; readonly size: Size }
  /** The world changed: more passes are done, or another Trace is looked at. */
  | { readonly type: "session"; readonly session: Session; readonly select?: number }
  | { readonly type: "message"; readonly text: string; readonly kind: "info" | "error" }
  | { readonly type: "command"; readonly command: CommandId }
  /** The input can be opened in several ways. */
  | { readonly type: "choose"; readonly title: string; readonly choices: readonly string[] }
  /** The effects were taken by the shell. */
  | { readonly type: "taken" };

const MAX_PAST = 200;

export function initialState(session: Session, size: Size, settings: Settings, view: View = initialView()): State {
  return settle({
    size,
    session,
    view,
    overlay: undefined,
    pending: "",
    message: undefined,
    past: [],
    future: [],
    lastSearches: [],
    settings,
    effects: [],
  });
}

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "resize":
      return settle({ ...state, size: action.size });
    case "session": {
      const view = action.select === undefined ? state.view : { ...state.view, passes: { ...state.view.passes, selected: action.select } };
      return settle({ ...state, session: action.session, view });
    }
    case "message":
      return { ...state, message: { text: action.text, kind: action.kind } };
    case "command":
      return command(state, action.command);
    case "choose":
      return list(
        state,
        action.title,
        action.choices.map((text, choice) => ({ text, go: { to: "choice", choice } })),
      );
    case "taken":
      return { ...state, effects: [] };
    case "input":
      return action.input.kind === "mouse" ? remember(state, settle(pressed(calm(state), action.input))) : key(state, action.input.key);
  }
}

/** All inputs of a chunk of text, one after the other. */
export function reduceText(state: State, text: string): State {
  return decodeInput(text).reduce((s, input) => reduce(s, { type: "input", input }), state);
}

/** A message stands until the next key. */
const calm = (state: State): State => (state.message ? { ...state, message: undefined } : state);

function key(state: State, name: string): State {
  const quiet = calm(state);
  if (name === "ctrl+c") return command({ ...quiet, overlay: undefined }, "quit");
  if (name === "ctrl+z") return command(quiet, "suspend");
  if (quiet.overlay) return remember(state, settle(overlayKey(quiet, quiet.overlay, name)));
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
  "less-context",
  "more-context",
  "fold",
  "mark",
  "against-mark",
  "against-other",
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
  return { ...after, past: [...before.past, before.view].slice(-MAX_PAST), future: [] };
}
function sameView(a: View, b: View): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function history(state: State, id: "undo" | "redo"): State {
  const [from, to] = id === "undo" ? (["past", "future"] as const) : (["future", "past"] as const);
  const view = state[from].at(-1);
  if (!view) return { ...state, message: { text: `nothing to ${id}`, kind: "info" } };
  return { ...state, view, [from]: state[from].slice(0, -1), [to]: [...state[to], state.view] };
}

export { COMMANDS };
