/** The whole screen of a state, as a canvas: panes in their frames, the footer, and what lies over them. Pure. */

import { overlayRect, whatIfRows } from "./control/overlays.js";
import { Canvas, type Rect } from "./draw/canvas.js";
import { ACCENT, BOLD, ERROR, KEY, line, MUTED, PLAIN, type Row, type Span, style, TITLE } from "./draw/style.js";
import { cut, textWidth } from "./draw/text-width.js";
import { COMMAND_IDS, COMMANDS, type CommandDef, type CommandId, GROUPS, keyLabel, keysOf } from "./keymap.js";
import { paneModel } from "./panes/index.js";
import { timeText } from "./panes/passes/model.js";
import { type Placed, placesOf } from "./state/places.js";
import type { Overlay, State } from "./state/state.js";

const EDGE = style("comment");
const FOCUSED_EDGE = style("accent", "none", BOLD);

/** Lines are one fewer than the terminal has: a full screen would scroll. */
export function frame(state: State): Canvas {
  const { columns, rows } = state.size;
  const canvas = new Canvas(Math.max(1, columns), Math.max(1, rows - 1));
  const places = placesOf(state);
  if (places.kind === "tiny") {
    canvas.text(0, 0, cut("tt-step needs 40x10; q quits", columns), PLAIN);
    if (rows > 3) canvas.text(0, 1, cut(`this is ${columns}x${rows}`, columns), MUTED);
    return canvas;
  }
  for (const placed of places.panes) attempt(canvas, placed.rect, () => drawPane(canvas, state, placed));
  attempt(canvas, { x: 0, y: places.footer, width: columns, height: 1 }, () => drawFooter(canvas, state, places.footer));
  const { overlay } = state;
  if (overlay) attempt(canvas, { x: 0, y: places.footer, width: columns, height: 1 }, () => drawOverlay(canvas, state, overlay));
  return canvas;
}

/** Draws a part of the screen; one that fails says so in its place, and the others are drawn. */
function attempt(canvas: Canvas, rect: Rect, draw: () => void): void {
  try {
    draw();
  } catch (error) {
    canvas.failure = error as Error;
    canvas.fill(rect, PLAIN);
    canvas.text(rect.x + 1, rect.y, cut(`internal error: ${canvas.failure.message}`, rect.width - 2), ERROR);
  }
}

/** A pane in its frame: key, title and tabs above, a note below, a scroll bar at the side. */
export function drawPane(canvas: Canvas, state: State, { pane, rect }: Placed): void {
  const model = paneModel(pane);
  const focused = state.view.focus === pane;
  const edge = focused ? FOCUSED_EDGE : EDGE;
  const inside: Rect = { x: rect.x + 1, y: rect.y + 1, width: rect.width - 2, height: rect.height - 2 };
  box(canvas, rect, edge);
  const tabs = model.tabs?.(state);
  const wanted = model.title(state);
  const width = (spans: readonly Span[]) => spans.reduce((n, [text]) => n + text.length, 0);
  // The title gives way to the tabs, as far as it stays readable.
  const tabText = tabs
    ? tabsSpans(tabs.names, tabs.active, rect.width - 7 - Math.min(textWidth(wanted), Math.max(12, Math.floor(rect.width / 3))))
    : [];
  const title = cut(wanted, rect.width - 6 - (tabs ? width(tabText) + 1 : 0));
  const x = canvas.text(rect.x + 2, rect.y, model.key, focused ? KEY : style("key"), rect.x + rect.width - 1);
  canvas.text(x, rect.y, ` ${title} `, focused ? TITLE : PLAIN, rect.x + rect.width - 1);
  if (tabs) canvas.row(rect.x + rect.width - width(tabText) - 2, rect.y, tabText, width(tabText));
  const note = model.note?.(state) ?? "";
  if (note !== "") {
    const text = ` ${cut(note, rect.width - 6)} `;
    canvas.text(rect.x + rect.width - 2 - textWidth(text), rect.y + rect.height - 1, text, focused ? ACCENT : MUTED);
  }
  model.rows(state, inside).forEach((row, i) => {
    if (i < inside.height) canvas.row(inside.x, inside.y + i, row, inside.width);
  });
  scrollBar(canvas, rect, model.length(state, inside), model.top(state), inside.height, focused);
  canvas.scrolling.push(inside);
}

function box(canvas: Canvas, { x, y, width, height }: Rect, s: number): void {
  if (width < 2 || height < 2) return;
  const flat = "─".repeat(width - 2);
  canvas.text(x, y, `┌${flat}┐`, s);
  canvas.text(x, y + height - 1, `└${flat}┘`, s);
  for (let row = y + 1; row < y + height - 1; row++) {
    canvas.text(x, row, "│", s);
    canvas.text(x + width - 1, row, "│", s);
  }
}

function tabsSpans(names: readonly string[], active: string, width: number): Span[] {
  const shown = names.map((name): Span => [name, name === active ? style("accent", "none", BOLD) : EDGE]);
  const spans: Span[] = [["[ ", EDGE]];
  shown.forEach((span, i) => {
    if (i > 0) spans.push([" | ", EDGE]);
    spans.push(span);
  });
  spans.push([" ]", EDGE]);
  return spans.reduce((n, [text]) => n + text.length, 0) <= width
    ? spans
    : [
        ["[ ", EDGE],
        [active, style("accent", "none", BOLD)],
        [" ]", EDGE],
      ];
}

function scrollBar(canvas: Canvas, rect: Rect, length: number, top: number, height: number, focused: boolean): void {
  if (length <= height || height < 3) return;
  const size = Math.max(1, Math.round((height * height) / length));
  const at = Math.round(((height - size) * Math.min(top, length - height)) / Math.max(1, length - height));
  for (let i = 0; i < size; i++) canvas.text(rect.x + rect.width - 1, rect.y + 1 + at + i, "┃", focused ? FOCUSED_EDGE : style("muted"));
}

/** A prompt, else progress, a message, or the keys that fit. */
function drawFooter(canvas: Canvas, state: State, y: number): void {
  const { width } = canvas;
  const { overlay, message, session, pending } = state;
  if (overlay?.kind === "prompt") return;
  let x = 0;
  if (session.progress && session.progress.ms >= 200) {
    const { done, total, what, ms } = session.progress;
    const bar = 16;
    const full = Math.round((bar * done) / Math.max(1, total));
    x = canvas.text(0, y, ` ${"█".repeat(full)}${"░".repeat(bar - full)} ${done}/${total} ${what} ${timeText(ms)} `, ACCENT, width);
  }
  if (message) {
    canvas.text(x + 1, y, cut(message.text, width - x - 2), message.kind === "error" ? ERROR : style("title"), width);
    return;
  }
  if (session.failure !== undefined && x === 0) {
    canvas.text(1, y, cut(session.failure, width - 2), ERROR, width);
    return;
  }
  if (pending !== "") {
    canvas.row(x + 1, y, pendingKeys(state), width - x - 1);
    return;
  }
  canvas.row(x + 1, y, footerKeys(state, width - x - 2), width - x - 1);
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

/** What may follow the keys pressed so far. */
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

function drawOverlay(canvas: Canvas, state: State, overlay: Overlay): void {
  const rect = overlayRect(state, overlay);
  if (overlay.kind === "prompt") {
    canvas.fill(rect, PLAIN);
    const { label, text, at } = overlay;
    const room = rect.width - label.length - 2;
    const from = Math.max(0, at - room + 1);
    let x = canvas.text(1, rect.y, label, KEY);
    x = canvas.text(x, rect.y, text.slice(from, at), overlay.offered ? style("title", "selected") : style("title"));
    const cursor = canvas.text(x, rect.y, text[at] ?? " ", style("title", "none", REVERSED));
    canvas.text(cursor, rect.y, text.slice(at + 1, from + room), style("title"));
    return;
  }
  canvas.fill(rect, PLAIN);
  box(canvas, rect, FOCUSED_EDGE);
  const inner = { width: rect.width - 4, height: rect.height - 2 };
  const title = overlay.kind === "help" ? "keys" : overlay.kind === "what-if" ? "what if" : overlay.title;
  canvas.text(rect.x + 2, rect.y, ` ${cut(title, rect.width - 6)} `, TITLE);
  const hint =
    overlay.kind === "list"
      ? "enter goes there · y copies · esc closes"
      : overlay.kind === "what-if"
        ? "←→ change · enter runs · r as it was · esc closes"
        : "j k scroll · any other key closes";
  canvas.text(rect.x + 2, rect.y + rect.height - 1, ` ${cut(hint, rect.width - 6)} `, MUTED);
  const rows =
    overlay.kind === "help"
      ? helpRows(state, inner.width).slice(overlay.top)
      : overlay.kind === "list"
        ? listRows(overlay, inner.width)
        : whatIfPaneRows(overlay, inner.width).slice(Math.max(0, overlay.row + 3 - inner.height));
  rows.slice(0, inner.height).forEach((row, i) => canvas.row(rect.x + 2, rect.y + 1 + i, row, inner.width));
}
const REVERSED = 8;

export function helpRows(state: State, width: number): Row[] {
  const rows: Row[] = [];
  for (const group of GROUPS) {
    if (rows.length > 0) rows.push([]);
    rows.push(line(group, TITLE));
    for (const id of COMMAND_IDS) {
      if (COMMANDS[id].group !== group) continue;
      const keys = keysOf(id, state.settings.keys).map(keyLabel).join("  ");
      rows.push([
        [`  ${keys.padEnd(16)}`, KEY],
        [cut(COMMANDS[id].title, width - 20), PLAIN],
      ]);
    }
  }
  return rows;
}

function listRows({ items, row, top }: Extract<Overlay, { kind: "list" }>, width: number): Row[] {
  return items.slice(top).map((item, i): Row => {
    const text = cut(item.text, width);
    if (top + i === row) return line(text.padEnd(width), style("title", "selected", BOLD));
    return line(text, item.muted || !item.go ? MUTED : PLAIN);
  });
}

function whatIfPaneRows({ draft, row }: Extract<Overlay, { kind: "what-if" }>, width: number): Row[] {
  return [
    [],
    ...whatIfRows(draft).map(({ name, value }, i): Row => {
      const text = `  ${name.padEnd(34)}  ‹ ${value} ›`;
      return line(i === row ? text.padEnd(width) : text, i === row ? style("title", "selected", BOLD) : PLAIN);
    }),
  ];
}
