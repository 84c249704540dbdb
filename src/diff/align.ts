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
import { aliasNotes, findRedefinitions } from "./redefinitions.js";
import { PairedText, type Redefinition } from "./same-text.js";
import { type Lines, type StepSide, sideOf } from "./step-side.js";

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
  /** About aliases: who uses a redefined one, what a name stood for. */
  readonly note?: string;
}
/** How many ops were added, removed, changed and moved, and how many aliases redefined. */
export interface Counts {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly moved: number;
  readonly redefined: number;
}
/** The rows of two texts side by side. */
export interface Alignment {
  readonly rows: readonly Row[];
  readonly counts: Counts;
  readonly redefined: readonly Redefinition[];
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
  const { match, from } = yield* matchOps(lines, before, after, origins);
  if (numBefore + numAfter > LARGE) {
    yield;
    yield* left.prepare();
    yield* right.prepare();
  }
  yield* matchOtherLines(left, right, match);
  const redefined = yield* findRedefinitions(left, right, match);
  for (const alias of redefined) if (match[alias.right]! < 0) match[alias.right] = alias.left;
  const texts = new PairedText(left, right, match, redefined);
  const notes = aliasNotes(texts, redefined);
  const stays = longestIncreasing(match);
  const matchedLeft = new Int32Array(numBefore).fill(-1);
  for (let r = 0; r < numAfter; r++) if (match[r]! >= 0) matchedLeft[match[r]!] = r;
  // Where only one text has aliases, the other spells them out.
  const ignoreAliases = left.hasAliases !== right.hasAliases;

  const rows: Row[] = [];
  /** The new rows since the last row of both sides: shown after the removed rows. */
  let fresh: Row[] = [];
  const counts = { added: 0, removed: 0, changed: 0, moved: 0, redefined: redefined.length };
  let l = 0;
  const leftUntil = (end: number) => {
    for (; l < end; l++) {
      const r = matchedLeft[l]!;
      if (r < 0) {
        const silent = ignoreAliases && left.isAlias(l);
        rows.push({ kind: silent ? "same" : "removed", left: l, right: -1, ...noted(notes.left.get(l)) });
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
    const changed = (isOp ? before.hashes[m] !== after.hashes[r] : before.lines[m] !== after.lines[r]) && !texts.sayTheSame(m, r);
    const note = notes.right.get(r) ?? (changed ? notes.ofChanged(m, r) : undefined);
    const row: Row = { kind: changed ? "changed" : "same", left: m, right: r, ...noted(note) };
    if (!stays[r]) {
      // Braces and definitions of aliases go where their ops go.
      if (!isOp) fresh.push(row);
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
    rows.push(row);
    if (changed && isOp) counts.changed++;
    l = m + 1;
  }
  leftUntil(numBefore);
  for (const row of fresh) rows.push(row);
  return { rows, counts, redefined };
}

const noted = (note: string | undefined): { note?: string } => (note === undefined ? {} : { note });

/** Lines between two halts, and from how many lines on what a comparison asks for is found out beforehand. */
const SLICE = 2048;
const LARGE = 8 * SLICE;

/** The alignment of a text with itself. */
export function unchanged(text: StepText): Alignment {
  return {
    rows: Array.from(text.lines, (_, line): Row => ({ kind: "same", left: line, right: line })),
    counts: { added: 0, removed: 0, changed: 0, moved: 0, redefined: 0 },
    redefined: [],
  };
}

/** How many ops an alignment shows as added and as removed, without comparing texts. */
export function opChanges(
  lines: Lines,
  before: StepText,
  after: StepText,
  origins: readonly Int32Array[] = [],
): { readonly added: number; readonly removed: number } {
  const { match } = finished(matchOps(lines, before, after, origins));
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
  lines: Lines,
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
  /** By a lost line, the lines of ops that were made from it. */
  const made = new Map<number, number[]>();
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
      const list = made.get(left);
      if (list) list.push(line);
      else made.set(left, [line]);
    }
  }
  for (const [left, candidates] of made) {
    const free = candidates.filter((line) => match[line]! < 0);
    const partner = free.length < 2 ? free[0] : mostAlike(lines.line(before.lines[left]!), free, (line) => lines.line(after.lines[line]!));
    if (partner !== undefined) match[partner] = left;
  }
  return { match, from };
}

/** The candidate whose op has the name most like that of a line's op (`tt.dot`, `ttng.warp_group_dot`), the first of several. */
function mostAlike(line: string, candidates: readonly number[], textOf: (candidate: number) => string): number {
  const name = opName(line);
  const words = new Set(name.split(/[._]/).slice(1));
  let best = candidates[0]!;
  let most = 0;
  for (const candidate of candidates) {
    const other = opName(textOf(candidate));
    if (other === name) return candidate;
    const shared = other.split(/[._]/).filter((word) => words.has(word)).length;
    if (shared > most) [best, most] = [candidate, shared];
  }
  return best;
}
const opName = (line: string): string => /^\s*(?:%[^=]* = )?"?([\w.]+)/.exec(line)?.[1] ?? "";

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
