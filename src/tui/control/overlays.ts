/** The effect of keys while an overlay is open. */
import { formKey } from "../form/keys.js";
import { keyTable } from "../keymap.js";
import { typedText } from "../keys.js";
import { matchesFilter, passItems } from "../panes/passes/model.js";
import { ask, type Overlay, type State, say, withView } from "../state/state.js";
import { helpLines } from "./help.js";
import { go, throughTime } from "./navigate.js";
import { overlayRect } from "./overlay-rect.js";
import { insertPass } from "./pass-order.js";
import { matchAway } from "./search.js";
import { edited } from "./text-edit.js";
import { typedCommand } from "./typed-command.js";
import { atStep } from "./walk.js";
import { whatIfProblem, whatIfRows } from "./what-if.js";

export function overlayKey(state: State, overlay: Overlay, key: string): State {
  switch (overlay.kind) {
    case "help":
      return helpKey(state, overlay, key);
    case "list":
      return listKey(state, overlay, key);
    case "prompt":
      return promptKey(state, overlay, key);
    case "what-if":
      return whatIfKey(state, overlay, key);
    case "form":
      return formKey(state, overlay, key);
  }
}

function helpKey(state: State, overlay: Extract<Overlay, { kind: "help" }>, key: string): State {
  const page = overlayRect(state, overlay).height - 2;
  if (overlay.typing) return { ...state, overlay: helpTyped(overlay, key) };
  if (key === "/") return { ...state, overlay: { ...overlay, filter: overlay.filter ?? "", typing: true } };
  if (key === "esc" && overlay.filter !== undefined) return { ...state, overlay: { ...overlay, filter: undefined, top: 0 } };
  const command = keyTable(state.settings.keys).get(key);
  const by =
    command === "down"
      ? 1
      : command === "up"
        ? -1
        : command === "page-down" || key === "space"
          ? page
          : command === "page-up"
            ? -page
            : command === "top" || key === "home"
              ? -1e6
              : command === "bottom"
                ? 1e6
                : 0;
  return by === 0 ? { ...state, overlay: undefined } : helpScrolled(state, overlay, by);
}
function helpScrolled(state: State, overlay: Extract<Overlay, { kind: "help" }>, by: number): State {
  const { width, height } = overlayRect(state, overlay);
  const last = helpLines(overlay, state.settings.keys, width - 4).length - (height - 2);
  return { ...state, overlay: { ...overlay, top: Math.max(0, Math.min(last, overlay.top + by)) } };
}

/** The help while a word is typed that its lines are to have. */
function helpTyped(overlay: Extract<Overlay, { kind: "help" }>, key: string): Overlay {
  const { filter = "" } = overlay;
  if (key === "esc") return { ...overlay, filter: undefined, typing: false };
  if (key === "enter") return { ...overlay, typing: false };
  const typed = key === "backspace" ? filter.slice(0, -1) : filter + (typedText(key) ?? "");
  return { ...overlay, filter: typed, top: 0 };
}

function listKey(state: State, overlay: Extract<Overlay, { kind: "list" }>, key: string): State {
  const page = Math.max(1, overlayRect(state, overlay).height - 3);
  const command = keyTable(state.settings.keys).get(key);
  const last = overlay.items.length - 1;
  const at = (row: number): State => listAt(state, overlay, row);
  if (key === "enter" || key === "space") {
    const item = overlay.items[overlay.row];
    return item?.go ? go(state, item) : state;
  }
  switch (command) {
    case "down":
      return at(overlay.row + 1);
    case "up":
      return at(overlay.row - 1);
    case "page-down":
      return at(overlay.row + page);
    case "page-up":
      return at(overlay.row - page);
    case "bottom":
      return at(last);
    case "left":
    case "right":
      return sideways(state, overlay, command === "left" ? -SIDEWAYS : SIDEWAYS);
    case "copy":
      return ask(say(state, "copied the list"), { kind: "copy", text: overlay.items.map((i) => `${i.text}\n`).join("") });
    case "cancel":
    case "quit":
    case "help":
      return { ...state, overlay: undefined };
    default:
      return key === "g" ? at(0) : state;
  }
}

/** Another row of a list under the cursor, in sight. */
function listAt(state: State, overlay: Extract<Overlay, { kind: "list" }>, row: number): State {
  const page = Math.max(1, overlayRect(state, overlay).height - 3);
  const next = Math.max(0, Math.min(overlay.items.length - 1, row));
  const top = Math.max(0, Math.min(Math.max(overlay.top, next - page), next));
  return { ...state, overlay: { ...overlay, row: next, top } };
}
/** The wheel over an overlay. */
export function overlayScrolled(state: State, overlay: Overlay, by: number): State {
  if (overlay.kind === "help") return helpScrolled(state, overlay, by);
  return overlay.kind === "list" ? listAt(state, overlay, overlay.row + by) : state;
}

/** Columns that h and l move a list by. */
const SIDEWAYS = 16;

function sideways(state: State, overlay: Extract<Overlay, { kind: "list" }>, by: number): State {
  const width = overlayRect(state, overlay).width - 4;
  const longest = Math.max(...overlay.items.map(({ text }) => text.length));
  const left = Math.max(0, Math.min((overlay.left ?? 0) + by, longest - width));
  return { ...state, overlay: { ...overlay, left } };
}

function promptKey(state: State, overlay: Extract<Overlay, { kind: "prompt" }>, key: string): State {
  const { text, at } = overlay;
  const edit = (next: string, cursor: number): State => live({ ...state, overlay: { ...overlay, text: next, at: cursor, offered: false } });
  const typed = typedText(key);
  if (typed !== undefined && overlay.offered) return edit(typed, typed.length);
  switch (key) {
    case "esc":
      return abandoned(state, overlay);
    case "enter":
      return accepted({ ...state, overlay: undefined }, overlay);
    case "up":
      return state.lastSearches[0] !== undefined && overlay.prompt !== "command"
        ? edit(state.lastSearches[0], state.lastSearches[0].length)
        : state;
    default: {
      if (key === "backspace" && text === "") return abandoned(state, overlay);
      const next = edited(overlay, at, key);
      return next ? edit(next.text, next.at) : state;
    }
  }
}

/** The filter is applied while it is typed. */
function live(state: State): State {
  const { overlay } = state;
  if (overlay?.kind !== "prompt" || overlay.prompt !== "filter") return state;
  return withView(state, { passes: { ...state.view.passes, filter: overlay.text } });
}
function abandoned(state: State, overlay: Extract<Overlay, { kind: "prompt" }>): State {
  const closed: State = { ...state, overlay: undefined };
  return overlay.prompt === "filter" ? withView(closed, { passes: { ...closed.view.passes, filter: "" } }) : closed;
}
function accepted(state: State, { prompt, text }: Extract<Overlay, { kind: "prompt" }>): State {
  if (prompt === "command") return typedCommand(state, text);
  if (text === "") return withView(state, { search: undefined });
  switch (prompt) {
    case "filter": {
      const filtered = withView(state, { passes: { ...state.view.passes, filter: text } });
      const first = passItems(filtered).find((item) => item.kind === "step" && matchesFilter(item.step, text));
      const { selected } = state.view.passes;
      const isMatch = matchesFilter(state.session.trace.steps[selected], text);
      return isMatch || first?.kind !== "step" ? filtered : atStep(filtered, first.step.index);
    }
    case "search": {
      const searching = withView(
        { ...state, lastSearches: [text, ...state.lastSearches].slice(0, 20) },
        { search: { pane: state.view.focus, text } },
      );
      return matchAway(searching, 1);
    }
    case "insert":
      return insertPass(state, text);
    case "through-time":
      return throughTime(state, text);
    case "export":
      return ask(say(state, `writing ${text} ...`), { kind: "export", path: text });
  }
}

function whatIfKey(state: State, overlay: Extract<Overlay, { kind: "what-if" }>, key: string): State {
  const rows = whatIfRows(overlay.draft, state.session.input);
  const command = keyTable(state.settings.keys).get(key);
  const row = Math.max(0, Math.min(rows.length - 1, overlay.row));
  const changed = (by: 1 | -1): State => ({ ...state, overlay: { ...overlay, row, draft: rows[row]!.change(by) } });
  if (key === "enter") {
    const problem = whatIfProblem(overlay.draft);
    if (problem !== undefined) return say(state, problem, "error");
    return ask(say({ ...state, overlay: undefined }, "compiling ..."), { kind: "compile", whatIf: overlay.draft });
  }
  switch (command) {
    case "down":
      return { ...state, overlay: { ...overlay, row: Math.min(rows.length - 1, row + 1) } };
    case "up":
      return { ...state, overlay: { ...overlay, row: Math.max(0, row - 1) } };
    case "left":
      return changed(-1);
    case "right":
    case "select":
      return changed(1);
    case "cancel":
    case "quit":
      return { ...state, overlay: undefined };
    default:
      if (key === "r" && state.session.baseline?.settings)
        return { ...state, overlay: { ...overlay, draft: state.session.baseline.settings } };
      return state;
  }
}
