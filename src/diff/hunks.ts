/** Rows of a diff as text: unified or side by side. */

import { colour as sgr } from "../support/terminal-text.js";
import type { StepText } from "../trace/line-table.js";
import type { Alignment, Row } from "./align.js";
import type { Lines } from "./step-side.js";

export interface DiffText {
  readonly lines: Lines;
  readonly before: StepText;
  readonly after: StepText;
}
export interface Hunk {
  readonly start: number;
  readonly end: number;
}

/** Ranges of rows that hold a change, with `context` rows around. */
export function hunks(rows: readonly Row[], context = 3): Hunk[] {
  const found: { start: number; end: number }[] = [];
  for (let i = 0; i < rows.length; i++) {
    if (rows[i]!.kind === "same") continue;
    const start = Math.max(0, i - context);
    let end = i + 1;
    while (end < rows.length && rows[end]!.kind !== "same") end++;
    i = end;
    end = Math.min(rows.length, end + context);
    const last = found.at(-1);
    if (last && last.end >= start) last.end = end;
    else found.push({ start, end });
  }
  return found;
}

/** `3 added, 1 moved`, or `0 changes`. */
export function countsText({ counts }: Pick<Alignment, "counts">): string {
  const parts = (["added", "removed", "changed", "moved"] as const).filter((k) => counts[k] > 0).map((k) => `${counts[k]} ${k}`);
  if (counts.redefined > 0) parts.push(`${counts.redefined} layout${counts.redefined > 1 ? "s" : ""} redefined`);
  return parts.length > 0 ? parts.join(", ") : "0 changes";
}

const left = ({ lines, before }: DiffText, row: Row): string => (row.left < 0 ? "" : lines.line(before.lines[row.left]!));
const right = ({ lines, after }: DiffText, row: Row): string => (row.right < 0 ? "" : lines.line(after.lines[row.right]!));

/** Colours (SGR parameters) of the marks; undefined prints without. */
type Paint = (mark: string, text: string) => string;
const COLOURS: Readonly<Record<string, number>> = { "-": 31, "+": 32, "<": 35, ">": 35, "@": 36, "|": 33 };
const paint =
  (colour: boolean): Paint =>
  (mark, text) => {
    const code = colour ? COLOURS[mark] : undefined;
    return code === undefined ? text : `${sgr(code)}${text}${sgr(0)}`;
  };

/** `-` and `+` as usual; `<` and `>` mark where an op moved from and to. */
export function unified(text: DiffText, rows: readonly Row[], colour = false): string {
  const say = paint(colour);
  const out: string[] = [];
  for (const { start, end } of hunks(rows)) {
    out.push(say("@", `@@ ${position(rows, start, "left")} ${position(rows, start, "right")} @@`));
    for (let i = start; i < end; i++) {
      const row = rows[i]!;
      switch (row.kind) {
        case "same":
          out.push(` ${row.right < 0 ? left(text, row) : right(text, row)}${noteText(row)}`);
          break;
        case "changed":
          out.push(say("-", `-${left(text, row)}`), say("+", `+${right(text, row)}${noteText(row)}`));
          break;
        case "removed":
          out.push(say("-", `-${left(text, row)}${noteText(row)}`));
          break;
        case "added":
          out.push(say("+", `+${right(text, row)}${row.counterpart === undefined ? "" : `  // from line ${row.counterpart + 1}`}`));
          break;
        case "moved-from":
          out.push(say("<", `<${left(text, row)}  // moved to line ${row.counterpart! + 1}`));
          break;
        case "moved-to":
          out.push(say(">", `>${right(text, row)}  // moved from line ${row.counterpart! + 1}${row.alsoChanged ? ", and changed" : ""}`));
          break;
      }
    }
  }
  return out.length === 0 ? "" : `${out.join("\n")}\n`;
}
const noteText = ({ note }: Row): string => (note === undefined ? "" : `  // ${note}`);
function position(rows: readonly Row[], start: number, side: "left" | "right"): string {
  let i = start;
  while (i < rows.length && rows[i]![side] < 0) i++;
  return `${side === "left" ? "-" : "+"}${i < rows.length ? rows[i]![side] + 1 : 0}`;
}

const MARKS: Readonly<Record<Row["kind"], string>> = {
  same: " ",
  changed: "|",
  added: "+",
  removed: "-",
  "moved-from": "<",
  "moved-to": ">",
};

/** Two columns, together `width` characters wide, with the mark of each row between them. */
export function sideBySide(text: DiffText, rows: readonly Row[], width: number, colour = false): string {
  const column = Math.max(10, Math.floor((width - 3) / 2));
  const cell = (line: string) => (line.length > column ? `${line.slice(0, column - 1)}~` : line.padEnd(column));
  const say = paint(colour);
  const out: string[] = [];
  for (const { start, end } of hunks(rows)) {
    out.push(say("@", `${"-".repeat(column)}-+-${"-".repeat(column)}`));
    for (let i = start; i < end; i++) {
      const row = rows[i]!;
      const mark = MARKS[row.kind];
      out.push(say(mark, `${cell(left(text, row))} ${mark} ${cell(right(text, row))}`.trimEnd()));
    }
  }
  return out.length === 0 ? "" : `${out.join("\n")}\n`;
}
