/** What keys do while something lies over the panes. */
import { checkOptions } from "../../backend/nvidia/options.js";
import { CAPABILITIES } from "../../gpu/nvidia.js";
import type { Rect } from "../draw/canvas.js";
import { COMMAND_IDS, GROUPS, keyTable } from "../keymap.js";
import { typedText } from "../keys.js";
import { type Overlay, type State, type WhatIf, withView } from "../state/state.js";
import { ask, say } from "./commands.js";
import { go, matchAway, throughTime } from "./navigate.js";
import { typedCommand } from "./typed-command.js";

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
  }
}

/** Where an overlay stands; prompts are in the last line. */
export function overlayRect({ size }: State, overlay: Overlay): Rect {
  const { columns, rows } = size;
  const height =
    overlay.kind === "help"
      ? HELP_LINES + 2
      : overlay.kind === "list"
        ? Math.max(3, overlay.items.length + 2)
        : overlay.kind === "what-if"
          ? whatIfRows(overlay.draft).length + 4
          : 1;
  if (overlay.kind === "prompt") return { x: 0, y: rows - 2, width: columns, height: 1 };
  const width = Math.min(columns - 2, overlay.kind === "help" ? 104 : overlay.kind === "what-if" ? 74 : 150);
  const fits = Math.max(3, Math.min(height, rows - 3));
  return { x: Math.max(0, Math.floor((columns - width) / 2)), y: Math.max(0, Math.floor((rows - 1 - fits) / 2)), width, height: fits };
}
const HELP_LINES = COMMAND_IDS.length + GROUPS.length * 2;

function helpKey(state: State, overlay: Extract<Overlay, { kind: "help" }>, key: string): State {
  const page = overlayRect(state, overlay).height - 2;
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
  if (by === 0) return { ...state, overlay: undefined };
  return { ...state, overlay: { ...overlay, top: Math.max(0, Math.min(HELP_LINES - page, overlay.top + by)) } };
}

function listKey(state: State, overlay: Extract<Overlay, { kind: "list" }>, key: string): State {
  const page = Math.max(1, overlayRect(state, overlay).height - 3);
  const command = keyTable(state.settings.keys).get(key);
  const last = overlay.items.length - 1;
  const at = (row: number): State => {
    const next = Math.max(0, Math.min(last, row));
    const top = Math.max(0, Math.min(Math.max(overlay.top, next - page), next));
    return { ...state, overlay: { ...overlay, row: next, top } };
  };
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

function promptKey(state: State, overlay: Extract<Overlay, { kind: "prompt" }>, key: string): State {
  const { text, at } = overlay;
  const edit = (next: string, cursor: number): State =>
    live({ ...state, overlay: { ...overlay, text: next, at: Math.max(0, Math.min(next.length, cursor)), offered: false } });
  const typed = typedText(key);
  if (typed !== undefined && overlay.offered) return edit(typed, typed.length);
  if (typed !== undefined) return edit(text.slice(0, at) + typed + text.slice(at), at + typed.length);
  switch (key) {
    case "esc":
      return abandoned(state, overlay);
    case "enter":
      return accepted({ ...state, overlay: undefined }, overlay);
    case "backspace":
      return at === 0 ? (text === "" ? abandoned(state, overlay) : state) : edit(text.slice(0, at - 1) + text.slice(at), at - 1);
    case "delete":
      return edit(text.slice(0, at) + text.slice(at + 1), at);
    case "left":
      return edit(text, at - 1);
    case "right":
      return edit(text, at + 1);
    case "home":
    case "ctrl+a":
      return edit(text, 0);
    case "end":
    case "ctrl+e":
      return edit(text, text.length);
    case "ctrl+u":
      return edit(text.slice(at), 0);
    case "ctrl+w": {
      const from = text.slice(0, at).replace(/\S+\s*$/, "").length;
      return edit(text.slice(0, from) + text.slice(at), from);
    }
    case "up":
      return state.lastSearches[0] !== undefined && overlay.prompt !== "command"
        ? edit(state.lastSearches[0], state.lastSearches[0].length)
        : state;
    default:
      return state;
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
    case "filter":
      return withView(state, { passes: { ...state.view.passes, filter: text } });
    case "search": {
      const searching = withView(
        { ...state, lastSearches: [text, ...state.lastSearches].slice(0, 20) },
        { search: { pane: state.view.focus, text } },
      );
      return matchAway(searching, 1);
    }
    case "through-time":
      return throughTime(state, text);
    case "export":
      return ask(say(state, `writing ${text} ...`), { kind: "export", path: text });
  }
}

/** One thing that can be changed. */
export interface WhatIfRow {
  readonly name: string;
  readonly value: string;
  /** The draft with the value changed to the next or the one before. */
  readonly change: (by: 1 | -1) => WhatIf;
}

const DIVISIBILITY = [undefined, 1, 2, 4, 8, 16, 32] as const;

export function whatIfRows(draft: WhatIf): WhatIfRow[] {
  const { options } = draft;
  const away = <T>(values: readonly T[], at: T, by: number): T =>
    values[Math.max(0, Math.min(values.length - 1, values.indexOf(at) + by))] ?? at;
  const rows: WhatIfRow[] = [
    {
      name: "target",
      value: `cuda:${draft.capability}`,
      change: (by) => ({ ...draft, capability: away(CAPABILITIES, draft.capability, by) }),
    },
    {
      name: "num_warps",
      value: String(options.numWarps),
      change: (by) => ({ ...draft, options: { ...options, numWarps: away([1, 2, 4, 8, 16, 32], options.numWarps, by) } }),
    },
    {
      name: "num_stages",
      value: String(options.numStages),
      change: (by) => ({ ...draft, options: { ...options, numStages: Math.max(1, Math.min(8, options.numStages + by)) } }),
    },
    {
      name: "num_ctas",
      value: String(options.numCtas),
      change: (by) => ({ ...draft, options: { ...options, numCtas: away([1, 2, 4, 8], options.numCtas, by) } }),
    },
    {
      name: "enable_fp_fusion",
      value: String(options.enableFpFusion),
      change: () => ({ ...draft, options: { ...options, enableFpFusion: !options.enableFpFusion } }),
    },
  ];
  draft.divisibility.forEach(([argument, by], i) => {
    if (argument === "") return;
    rows.push({
      name: `divisibility of ${argument}`,
      value: by === undefined ? "unknown" : String(by),
      change: (direction) => ({
        ...draft,
        divisibility: draft.divisibility.map((d, k) =>
          k === i ? ([argument, away<number | undefined>(DIVISIBILITY, by, direction)] as const) : d,
        ),
      }),
    });
  });
  for (const position of draft.disabled)
    rows.push({
      name: `pass ${position} is off`,
      value: "off",
      change: () => ({ ...draft, disabled: draft.disabled.filter((p) => p !== position) }),
    });
  return rows;
}

function whatIfKey(state: State, overlay: Extract<Overlay, { kind: "what-if" }>, key: string): State {
  const rows = whatIfRows(overlay.draft);
  const command = keyTable(state.settings.keys).get(key);
  const row = Math.max(0, Math.min(rows.length - 1, overlay.row));
  const changed = (by: 1 | -1): State => ({ ...state, overlay: { ...overlay, row, draft: rows[row]!.change(by) } });
  if (key === "enter") {
    const problem = checkOptions(overlay.draft.options, overlay.draft.capability);
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
