/** The diff pane: two steps by identity, side by side, unified, or the IR alone; folds, the cursor, words. */
import type { Alignment, Row as DiffRow } from "../../../diff/align.js";
import { hunks } from "../../../diff/hunks.js";
import { PairedText } from "../../../diff/same-text.js";
import type { StepDiff } from "../../../diff/step-diff.js";
import { sideOf } from "../../../diff/step-side.js";
import { type ChangedWords, changedWords, partnersOf, type Stretch } from "../../../diff/words.js";
import { memo } from "../../../support/memo.js";
import { irSpans, overlay } from "../../draw/ir-text.js";
import { BOLD, MUTED, onPaper, type Paper, type Row, type Span, type Style, style, textOf, withAttributes } from "../../draw/style.js";
import { shown } from "../../draw/text-width.js";
import { functionLines } from "../../kernels.js";
import { SIDE_BY_SIDE_COLUMNS, sourceBeside } from "../../state/places.js";
import type { State } from "../../state/state.js";
import { type Compared, comparedOf, symbolOf } from "../../state/steps.js";
import type { DiffMode } from "../../state/view.js";
import type { Size2 } from "../pane.js";
import { cutToParts, partsInSight, resultEncoding, shortLine } from "./in-sight.js";

/** One displayed row: of both sides, of one side, or a fold of unchanged rows. */
export type Displayed =
  | { readonly kind: "both" | "left" | "right"; readonly row: DiffRow }
  | { readonly kind: "fold"; readonly first: number; readonly count: number };

/** The displayed lines, kept as numbers: modules may have 100,000 lines. */
export interface Display {
  readonly compared: Compared;
  readonly mode: DiffMode;
  /** The rows of the alignment that are about what is looked at. */
  readonly rows: readonly DiffRow[];
  readonly counts: Alignment["counts"];
  readonly length: number;
  readonly at: (index: number) => Displayed;
  /** The displayed row of a line before or after; the fold that hides it; -1 for none. */
  readonly indexOf: (side: "left" | "right", line: number) => number;
}

/** Alone, the pane has as much room as it has beside others at `SIDE_BY_SIDE_COLUMNS`. */
const ALONE_COLUMNS = 160;
/** The mode in which the pane shows: side by side needs a wide terminal. */
export function shownMode(state: Pick<State, "size" | "view" | "session">): DiffMode {
  const { size, view } = state;
  const isWide = (size.columns >= SIDE_BY_SIDE_COLUMNS && !sourceBeside(state)) || (view.zoomed && size.columns >= ALONE_COLUMNS);
  return view.diff.mode === "side by side" && !isWide ? "unified" : view.diff.mode;
}

/** The rows that the pane shows; undefined while there is nothing to compare. */
export function displayOf(state: State): Display | undefined {
  const compared = comparedOf(state);
  const { context, open } = state.view.diff;
  if (!compared) return undefined;
  const symbol = symbolOf(state.session);
  // The same text twice says less than the text once.
  const mode = compared.wanted || isUnchanged(compared, symbol) ? "IR" : shownMode(state);
  return display(compared, mode, context, open, symbol);
}

/** The rows of the difference that are about what is looked at. */
const alignmentOf = memo(
  ({ diff }: Compared, symbol?: string): Alignment => (symbol === undefined ? diff.alignment : rowsWithin(diff, symbol)),
  8,
);
/** Whether both sides say the same. */
export function isUnchanged(compared: Compared, symbol: string | undefined): boolean {
  return !compared.wanted && alignmentOf(compared, symbol).rows.every((row) => row.kind === "same");
}

const FOLD = 0;
const BOTH = 1;
const LEFT = 2;
const RIGHT = 3;

const display = memo((compared: Compared, mode: DiffMode, context: number, open: readonly number[], symbol?: string): Display => {
  const { rows, counts } = alignmentOf(compared, symbol);
  const kinds: number[] = [];
  const values: number[] = [];
  const sizes: number[] = [];
  const push = (kind: number, value: number, count = 0) => {
    kinds.push(kind);
    values.push(value);
    sizes.push(count);
  };
  const showRow = (i: number) => {
    const row = rows[i]!;
    if (mode === "IR") {
      if (row.right >= 0) push(RIGHT, i);
    } else if (mode === "unified" && row.kind === "changed") {
      push(LEFT, i);
      push(RIGHT, i);
    } else push(BOTH, i);
  };
  if (mode === "IR") for (let i = 0; i < rows.length; i++) showRow(i);
  else {
    const found = hunks(rows, context);
    // Without any change the IR is shown as it is.
    let at = 0;
    const fold = (until: number) => {
      if (until - at <= 1 || found.length === 0 || open.includes(at)) for (; at < until; at++) showRow(at);
      else {
        push(FOLD, at, until - at);
        at = until;
      }
    };
    for (const { start, end } of found) {
      fold(start);
      for (; at < end; at++) showRow(at);
    }
    fold(rows.length);
  }
  let lookup: { readonly left: Int32Array; readonly right: Int32Array } | undefined;
  const find = () => {
    if (lookup) return lookup;
    const left = new Int32Array(compared.diff.before.lines.length).fill(-1);
    const right = new Int32Array(compared.diff.after.lines.length).fill(-1);
    for (let d = kinds.length - 1; d >= 0; d--) {
      const last = kinds[d] === FOLD ? values[d]! + sizes[d]! : values[d]! + 1;
      for (let i = values[d]!; i < last; i++) {
        const row = rows[i]!;
        if (row.left >= 0 && kinds[d] !== RIGHT) left[row.left] = d;
        if (row.right >= 0 && kinds[d] !== LEFT) right[row.right] = d;
      }
    }
    return (lookup = { left, right });
  };
  return {
    compared,
    mode,
    rows,
    counts,
    length: kinds.length,
    at: (d) =>
      kinds[d] === FOLD
        ? { kind: "fold", first: values[d]!, count: sizes[d]! }
        : { kind: kinds[d] === BOTH ? "both" : kinds[d] === LEFT ? "left" : "right", row: rows[values[d]!]! },
    indexOf: (side, line) => find()[side][line] ?? -1,
  };
}, 8);

/** Rows about one function, where a module has several. */
function rowsWithin({ lines, before, after, alignment }: StepDiff, symbol: string): Alignment {
  const [l0, l1] = functionLines(lines, before, symbol) ?? [0, 0];
  const [r0, r1] = functionLines(lines, after, symbol) ?? [0, 0];
  const rows = alignment.rows.filter(({ left, right }) => (left >= l0 && left < l1) || (right >= r0 && right < r1));
  const ops = (kind: DiffRow["kind"]) =>
    rows.filter((row) => row.kind === kind && (row.right >= 0 ? after.ops[row.right] : before.ops[row.left]) !== 0).length;
  const alsoChanged = rows.filter((row) => row.kind === "moved-to" && row.alsoChanged).length;
  const counts = { added: ops("added"), removed: ops("removed"), changed: ops("changed") + alsoChanged, moved: ops("moved-to") };
  return { ...alignment, rows, counts: { ...alignment.counts, ...counts } };
}

/** The line under the cursor: of the IR after where there is one. */
export interface CursorLine {
  readonly side: "left" | "right";
  readonly line: number;
  readonly op: number;
  readonly text: string;
}
/** The line under the cursor; undefined where the pane shows none. */
export function cursorLine(state: State): CursorLine | undefined {
  const shownRows = displayOf(state);
  if (!shownRows || shownRows.length === 0) return undefined;
  const at = shownRows.at(Math.min(state.view.diff.row, shownRows.length - 1));
  const { diff } = shownRows.compared;
  const row = at.kind === "fold" ? shownRows.rows[at.first]! : at.row;
  const side = at.kind !== "left" && row.right >= 0 ? "right" : row.left >= 0 ? "left" : "right";
  const text = side === "right" ? diff.after : diff.before;
  const line = side === "right" ? row.right : row.left;
  if (line < 0) return undefined;
  return { side, line, op: text.ops[line]!, text: shown(diff.lines.line(text.lines[line]!)) };
}

/** Names of values on a line, with their columns. */
export function namesOn(text: string): { readonly name: string; readonly from: number; readonly to: number }[] {
  return [...text.matchAll(/%[\w$.-]+(?:#\d+)?|\^[\w$.-]+|#[A-Za-z_]\w*(?![\w.]*[<.])/g)].map((m) => ({
    name: m[0],
    from: m.index,
    to: m.index + m[0].length,
  }));
}
/** The value that is meant: the one under the cursor, else the line's first. */
export function cursorName(state: State): string | undefined {
  const at = cursorLine(state);
  if (!at) return undefined;
  const names = namesOn(at.text);
  return (names[state.view.diff.word] ?? names.find((n) => n.name.startsWith("%")))?.name;
}

/** The next displayed row that is a change, its run's first one; undefined where there is none. */
export function changeAway(shownRows: Display, from: number, direction: 1 | -1): number | undefined {
  const isChange = (d: number): boolean => {
    if (d < 0 || d >= shownRows.length) return false;
    const at = shownRows.at(d);
    return at.kind !== "fold" && at.row.kind !== "same";
  };
  let d = from;
  // Out of the change that the cursor is in, then to the next one's beginning.
  while (isChange(d) && isChange(d + direction)) d += direction;
  for (d += direction; d >= 0 && d < shownRows.length; d += direction) {
    if (!isChange(d)) continue;
    while (direction < 0 && isChange(d - 1)) d--;
    return d;
  }
  return undefined;
}

const textsOf = memo(
  ({ lines, before, after, alignment }: StepDiff): { readonly texts: PairedText; readonly words: Map<number, ChangedWords> } => ({
    texts: new PairedText(sideOf(lines, before), sideOf(lines, after), partnersOf(alignment, after.lines.length), alignment.redefined),
    words: new Map(),
  }),
  3,
);

/** Columns that a line keeps beside its note. */
const SHORTEST_LINE = 12;
const MAX_WORD_LINE = 4000;
function wordsOf(diff: StepDiff, row: DiffRow): ChangedWords {
  const { texts, words: known } = textsOf(diff);
  let words = known.get(row.right);
  if (!words) {
    const tooLong =
      diff.lines.line(diff.before.lines[row.left]!).length > MAX_WORD_LINE ||
      diff.lines.line(diff.after.lines[row.right]!).length > MAX_WORD_LINE;
    words = tooLong ? { left: [], right: [] } : changedWords(texts, row.left, row.right);
    known.set(row.right, words);
  }
  return words;
}

const SIGNS = {
  same: ["  ", style()],
  changed: ["~ ", style("changed", "none", BOLD)],
  added: ["+ ", style("added", "none", BOLD)],
  removed: ["- ", style("removed", "none", BOLD)],
  "moved-from": ["< ", style("moved", "none", BOLD)],
  "moved-to": ["> ", style("moved", "none", BOLD)],
} as const;
const PAPER_OF: Readonly<Record<DiffRow["kind"], Paper>> = {
  same: "none",
  changed: "none",
  added: "addedLine",
  removed: "removedLine",
  "moved-from": "movedLine",
  "moved-to": "movedLine",
};
const GUTTER = style("comment");
const EDGE = style("comment");

/** The rows of the pane from the first visible one on. */
export function diffRows(state: State, size: Size2): readonly Row[] {
  return drawnRows(state, size).map(({ row }) => row);
}
/** The displayed line that is at a row of the pane. */
export function rowAt(state: State, size: Size2, y: number): number {
  const { top, wrap } = state.view.diff;
  return wrap ? (drawnRows(state, size)[y]?.line ?? state.view.diff.row) : top + y;
}

/** The rows of the pane, and the displayed line that each is of. */
function drawnRows(state: State, size: Size2): readonly { readonly line: number; readonly row: Row }[] {
  const shown = displayOf(state);
  if (!shown) return [];
  const { top, row: cursor, wrap } = state.view.diff;
  const drawn: { readonly line: number; readonly row: Row }[] = [];
  for (let line = top; line < shown.length; line++) {
    // Wrapped lines are higher: those above make room for the cursor's.
    if (drawn.length >= size.height && !(wrap && line <= cursor)) break;
    for (const row of lineRows(state, shown, line, size.width)) drawn.push({ line, row });
  }
  const last = drawn.findLastIndex(({ line }) => line === cursor);
  const from = wrap ? Math.max(0, Math.min(last - size.height + 1, drawn.length - 1)) : 0;
  return drawn.slice(from, from + size.height);
}

/** The rows of a displayed line: one, unless it is wrapped. */
function lineRows(state: State, shownRows: Display, d: number, width: number): readonly Row[] {
  const { left, row: cursor, wrap } = state.view.diff;
  const { diff } = shownRows.compared;
  const digits = String(Math.max(diff.before.lines.length, diff.after.lines.length)).length;
  const at = shownRows.at(d);
  const isCursor = d === cursor;
  if (at.kind === "fold") {
    const text = ` ··· ${at.count} unchanged lines `;
    return [[[text.padEnd(width, "·"), isCursor ? style("accent", "cursor", BOLD) : style("comment", "panel")]]];
  }
  const paint = (line: number, side: "left" | "right", columns: number): readonly Row[] =>
    lineSpans(state, diff, at, line, side, {
      columns,
      digits,
      left: wrap ? 0 : left,
      wrap,
      isCursor,
      focused: state.view.focus === "diff",
      needle: state.view.search?.pane === "diff" ? state.view.search.text : "",
      mode: shownRows.mode,
    });
  if (shownRows.mode !== "side by side") {
    const side = at.kind === "left" || at.row.right < 0 ? "left" : "right";
    return paint(side === "left" ? at.row.left : at.row.right, side, width);
  }
  const half = Math.floor((width - 1) / 2);
  const [before, after] = [paint(at.row.left, "left", half), paint(at.row.right, "right", width - 1 - half)];
  const rows = Math.max(before.length, after.length);
  return Array.from(
    { length: rows },
    (_, i): Row => [
      ...(before[i] ?? fitted([], half, isCursor ? "cursor" : "none")),
      ["│", EDGE],
      ...(after[i] ?? fitted([], width - 1 - half, isCursor ? "cursor" : "none")),
    ],
  );
}

interface LinePaint {
  readonly columns: number;
  readonly digits: number;
  readonly left: number;
  readonly wrap: boolean;
  readonly isCursor: boolean;
  readonly focused: boolean;
  readonly needle: string;
  readonly mode: DiffMode;
}

/** A line with its number and mark, in rows that are exactly `columns` wide. */
function lineSpans(
  state: State,
  diff: StepDiff,
  at: Exclude<Displayed, { kind: "fold" }>,
  line: number,
  side: "left" | "right",
  p: LinePaint,
): readonly Row[] {
  const { row } = at;
  let paper = PAPER_OF[row.kind];
  if (row.kind === "changed") paper = at.kind === "both" && p.mode === "unified" ? "none" : side === "left" ? "removedLine" : "addedLine";
  if (p.mode === "IR") paper = "none";
  if (line < 0) return [fitted([], p.columns, p.isCursor ? "cursor" : "none")];
  const text = shown(diff.lines.line((side === "left" ? diff.before : diff.after).lines[line]!));
  const [sign, ink] = row.kind === "changed" && p.mode === "unified" ? SIGNS[side === "left" ? "removed" : "added"] : SIGNS[row.kind];
  const inked = inkedLine(state, diff, row, text, side, p.mode);
  const { said, wanted, placed } = inked;
  let { spans } = inked;
  const lay = (stretches: readonly Stretch[], on: Paper) => {
    wanted.push(...stretches.map(placed));
    spans = overlay(spans, stretches.map(placed), boldOn(on));
  };
  if (p.needle !== "") lay(matchesIn(text, p.needle), "match");
  if (p.isCursor && p.focused && (p.mode !== "side by side" || side === "right")) {
    const word = namesOn(text)[state.view.diff.word];
    if (word) lay([[word.from, word.to]], "selected");
  }
  const gutter: Span[] = [
    [`${String(line + 1).padStart(p.digits)} `, GUTTER],
    [sign, ink],
  ];
  const room = p.columns - p.digits - 3;
  const note = side === "right" || row.right < 0 ? noteOf(row, at, p.mode) : "";
  if (wanted.length === 0 && row.kind !== "same" && p.mode !== "IR") wanted.push(...resultEncoding(said));
  if (p.left === 0 && !p.wrap && (wanted.length > 0 || note !== "")) {
    // A note gets a part of a wide pane, and what the line leaves of a narrow one; all of it where no word has to be in sight.
    const most = wanted.length === 0 ? room - SHORTEST_LINE : room >= 80 ? Math.floor(room / 3) : 0;
    const columns = note === "" ? room : room - Math.max(0, Math.min(note.length + 2, most));
    const inOrder = wanted.sort(([a], [b]) => a - b);
    spans = cutToParts(spans, partsInSight(said, columns, inOrder));
  }
  if (note !== "") spans = [...spans, [`  ${note}`, MUTED]];
  const pieces = p.wrap ? broken(spans, room) : [skipped(spans, p.left)];
  return pieces.map((piece, i) =>
    fitted([...(i === 0 ? gutter : [[" ".repeat(p.digits + 3), 0] as const]), ...piece], p.columns, p.isCursor ? "cursor" : paper, paper),
  );
}

/** The text of a line with its words in ink and the changed ones on papers; where these are, and where a stretch of the IR's text is. */
export function inkedLine(state: State, diff: StepDiff, row: DiffRow, text: string, side: "left" | "right", mode: DiffMode) {
  const short = state.view.diff.short ? shortLine(text) : undefined;
  const said = short?.text ?? text;
  const placed = (stretch: Stretch): Stretch => short?.stretchOf(stretch) ?? stretch;
  let words: readonly Stretch[] = [];
  if (row.kind === "changed" && (mode !== "IR" || side === "right")) words = wordsOf(diff, row)[side];
  else if (row.kind === "moved-to" && row.alsoChanged && mode !== "IR") words = wordsOf(diff, { ...row, left: row.counterpart! }).right;
  const wanted = words.map(placed);
  const spans = overlay(irSpans(said), wanted, boldOn(row.kind === "changed" && side === "left" ? "removedWord" : "addedWord"));
  return { said, spans, wanted, placed };
}
const boldOn =
  (paper: Paper) =>
  (s: Style): Style =>
    withAttributes(onPaper(s, paper), BOLD);

/** Where a moved line was or is, and what is to be said of aliases. */
export function noteOf(row: DiffRow, at: Displayed, mode: DiffMode): string {
  if (at.kind === "fold") return "";
  if (row.note !== undefined) return at.kind === "left" && row.right >= 0 ? "" : `// ${row.note}`;
  if (mode === "side by side") return "";
  if (row.kind === "moved-to") return `// moved from line ${row.counterpart! + 1}`;
  if (row.kind === "moved-from") return `// moved to line ${row.counterpart! + 1}`;
  return "";
}

/** Where a text has the needle, as [start, end]; capitals count only if the needle has some. */
export function matchesIn(text: string, needle: string): [number, number][] {
  const found: [number, number][] = [];
  const [hay, wanted] = /[A-Z]/.test(needle) ? [text, needle] : [text.toLowerCase(), needle.toLowerCase()];
  for (let at = hay.indexOf(wanted); at >= 0 && wanted !== ""; at = hay.indexOf(wanted, at + wanted.length))
    found.push([at, at + wanted.length]);
  return found;
}

/** The spans in pieces of so many columns at most, which end at a blank where that is not far before. */
function broken(spans: readonly Span[], columns: number): readonly (readonly Span[])[] {
  const text = textOf(spans);
  const pieces: Span[][] = [];
  let [span, at] = [0, 0];
  for (let from = 0; from < text.length || from === 0; ) {
    let to = from + Math.max(1, columns);
    const blank = to < text.length ? text.lastIndexOf(" ", to - 1) + 1 : 0;
    if (blank > from + columns / 2) to = blank;
    const piece: Span[] = [];
    for (let left = to - from; left > 0 && span < spans.length; ) {
      const [whole, s] = spans[span]!;
      const part = whole.slice(at, at + left);
      piece.push([part, s]);
      left -= part.length;
      at += part.length;
      if (at === whole.length) [span, at] = [span + 1, 0];
    }
    pieces.push(piece);
    from = to;
  }
  return pieces;
}

/** The spans without their first columns. */
export function skipped(spans: readonly Span[], columns: number): Span[] {
  if (columns === 0) return [...spans];
  const out: Span[] = [];
  for (const [text, s] of spans) {
    if (columns >= text.length) columns -= text.length;
    else {
      out.push([text.slice(columns), s]);
      columns = 0;
    }
  }
  return out;
}

/** The spans cut or filled to a width, on a paper. */
export function fitted(spans: readonly Span[], columns: number, paper: Paper, under: Paper = paper): Span[] {
  const out: Span[] = [];
  let left = columns;
  const dress = (s: Style): Style => ((s >> 6) & 63 ? s : onPaper(s, paper === "cursor" ? "cursor" : under));
  let rest = spans.reduce((n, [text]) => n + text.length, 0);
  for (const [text, s] of spans) {
    if (left <= 0) break;
    // The cut may fall at the start of the next piece.
    const part = rest > left && text.length >= left ? `${text.slice(0, left - 1)}…` : text;
    rest -= text.length;
    out.push([part, dress(s)]);
    left -= part.length;
  }
  if (left > 0) out.push([" ".repeat(left), dress(0)]);
  return out;
}
