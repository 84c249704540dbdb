/** The difference of two texts of PTX. Numbers of registers, labels and lines of the source are no difference. */
import { diffArrays } from "diff";
import type { StepText } from "../trace/line-table.js";
import type { Row } from "./align.js";
import type { DiffText } from "./hunks.js";

export interface PtxDiff extends DiffText {
  readonly rows: readonly Row[];
}

/** Undefined where more than `MOST_EDITS` lines differ: then the texts have little to do with each other. */
export function ptxDiff(before: string, after: string): PtxDiff | undefined {
  const [a, b] = [instructionsOf(before), instructionsOf(after)];
  const changes = diffArrays(a.map(plain), b.map(plain), { maxEditLength: MOST_EDITS });
  if (!changes) return undefined;
  const rows: Row[] = [];
  let left = 0;
  let right = 0;
  for (const { added, removed, count } of changes)
    for (let i = 0; i < count; i++) {
      if (added) rows.push({ kind: "added", left: -1, right: right++ });
      else if (removed) rows.push({ kind: "removed", left: left++, right: -1 });
      else rows.push({ kind: "same", left: left++, right: right++ });
    }
  return { lines: { line: (n) => (n < 0 ? a[-1 - n]! : b[n]!) }, before: textOf(a, (i) => -1 - i), after: textOf(b, (i) => i), rows };
}
const MOST_EDITS = 2000;

function textOf(lines: readonly string[], number: (index: number) => number): StepText {
  const none = new Int32Array(lines.length);
  return { lines: Int32Array.from(lines, (_, i) => number(i)), ops: none, hashes: none };
}

/** The lines of the program: no comments, no places in the source, no sections for a debugger. */
function instructionsOf(ptx: string): readonly string[] {
  const end = ptx.search(/^\s*\.section\b/m);
  return (end < 0 ? ptx : ptx.slice(0, end))
    .split("\n")
    .map((line) => line.replace(/\/\/.*$/, "").trimEnd())
    .filter((line) => line.trim() !== "" && !/^\s*\.(?:loc|file)\b|^\s*\$L__(?:tmp|func)\w*:/.test(line));
}
/** A line without the numbers of its registers and labels. */
function plain(line: string): string {
  return line
    .replace(/(%[a-z]+)\d+/g, "$1")
    .replace(/\$L__BB[\d_]+/g, "$L")
    .replace(/^(\s*\.reg .*)<\d+>/, "$1");
}
