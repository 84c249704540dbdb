/**
 * The changes between two steps, by identity: an op is the same one however it is numbered or named, and an op made
 * by a rewrite is opposite the op it was made from. Linear but for one longest-increasing-subsequence.
 *
 *     before           after              rows
 *     %0 = a           %5 = a             same      (renumbered only)
 *     %1 = b           %6 = c             moved     (c was below d)
 *     %2 = d           %7 = d             same
 *     %3 = c                              removed   (b)
 */

import { longestIncreasing } from "../support/longest-increasing.js";
import { finished, type Sliced } from "../support/slices.js";
import type { StepText } from "../trace/line-table.js";
import { type Lines, type StepSide, sayTheSame, sideOf } from "./same-text.js";

export type RowKind = "same" | "changed" | "added" | "removed" | "moved-from" | "moved-to";
/** A row of two texts side by side. */
export interface Row {
  readonly kind: RowKind;
  /** 0-based line before and after; -1 where there is none. */
  readonly left: number;
  readonly right: number;
  /** For a moved op the line of its counterpart; for an added one the line before of the op it was made from. */
  readonly counterpart?: number;
  /** A moved op that is also another than before. */
  readonly alsoChanged?: boolean;
}
/** The rows of two texts side by side, and how many ops were added, removed, changed and moved. */
export interface Alignment {
  readonly rows: readonly Row[];
  readonly counts: { readonly added: number; readonly removed: number; readonly changed: number; readonly moved: number };
}

/** `origins` are the pairs (op, op it came from) recorded between the two steps. */
export function align(lines: Lines, before: StepText, after: StepText, origins: readonly Int32Array[] = []): Alignment {
  return finished(alignInSlices(lines, before, after, origins));
}

/** As `align`, halting every few milliseconds. */
export function* alignInSlices(lines: Lines, before: StepText, after: StepText, origins: readonly Int32Array[] = []): Sliced<Alignment> {
  if (before === after) return unchanged(after);
  const numBefore = before.lines.length;
  const numAfter = after.lines.length;
  const left = sideOf(lines, before);
  const right = sideOf(lines, after);
  const { match, from } = yield* matchOps(before, after, origins);
  if (numBefore + numAfter > LARGE) {
    yield;
    yield* left.prepare();
    yield* right.prepare();
  }
  yield* matchOtherLines(left, right, match);
  const stays = longestIncreasing(match);
  const matchedLeft = new Int32Array(numBefore).fill(-1);
  for (let r = 0; r < numAfter; r++) if (match[r]! >= 0) matchedLeft[match[r]!] = r;
  // Where only one text has aliases, the other spells them out.
  const ignoreAliases = left.hasAliases !== right.hasAliases;

  const rows: Row[] = [];
  /** The new rows since the last row of both sides: shown after the removed rows. */
  let fresh: Row[] = [];
  const counts = { added: 0, removed: 0, changed: 0, moved: 0 };
  let l = 0;
  const leftUntil = (end: number) => {
    for (; l < end; l++) {
      const r = matchedLeft[l]!;
      if (r < 0) {
        const silent = ignoreAliases && left.isAlias(l);
        rows.push({ kind: silent ? "same" : "removed", left: l, right: -1 });
        if (before.ops[l] !== 0) counts.removed++;
      } else if (!stays[r] && before.ops[l] !== 0) rows.push({ kind: "moved-from", left: l, right: -1, counterpart: r });
    }
  };
  for (let r = 0; r < numAfter; r++) {
    if (r % SLICE === SLICE - 1) yield;
    const m = match[r]!;
    if (m < 0) {
      const silent = ignoreAliases && right.isAlias(r);
      fresh.push({ kind: silent ? "same" : "added", left: -1, right: r, ...(from[r]! >= 0 ? { counterpart: from[r]! } : {}) });
      if (after.ops[r] !== 0) counts.added++;
      continue;
    }
    const isOp = after.ops[r] !== 0;
    const changed =
      (isOp ? before.hashes[m] !== after.hashes[r] : before.lines[m] !== after.lines[r]) && !sayTheSame(left, m, right, r, match);
    if (!stays[r]) {
      // Braces and definitions of aliases go where their ops go.
      if (!isOp) fresh.push({ kind: changed ? "changed" : "same", left: m, right: r });
      else {
        fresh.push({ kind: "moved-to", left: -1, right: r, counterpart: m, alsoChanged: changed });
        counts.moved++;
        if (changed) counts.changed++;
      }
      continue;
    }
    leftUntil(m);
    for (const row of fresh) rows.push(row);
    fresh = [];
    rows.push({ kind: changed ? "changed" : "same", left: m, right: r });
    if (changed && isOp) counts.changed++;
    l = m + 1;
  }
  leftUntil(numBefore);
  for (const row of fresh) rows.push(row);
  return { rows, counts };
}

/** Lines between two halts, and from how many lines on what a comparison asks for is found out beforehand. */
const SLICE = 2048;
const LARGE = 8 * SLICE;

/** The alignment of a text with itself. */
export function unchanged(text: StepText): Alignment {
  return {
    rows: Array.from(text.lines, (_, line): Row => ({ kind: "same", left: line, right: line })),
    counts: { added: 0, removed: 0, changed: 0, moved: 0 },
  };
}

/** How many ops an alignment shows as added and as removed, without looking at any text. */
export function opChanges(
  before: StepText,
  after: StepText,
  origins: readonly Int32Array[] = [],
): { readonly added: number; readonly removed: number } {
  const { match } = finished(matchOps(before, after, origins));
  let [added, kept] = [0, 0];
  for (let line = 0; line < match.length; line++)
    if (match[line]! >= 0) kept++;
    else if (after.ops[line] !== 0) added++;
  let ops = 0;
  for (const op of before.ops) if (op !== 0) ops++;
  return { added, removed: ops - kept };
}

/** For each line after, the line before with the same op or the op it was made from; and where that is taken, its line. */
function* matchOps(
  before: StepText,
  after: StepText,
  origins: readonly Int32Array[],
): Sliced<{ readonly match: Int32Array; readonly from: Int32Array }> {
  const lineOf = new Map<number, number>();
  for (let line = 0; line < before.ops.length; line++) {
    if (before.ops[line] !== 0) lineOf.set(before.ops[line]!, line);
    if (line % LARGE === LARGE - 1) yield;
  }
  const taken = new Uint8Array(before.lines.length);
  const match = new Int32Array(after.lines.length).fill(-1);
  const from = new Int32Array(after.lines.length).fill(-1);
  const fresh: number[] = [];
  for (let line = 0; line < after.ops.length; line++) {
    if (line % LARGE === LARGE - 1) yield;
    const id = after.ops[line]!;
    if (id === 0) continue;
    const left = lineOf.get(id);
    if (left === undefined) fresh.push(line);
    else {
      match[line] = left;
      taken[left] = 1;
    }
  }
  if (fresh.length === 0) return { match, from };
  const parents = new Map<number, number[]>();
  for (const pairs of origins)
    for (let i = 0; i < pairs.length; i += 2) {
      const list = parents.get(pairs[i]!);
      if (list) list.push(pairs[i + 1]!);
      else parents.set(pairs[i]!, [pairs[i + 1]!]);
    }
  for (const line of fresh) {
    // Through ops that lived only in between.
    const queue = [...(parents.get(after.ops[line]!) ?? [])];
    for (let i = 0; i < queue.length && i < 16; i++) {
      const left = lineOf.get(queue[i]!);
      if (left === undefined) {
        queue.push(...(parents.get(queue[i]!) ?? []));
        continue;
      }
      if (from[line]! < 0) from[line] = left;
      if (taken[left]) continue;
      match[line] = left;
      taken[left] = 1;
      break;
    }
  }
  return { match, from };
}

/**
 * Lines on which no op begins: definitions of aliases by what they define; labels and braces by the op whose region they
 * belong to, in order.
 */
function* matchOtherLines(left: StepSide, right: StepSide, match: Int32Array): Sliced<void> {
  const waiting = new Map<string, number[]>();
  let seen = 0;
  for (const line of left.otherLines()) {
    if (++seen % SLICE === 0) yield;
    const key = left.isAlias(line) ? left.aliasKey(line) : `${left.owner(line)}:${left.shapeOf(line)}`;
    const list = waiting.get(key);
    if (list) list.push(line);
    else waiting.set(key, [line]);
  }
  yield;
  for (const list of waiting.values()) list.reverse();
  for (const line of right.otherLines()) {
    if (++seen % SLICE === 0) yield;
    if (right.isAlias(line)) {
      match[line] = waiting.get(right.aliasKey(line))?.pop() ?? -1;
      continue;
    }
    const owner = right.owner(line);
    const partner = owner < 0 ? -1 : match[owner]!;
    if (owner >= 0 && partner < 0) continue;
    match[line] = waiting.get(`${partner}:${right.shapeOf(line)}`)?.pop() ?? -1;
  }
}
