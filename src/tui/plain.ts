/** The UI as text, a section at a time: for screen readers, and where nothing can be drawn. It takes the keys of the UI, a line each. */
import { helpLines } from "./control/help.js";
import { type WhatIfRow, whatIfNote, whatIfRows } from "./control/what-if.js";
import { type Row, textOf } from "./draw/style.js";
import { formRows } from "./form/rows.js";
import { charactersOf, type TerminalInput } from "./keys.js";
import { PANE_IDS, PANES } from "./panes/index.js";
import type { PaneDef } from "./panes/pane.js";
import { selectedRow } from "./panes/passes/model.js";
import type { State, WhatIf } from "./state/state.js";
import { PANE_TABLE } from "./state/view.js";

/** A pane, or what is over the panes. */
export interface Section {
  readonly title: string;
  readonly rows: readonly string[];
  /** The row under the cursor. */
  readonly cursor: number;
}
/** Wide enough for all but very long lines; below the width at which two sides would be beside each other. */
export const PLAIN_SIZE = { columns: 190, rows: 50 } as const;
const MAX_ROWS = 100_000;

/** The section that has the keyboard. */
export function section(state: State): Section {
  const { overlay, view } = state;
  if (overlay) return overlaySection(state, overlay);
  const pane = PANES[view.focus] as PaneDef<unknown>;
  const tabs = pane.tabs?.(state);
  const top = { ...state, view: { ...view, [view.focus]: { ...view[view.focus], top: 0, left: 0 } } };
  const rows = pane.rows(top, { width: PLAIN_SIZE.columns - 2, height: MAX_ROWS }).map(textRow);
  const cursor = view.focus === "passes" ? selectedRow(state) : view.focus === "layout" ? 0 : view[view.focus].row;
  const of = tabs ? `, ${tabs.active} of ${tabs.names.join(", ")}` : "";
  return { title: `${PANE_TABLE[view.focus].key} ${view.focus}: ${pane.title(state)}${of}`, rows, cursor: Math.max(0, cursor) };
}
const textRow = (row: Row): string => textOf(row).trimEnd();

function whatIfText({ session }: State, draft: WhatIf, row: WhatIfRow): string {
  const note = whatIfNote(session, draft, row);
  return `${row.name}: ${row.value}${note === "" ? "" : `, ${note}`}`;
}
function overlaySection(state: State, overlay: NonNullable<State["overlay"]>): Section {
  switch (overlay.kind) {
    case "list":
      return { title: overlay.title, rows: overlay.items.map(({ text }) => text), cursor: overlay.row };
    case "help": {
      const lines = helpLines(overlay, state.settings.keys, PLAIN_SIZE.columns);
      return { title: "keys", rows: lines.map((line) => ("group" in line ? line.group : `${line.keys.trim()}: ${line.text}`)), cursor: 0 };
    }
    case "what-if":
      return {
        title: "what if",
        rows: whatIfRows(overlay.draft, state.session.input).map((row) => whatIfText(state, overlay.draft, row)),
        cursor: overlay.row,
      };
    case "form":
      return {
        title: overlay.form.title,
        rows: formRows(overlay, { width: PLAIN_SIZE.columns, height: 100 }).map(textRow),
        cursor: overlay.row,
      };
    case "prompt":
      return { title: overlay.label, rows: [overlay.text], cursor: 0 };
    default:
      return { title: "", rows: [], cursor: 0 };
  }
}

/** So many rows are said at once. */
export const PART = 24;
/** A part of a section, from a row on: its title where it begins, the rows, and how many are left. */
export function sectionText({ title, rows, cursor }: Section, from: number): string {
  const part = rows.slice(from, from + PART).map((row, i) => `${from + i === cursor ? "> " : "  "}${row}`);
  const left = rows.length - from - part.length;
  return [title, ...part, ...(left > 0 ? [`(${left} more rows; enter goes on)`] : [])].join("\n");
}

/** The keys that a line means: a name of a key, or characters; what is typed into a prompt ends with enter. */
export function keysOfLine(line: string): readonly TerminalInput[] {
  if (/^(?:enter|esc|space|tab|shift\+tab|up|down|left|right|home|end|pgup|pgdn|ctrl\+\w)$/.test(line)) return [{ kind: "key", key: line }];
  const opensPrompt = /^(?:[:/]|g\/)./.test(line);
  return [...charactersOf(line), ...(opensPrompt ? ([{ kind: "key", key: "enter" }] as const) : [])];
}

/** The key of the pane that shows the result of a line, where that is not the one with the keyboard: `:coalesce` is about the diff, `w` about "why". */
export function elsewhere(typed: string, before: State["view"], { view, overlay }: State): string | undefined {
  if (overlay) return undefined;
  if (typed === "w" && view.codegen.tab === "why" && view.focus !== "codegen") return PANE_TABLE.codegen.key;
  const isOther = view.upper !== before.upper || view.passes.selected !== before.passes.selected;
  return typed.startsWith(":") && isOther && view.upper === "diff" && view.focus === "passes" ? PANE_TABLE.diff.key : undefined;
}

export const PLAIN_HELP = `Each line is keys of the UI: j and k move, ${PANE_IDS.map((id) => `${PANE_TABLE[id].key} ${id}`).join(", ")}, . the next pass, :coalesce goes to a pass,
/text searches, w says why, enter, esc, space and tab are written out. An empty line goes on, = says the section again, ? has all keys, q quits.`;
