/** The screen of a state, as text in boxes: `screen.tsx` gives it to Ink. Pure. */

import { wrapText } from "../support/wrap-text.js";
import { helpLines } from "./control/help.js";
import { overlayRect } from "./control/overlay-rect.js";
import { whatIfNote, whatIfRows } from "./control/what-if.js";
import { ansiRow } from "./draw/ansi.js";
import { ACCENT, BOLD, ERROR, KEY, line, MUTED, PLAIN, REVERSE, type Row, type Span, style, TITLE } from "./draw/style.js";
import { cut, fitting } from "./draw/text-width.js";
import { inkColour, type Theme } from "./draw/theme.js";
import { formRows } from "./form/rows.js";
import { COMMAND_IDS, COMMANDS, type CommandDef, type CommandId, keyLabel, keysOf } from "./keymap.js";
import { PANES } from "./panes/index.js";
import { type PaneDef, upperBorder } from "./panes/pane.js";
import { timeText } from "./panes/passes/model.js";
import { type Area, hasHead, placesOf, type Rect } from "./state/places.js";
import type { Overlay, State } from "./state/state.js";
import { PANE_TABLE, type PaneId } from "./state/view.js";
import { narratorHeight, narratorNote, narratorRows, narratorTitle } from "./tour/narrator.js";

/** Text with a border around it; each text is a row with its styles. */
export interface BoxView {
  readonly width: number;
  readonly height: number;
  /** Undefined for the terminal's own. */
  readonly colour: string | undefined;
  /** Where colours do not say it, the border does: the box has the keyboard. */
  readonly heavy: boolean;
  /** In the upper border: on the left and on the right. */
  readonly title: string;
  readonly tabs: string;
  /** In the lower border. */
  readonly note: string;
  readonly noteAt: "left" | "right";
  readonly rows: readonly string[];
  /** In the right border: first row, and rows. */
  readonly bar: { readonly at: number; readonly text: readonly string[] } | undefined;
}
export type AreaView = BoxView | { readonly split: "row" | "column"; readonly parts: readonly AreaView[] };
export interface Frame {
  readonly columns: number;
  readonly height: number;
  /** Undefined where there is no room for a pane; `lines` are the screen then. */
  readonly area: AreaView | undefined;
  readonly lines: readonly string[];
  /** The narrator of a tour, between the panes and the last line. */
  readonly narrator: BoxView | undefined;
  /** The box drawn over the panes. */
  readonly over: { readonly x: number; readonly y: number; readonly box: BoxView } | undefined;
  /** The part that could not be drawn says so in its place. */
  readonly failure: Error | undefined;
}

/** Lines are one fewer than the terminal has: a full screen would scroll. */
export function frame(state: State, theme: Theme): Frame {
  const { columns, rows } = state.size;
  const height = Math.max(1, rows - 1);
  const places = placesOf(state);
  let failure: Error | undefined;
  const text = (row: Row, width = columns) => ansiRow(theme, row, width);
  if (!places.area) {
    const lines = [line(cut("tt-step needs 40x10; q quits", columns)), line(cut(`this is ${columns}x${rows}`, columns), MUTED)];
    return {
      columns,
      height,
      area: undefined,
      lines: lines.slice(0, rows > 3 ? 2 : 1).map((row) => text(row)),
      narrator: undefined,
      over: undefined,
      failure,
    };
  }
  /** A part of the screen; one that fails says so in its place, and the others are drawn. */
  const attempt = <T>(draw: () => T, otherwise: (message: Row) => T): T => {
    try {
      return draw();
    } catch (error) {
      failure = error as Error;
      return otherwise(line(` internal error: ${failure.message}`, ERROR));
    }
  };
  const areaView = (area: Area): AreaView =>
    "split" in area
      ? { split: area.split, parts: area.parts.map(areaView) }
      : attempt(
          () => paneView(state, theme, area),
          (message) => boxView(theme, area, false, { rows: [message] }),
        );
  const area = areaView(places.area);
  const footer = attempt(
    () => (state.overlay?.kind === "prompt" ? promptRow(state.overlay, columns) : footerRow(state, columns)),
    (message) => message,
  );
  const { overlay } = state;
  const over =
    overlay && overlay.kind !== "prompt"
      ? attempt(
          () => overlayView(state, theme, overlay),
          (message) => ({ x: 0, y: 0, box: boxView(theme, { width: columns, height: 3 }, true, { rows: [message] }) }),
        )
      : overlay
        ? undefined
        : messageView(state, theme);
  const narrator = state.tour
    ? boxView(theme, { width: columns, height: narratorHeight(state) }, false, {
        title: narratorTitle(state),
        rows: narratorRows(state),
        note: line(narratorNote(state), MUTED),
      })
    : undefined;
  return { columns, height, area, lines: [text(footer)], narrator, over, failure };
}

const EDGE = style("comment");
const FOCUSED_EDGE = style("accent", "none", BOLD);

interface Parts {
  readonly title?: Row;
  readonly tabs?: Row;
  readonly note?: Row;
  readonly noteAt?: "left";
  readonly rows: readonly Row[];
  readonly bar?: { readonly at: number; readonly size: number };
  /** Whether rows are filled with blanks, so that the box hides the panes below. */
  readonly filled?: boolean;
}
function boxView(theme: Theme, { width, height }: Pick<Rect, "width" | "height">, focused: boolean, parts: Parts): BoxView {
  const text = (row: Row = []) => ansiRow(theme, row, width - 2);
  const { bar } = parts;
  const rows = parts.rows.slice(0, height - 2).map((row) => ansiRow(theme, row, width - 2, parts.filled));
  const edge = focused ? FOCUSED_EDGE : style("muted");
  return {
    width,
    height,
    colour: inkColour(theme, focused ? "accent" : "comment"),
    heavy: focused && theme.name === "none",
    title: text(parts.title),
    tabs: text(parts.tabs),
    note: text(parts.note),
    noteAt: parts.noteAt ?? "right",
    rows: parts.filled ? [...rows, ...Array.from({ length: height - 2 - rows.length }, () => " ".repeat(width - 2))] : rows,
    bar: bar && { at: bar.at, text: Array.from({ length: bar.size }, () => ansiRow(theme, line("┃", edge), 1)) },
  };
}

/** A pane in its frame: key, title and tabs above, a note below, a scroll bar at the side. */
function paneView(
  state: State,
  theme: Theme,
  { pane, width, height }: { readonly pane: PaneId; readonly width: number; readonly height: number },
): BoxView {
  const def: PaneDef<unknown> = PANES[pane] as PaneDef<unknown>;
  const focused = state.view.focus === pane;
  const headed = hasHead(pane, height);
  const inside = { width: width - 2, height: height - 2 - (headed ? 1 : 0) };
  const border = upperBorder(def, state, width);
  const tabText = tabsSpans(border.labels, border.active);
  const title = fitting(border.title, width - 6 - (tabText.length > 0 ? spansWidth(tabText) + 1 : 0));
  const note = def.note?.(state) ?? "";
  const bar = barOf(def.length(state, inside), def.top(state), inside.height);
  return boxView(theme, { width, height }, focused, {
    title: [
      [PANE_TABLE[pane].key, focused ? KEY : style("key")],
      [` ${title} `, focused ? TITLE : PLAIN],
    ],
    tabs: tabText,
    note: note === "" ? [] : line(` ${fitting(note, width - 6)} `, focused ? ACCENT : MUTED),
    rows: headed ? [def.head?.(state, inside.width) ?? [], ...def.rows(state, inside)] : def.rows(state, inside),
    ...(bar ? { bar: { ...bar, at: bar.at + (headed ? 1 : 0) } } : {}),
  });
}

const spansWidth = (spans: readonly Span[]): number => spans.reduce((n, [text]) => n + text.length, 0);
/** `[memory|mma|ptx]`, the active one lit. */
function tabsSpans(labels: ReturnType<typeof upperBorder>["labels"], active: string): Span[] {
  if (labels.length === 0) return [];
  const spans = labels.flatMap(([label, tab], i): Span[] => [
    ...(i > 0 ? [["|", EDGE] as const] : []),
    [label, tab === active ? style("accent", "none", BOLD) : EDGE],
  ]);
  return [["[", EDGE], ...spans, ["]", EDGE]];
}

function barOf(length: number, top: number, height: number): { readonly at: number; readonly size: number } | undefined {
  if (length <= height || height < 3) return undefined;
  const size = Math.max(1, Math.round((height * height) / length));
  return { at: Math.round(((height - size) * Math.min(top, length - height)) / Math.max(1, length - height)), size };
}

/** Progress, a message, or the keys that fit. */
function footerRow(state: State, width: number): Row {
  const { message, session, pending } = state;
  const row: Span[] = [];
  if (session.progress && session.progress.ms >= 200) {
    const { done, total, what, ms } = session.progress;
    const bar = 16;
    const full = Math.round((bar * done) / Math.max(1, total));
    const pass = message && width < 120 ? "" : ` ${what} ${timeText(ms)}`;
    row.push([` ${"█".repeat(full)}${"░".repeat(bar - full)} ${done}/${total}${pass} `, ACCENT]);
  }
  const x = spansWidth(row);
  row.push([" ", PLAIN]);
  if (message && !isLong(state)) row.push([cut(message.text, width - x - 2), message.kind === "error" ? ERROR : style("title")]);
  else if (session.failure !== undefined && x === 0) row.push([cut(session.failure, width - 2), ERROR]);
  else if (pending !== "") row.push(...pendingKeys(state));
  else row.push(...footerKeys(state, width - x - 2));
  return row;
}

/** Whether the last line has no room for the message. */
const isLong = ({ message, size, session, overlay }: State): boolean =>
  message !== undefined && !session.progress && !overlay && message.text.length > size.columns - 2;

/** A long message, in a box above the last line. */
function messageView(state: State, theme: Theme): Frame["over"] {
  const { message, size } = state;
  if (!message || !isLong(state)) return undefined;
  const width = size.columns;
  const colour = message.kind === "error" ? ERROR : style("title");
  const rows = wrapText(message.text, width - 4).map((text) => line(` ${text}`, colour));
  const height = Math.min(rows.length + 2, size.rows - 2);
  return { x: 0, y: size.rows - 2 - height, box: boxView(theme, { width, height }, true, { rows, filled: true }) };
}

/** A prompt takes the footer's place. */
function promptRow({ label, text, at, offered }: Extract<Overlay, { kind: "prompt" }>, width: number): Row {
  const room = width - label.length - 2;
  const from = Math.max(0, at - room + 1);
  return [
    [` ${label}`, KEY],
    [text.slice(from, at), offered ? style("title", "selected") : style("title")],
    [text[at] ?? " ", style("title", "none", REVERSE)],
    [text.slice(at + 1, from + room), style("title")],
  ];
}

/** `. pass  > changed pass  n next change ...`, as many as fit; help and quit always. */
export function footerKeys(state: State, width: number): Row {
  const keys = state.settings.keys;
  const hints = COMMAND_IDS.flatMap((id): { id: CommandId; word: string; rank: number }[] => {
    const { footer, group }: CommandDef = COMMANDS[id];
    const general = typeof footer === "string";
    const word = id === "next" && state.view.search ? "next match" : general ? footer : footer?.[state.view.focus];
    // Stepping first, then what the pane in question has.
    return word === undefined ? [] : [{ id, word, rank: general ? (group === "Passes" ? 0 : 2) : 1 }];
  }).sort((a, b) => a.rank - b.rank);
  const pairs: Partial<Record<CommandId, CommandId>> = {
    "next-pass": "previous-pass",
    "next-changed": "previous-changed",
    next: "previous",
    "next-tab": "previous-tab",
  };
  const text = ({ id, word }: { id: CommandId; word: string }): readonly [string, string] => {
    const other = pairs[id];
    return [`${other ? `${keyLabel(keysOf(other, keys)[0]!)} ` : ""}${keyLabel(keysOf(id, keys)[0]!)}`, word];
  };
  const last = hints.filter((h) => h.id === "help" || h.id === "quit").map(text);
  let room = width - last.reduce((n, [k, w]) => n + k.length + w.length + 3, 0);
  const spans: Span[] = [];
  const add = ([k, w]: readonly [string, string]) => spans.push([k, KEY], [` ${w}  `, MUTED]);
  for (const hint of hints) {
    if (hint.id === "help" || hint.id === "quit") continue;
    const pair = text(hint);
    const length = pair[0].length + pair[1].length + 3;
    if (length > room) break;
    room -= length;
    add(pair);
  }
  last.forEach(add);
  return spans;
}

/** The keys that may follow those pressed so far. */
function pendingKeys(state: State): Row {
  const spans: Span[] = [[`${state.pending} `, KEY]];
  for (const id of COMMAND_IDS)
    for (const key of keysOf(id, state.settings.keys))
      if (key.startsWith(`${state.pending} `)) spans.push([key.slice(state.pending.length + 1), KEY], [` ${shortTitle(id)}  `, MUTED]);
  return spans;
}
function shortTitle(id: CommandId): string {
  return id.replaceAll("-", " ");
}

function overlayView(state: State, theme: Theme, overlay: Exclude<Overlay, { kind: "prompt" }>): NonNullable<Frame["over"]> {
  const { x, y, width, height } = overlayRect(state, overlay);
  const inner = { width: width - 4, height: height - 2 };
  const title =
    overlay.kind === "help"
      ? overlay.filter === undefined
        ? "keys"
        : `keys /${overlay.filter}${overlay.typing ? "_" : ""}`
      : overlay.kind === "what-if"
        ? "what if"
        : overlay.kind === "form"
          ? overlay.form.title
          : overlay.title;
  const hint =
    overlay.kind === "list"
      ? overlay.items.some(({ go }) => go)
        ? "enter goes there · y copies · esc closes"
        : "j k h l scroll · y copies · esc closes"
      : overlay.kind === "what-if"
        ? "←→ change · enter runs · r as it was · esc closes"
        : overlay.kind === "form"
          ? "type to change · ↑↓ fields · enter compiles · esc closes"
          : overlay.typing
            ? "enter keeps these · esc all keys"
            : "j k scroll · / looks for a word · any other key closes";
  const rows =
    overlay.kind === "help"
      ? helpRows(state, overlay, inner.width).slice(overlay.top)
      : overlay.kind === "list"
        ? listRows(overlay, inner.width)
        : overlay.kind === "form"
          ? formRows(overlay, inner)
          : whatIfPaneRows(state, overlay, inner.width).slice(Math.max(0, overlay.row + 3 - inner.height));
  const box = boxView(theme, { width, height }, true, {
    title: line(` ${cut(title, width - 6)} `, TITLE),
    note: line(` ${cut(hint, width - 6)} `, MUTED),
    noteAt: "left",
    rows: rows.map((row) => [[" ", PLAIN], ...row]),
    filled: true,
  });
  return { x, y, box };
}

function helpRows(state: State, overlay: Extract<Overlay, { kind: "help" }>, width: number): Row[] {
  const rows = helpLines(overlay, state.settings.keys, width).map(
    (help): Row =>
      "group" in help
        ? line(help.group, TITLE)
        : [
            [help.keys, KEY],
            [help.text, PLAIN],
          ],
  );
  return rows.length > 0 ? rows : [line(`no key is about '${overlay.filter}'`, MUTED)];
}

function listRows({ items, row, top, left = 0 }: Extract<Overlay, { kind: "list" }>, width: number): Row[] {
  return items.slice(top).map((item, i): Row => {
    const text = cut(item.text.slice(left), width);
    if (top + i === row) return line(text.padEnd(width), style("title", "selected", BOLD));
    return line(text, (item.muted ?? !item.go) ? MUTED : PLAIN);
  });
}

function whatIfPaneRows({ session }: State, { draft, row }: Extract<Overlay, { kind: "what-if" }>, width: number): Row[] {
  return [
    [],
    ...whatIfRows(draft, session.input).map((item, i): Row => {
      const text = `  ${item.name.padEnd(34)}  ‹ ${item.value} ›`;
      const note = cut(`  ${whatIfNote(session, draft, item)}`, width - text.length);
      if (i === row) return line((text + note).padEnd(width), style("title", "selected", BOLD));
      return [
        [text, PLAIN],
        [note, note.startsWith("  was ") ? style("changed", "none", BOLD) : MUTED],
      ];
    }),
  ];
}
