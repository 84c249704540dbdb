/**
 * What changed between two steps, by identity: an op is the same one however it is numbered or named, and an op made
 * by a rewrite stands against the op it was made from. Linear but for one longest-increasing-subsequence.
 *
 *     before           after              rows
 *     %0 = a           %5 = a             same      (renumbered only)
 *     %1 = b           %6 = c             moved     (c stood below d)
 *     %2 = d           %7 = d             same
 *     %3 = c                              removed   (b)
 */
import type { LineTable, StepText } from "../compile/trace.js";

export type RowKind = "same" | "changed" | "added" | "removed" | "moved-from" | "moved-to";
export interface Row {
  readonly kind: RowKind;
  /** 0-based line before and after; -1 where there is none. */
  readonly left: number;
  readonly right: number;
  /** For a moved op: the line of its counterpart, and whether it also changed. */
  readonly counterpart?: number;
  readonly alsoChanged?: boolean;
}
export interface Alignment {
  readonly rows: readonly Row[];
  readonly counts: { readonly added: number; readonly removed: number; readonly changed: number; readonly moved: number };
}

/** `origins` are the pairs (op, op it came from) recorded between the two steps. */
export function align(lines: LineTable, before: StepText, after: StepText, origins: readonly Int32Array[] = []): Alignment {
  const numBefore = before.lines.length;
  const numAfter = after.lines.length;
  const match = matchOps(before, after, origins);
  matchOtherLines(lines, before, after, match);
  const stays = longestIncreasing(match);

  const rows: Row[] = [];
  const counts = { added: 0, removed: 0, changed: 0, moved: 0 };
  const matchedLeft = new Int32Array(numBefore).fill(-1);
  for (let r = 0; r < numAfter; r++) if (match[r]! >= 0) matchedLeft[match[r]!] = r;
  let l = 0;
  const leftUntil = (end: number) => {
    for (; l < end; l++) {
      const r = matchedLeft[l]!;
      if (r < 0) {
        rows.push({ kind: "removed", left: l, right: -1 });
        if (before.ops[l] !== 0) counts.removed++;
      } else if (!stays[r]) rows.push({ kind: "moved-from", left: l, right: -1, counterpart: r });
    }
  };
  for (let r = 0; r < numAfter; r++) {
    const m = match[r]!;
    if (m < 0) {
      rows.push({ kind: "added", left: -1, right: r });
      if (after.ops[r] !== 0) counts.added++;
      continue;
    }
    const changed = differs(before, m, after, r);
    if (!stays[r]) {
      rows.push({ kind: "moved-to", left: -1, right: r, counterpart: m, alsoChanged: changed });
      counts.moved++;
      if (changed) counts.changed++;
      continue;
    }
    leftUntil(m);
    rows.push({ kind: changed ? "changed" : "same", left: m, right: r });
    if (changed) counts.changed++;
    l = m + 1;
  }
  leftUntil(numBefore);
  return { rows, counts };
}

/** For each line after, the line before with the same op or the op it was made from; -1 for none. */
function matchOps(before: StepText, after: StepText, origins: readonly Int32Array[]): Int32Array {
  const lineOf = new Map<number, number>();
  before.ops.forEach((id, line) => {
    if (id !== 0) lineOf.set(id, line);
  });
  const taken = new Uint8Array(before.lines.length);
  const match = new Int32Array(after.lines.length).fill(-1);
  after.ops.forEach((id, line) => {
    const left = id === 0 ? undefined : lineOf.get(id);
    if (left === undefined) return;
    match[line] = left;
    taken[left] = 1;
  });
  const from = new Map<number, number[]>();
  for (const pairs of origins)
    for (let i = 0; i < pairs.length; i += 2) {
      const list = from.get(pairs[i]!);
      if (list) list.push(pairs[i + 1]!);
      else from.set(pairs[i]!, [pairs[i + 1]!]);
    }
  after.ops.forEach((id, line) => {
    if (id === 0 || match[line]! >= 0) return;
    // Through ops that lived only in between.
    const queue = [...(from.get(id) ?? [])];
    for (let i = 0; i < queue.length && i < 16; i++) {
      const left = lineOf.get(queue[i]!);
      if (left !== undefined && !taken[left]) {
        match[line] = left;
        taken[left] = 1;
        return;
      }
      if (left === undefined) queue.push(...(from.get(queue[i]!) ?? []));
    }
  });
  return match;
}

/** Lines on which no op begins (aliases, labels, braces): those with equal texts between matched neighbours. */
function matchOtherLines(lines: LineTable, before: StepText, after: StepText, match: Int32Array): void {
  // Aliases stand for what they are defined as, whatever their number.
  const definitions = new Map<string, number[]>();
  const key = (number: number): string | undefined => {
    const line = lines.line(number);
    return /^[#!][\w$.]+ = /.test(line)
      ? line.replace(/^([#!][A-Za-z_]+)[\w$.]* = /, "$1 = ").replace(/#([A-Za-z_]+)\d*\b(?![.\w])/g, "#$1")
      : undefined;
  };
  before.lines.forEach((number, line) => {
    if (before.ops[line] !== 0) return;
    const text = key(number);
    if (text === undefined) return;
    const list = definitions.get(text);
    if (list) list.push(line);
    else definitions.set(text, [line]);
  });
  let previous = -1;
  for (let r = 0; r < after.lines.length; r++) {
    if (match[r]! >= 0) {
      previous = Math.max(previous, match[r]!);
      continue;
    }
    if (after.ops[r] !== 0) continue;
    const alias = key(after.lines[r]!);
    if (alias !== undefined) {
      const left = definitions.get(alias)?.shift();
      if (left !== undefined) match[r] = left;
      continue;
    }
    // The next unmatched plain line with this text, close behind the last match.
    for (let l = previous + 1; l < before.lines.length && l < previous + 64 && before.ops[l] === 0; l++)
      if (samePlain(lines.line(before.lines[l]!), lines.line(after.lines[r]!))) {
        match[r] = l;
        previous = l;
        break;
      }
  }
}
/** Equal but for the numbers of values and blocks. */
function samePlain(a: string, b: string): boolean {
  return a === b || normalized(a) === normalized(b);
}
function normalized(line: string): string {
  return line.replace(/\s*\/\/ .*$/, "").replace(/([%^])[\w$.#-]+/g, "$1");
}

/** Whether a matched op is another than it was; lines without ops match only when they are equal. */
function differs(before: StepText, l: number, after: StepText, r: number): boolean {
  return before.ops[l] !== 0 && before.hashes[l] !== after.hashes[r];
}

/** Marks a longest run of matched lines whose partners ascend: those that did not move. */
function longestIncreasing(match: Int32Array): Uint8Array {
  const tails: number[] = [];
  const previous = new Int32Array(match.length).fill(-1);
  for (let r = 0; r < match.length; r++) {
    const m = match[r]!;
    if (m < 0) continue;
    let lo = 0;
    let hi = tails.length;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (match[tails[mid]!]! < m) lo = mid + 1;
      else hi = mid;
    }
    previous[r] = lo > 0 ? tails[lo - 1]! : -1;
    tails[lo] = r;
  }
  const stays = new Uint8Array(match.length);
  for (let r = tails.length > 0 ? tails[tails.length - 1]! : -1; r >= 0; r = previous[r]!) stays[r] = 1;
  return stays;
}
