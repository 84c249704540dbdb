/** The differences inside a changed line: words. Values are compared by their definitions, and aliases by their texts. */
import { diffArrays } from "diff";
import type { Alignment } from "./align.js";
import type { PairedText } from "./same-text.js";

/** Columns from (inclusive) and to (exclusive). */
export type Stretch = readonly [from: number, to: number];
/** The stretches of two lines that differ. */
export interface ChangedWords {
  readonly left: readonly Stretch[];
  readonly right: readonly Stretch[];
}

const WORDS = /%[\w$.-]+#\d+|[%^#!@]?[\w$.]+|\s+|[^\w\s]/g;

/** For each line after, the line before that it is paired with; -1 for none. */
export function partnersOf({ rows }: Alignment, numAfter: number): Int32Array {
  const match = new Int32Array(numAfter).fill(-1);
  for (const { kind, left, right, counterpart } of rows) {
    if (kind === "moved-to") match[right] = counterpart!;
    else if (left >= 0 && right >= 0) match[right] = left;
  }
  return match;
}

/** The words of line `l` before and line `r` after that are on one side only. */
export function changedWords(text: PairedText, l: number, r: number): ChangedWords {
  const a = [...text.left.line(l).matchAll(WORDS)];
  const b = [...text.right.line(r).matchAll(WORDS)];
  const changes = diffArrays(
    a.map((w) => w[0]),
    b.map((w) => w[0]),
    { comparator: (x, y) => x === y || (isName(x) && isName(y) && text.namesAgree(l, x, r, y)) },
  );
  const found: { left: Stretch[]; right: Stretch[] } = { left: [], right: [] };
  let i = 0;
  let j = 0;
  for (const { added, removed, count } of changes) {
    if (removed) addStretch(found.left, a, i, count);
    if (added) addStretch(found.right, b, j, count);
    if (!added) i += count;
    if (!removed) j += count;
  }
  return found;
}

function isName(word: string): boolean {
  const first = word.charCodeAt(0);
  return word.length > 1 && (first === 37 || first === 35 || first === 33 || first === 94);
}
function addStretch(into: Stretch[], words: readonly RegExpExecArray[], at: number, count: number): void {
  const from = words[at]!.index;
  const last = words[at + count - 1]!;
  into.push([from, last.index + last[0].length]);
}
