/** Rows of a diff as text: unified or side by side. */
import type { LineTable, StepText } from "../compile/trace.js";
import type { Alignment, Row } from "./align.js";

export interface DiffText {
  readonly lines: LineTable;
  readonly before: StepText;
  readonly after: StepText;
}
export interface Hunk {
  readonly start: number;
  readonly end: number;
}

/** Ranges of rows that hold a change, with `context` rows around. */
export function hunks(rows: readonly Row[], context = 3): Hunk[] {
  const found: Hunk[] = [];
  for (let i = 0; i < rows.length; i++) {
    if (rows[i]!.kind === "same") continue;
    const start = Math.max(0, i - context);
    let end = i + 1;
    while (end < rows.length && rows[end]!.kind !== "same") end++;
    i = end;
    end = Math.min(rows.length, end + context);
    const last = found.at(-1);
    if (last && last.end >= start) found[found.length - 1] = { start: last.start, end };
    else found.push({ start, end });
  }
  return found;
}

/** `3 added, 1 moved`, or `0 changes`. */
export function countsText({ counts }: Alignment): string {
  const parts = (["added", "removed", "changed", "moved"] as const).filter((k) => counts[k] > 0).map((k) => `${counts[k]} ${k}`);
  return parts.length > 0 ? parts.join(", ") : "0 changes";
}

const left = ({ lines, before }: DiffText, row: Row): string => (row.left < 0 ? "" : lines.line(before.lines[row.left]!));
const right = ({ lines, after }: DiffText, row: Row): string => (row.right < 0 ? "" : lines.line(after.lines[row.right]!));

/** `-` and `+` as usual; `<` and `>` mark where an op moved from and to. */
export function unified(text: DiffText, alignment: Alignment): string {
  const { rows } = alignment;
  let out = "";
  for (const { start, end } of hunks(rows)) {
    out += `@@ ${position(rows, start, "left")} ${position(rows, start, "right")} @@\n`;
    for (let i = start; i < end; i++) {
      const row = rows[i]!;
      switch (row.kind) {
        case "same":
          out += ` ${right(text, row)}\n`;
          break;
        case "changed":
          out += `-${left(text, row)}\n+${right(text, row)}\n`;
          break;
        case "removed":
          out += `-${left(text, row)}\n`;
          break;
        case "added":
          out += `+${right(text, row)}\n`;
          break;
        case "moved-from":
          out += `<${left(text, row)}  // moved to line ${row.counterpart! + 1}\n`;
          break;
        case "moved-to":
          out += `>${right(text, row)}  // moved from line ${row.counterpart! + 1}${row.alsoChanged ? ", and changed" : ""}\n`;
          break;
      }
    }
  }
  return out;
}
function position(rows: readonly Row[], start: number, side: "left" | "right"): string {
  const row = rows.slice(start).find((r) => r[side] >= 0);
  return `${side === "left" ? "-" : "+"}${row ? row[side] + 1 : 0}`;
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
export function sideBySide(text: DiffText, alignment: Alignment, width: number): string {
  const column = Math.max(10, Math.floor((width - 3) / 2));
  const cell = (line: string) => (line.length > column ? `${line.slice(0, column - 1)}~` : line.padEnd(column));
  let out = "";
  const { rows } = alignment;
  for (const { start, end } of hunks(rows)) {
    out += `${"-".repeat(column)}-${MARKS.same}-${"-".repeat(column)}\n`.replace("- -", "-+-");
    for (let i = start; i < end; i++) {
      const row = rows[i]!;
      out += `${cell(left(text, row))} ${MARKS[row.kind]} ${cell(right(text, row))}`.trimEnd() + "\n";
    }
  }
  return out;
}
