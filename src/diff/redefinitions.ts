/** Aliases in whose place others are used now, and what is said of aliases that have the same name and another meaning. */

import type { Sliced } from "../support/slices.js";
import type { PairedText, Redefinition } from "./same-text.js";
import { namesIn, type StepSide } from "./step-side.js";

/** Lines between two halts. */
const SLICE = 2048;

/**
 * Definitions of the side before only, where most lines that used them use one other alias now: `#blocked` with other parameters. One lit
 * line says that, and the lines that use it are as before. `match` has the line before for each line after.
 */
export function* findRedefinitions(left: StepSide, right: StepSide, match: Int32Array): Sliced<readonly Redefinition[]> {
  const paired = new Set(match);
  const lost = new Map<string, number>();
  for (const line of left.otherLines()) if (left.isAlias(line) && !paired.has(line)) lost.set(left.definedBy(line), line);
  if (lost.size === 0) return [];
  const defined = new Map<string, number>();
  for (const line of right.otherLines()) if (right.isAlias(line)) defined.set(right.definedBy(line), line);
  /** Lines that used one and use the other now; of each of them, those that did so at all. */
  const pairs = new Map<string, Map<string, number>>();
  const uses = new Map<string, number>();
  for (let r = 0; r < match.length; r++) {
    if (r % SLICE === SLICE - 1) yield;
    const l = match[r]!;
    if (l < 0 || right.text.ops[r] === 0) continue;
    const xs = namesIn(left.line(l));
    const seen = new Set<string>();
    for (const name of xs) if (lost.has(name)) seen.add(name);
    for (const name of seen) uses.set(name, (uses.get(name) ?? 0) + 1);
    if (seen.size === 0) continue;
    const ys = namesIn(right.line(r));
    if (xs.length !== ys.length) continue;
    for (const before of seen) {
      const after = ys[xs.indexOf(before)]!;
      if (!defined.has(after)) continue;
      const counts = pairs.get(before) ?? new Map<string, number>();
      pairs.set(before, counts.set(after, (counts.get(after) ?? 0) + 1));
    }
  }
  const found: Redefinition[] = [];
  for (const [before, counts] of pairs) {
    const [after, most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
    // A name of another kind is another layout: `#blocked` does not become `#mma` without a word.
    const alike = before.replace(/\d+$/, "") === after.replace(/\d+$/, "");
    if (alike && most * 2 > uses.get(before)!)
      found.push({ left: lost.get(before)!, right: defined.get(after)!, before, after, uses: most });
  }
  return found;
}

/** Notes of lines before and after about aliases, and the note of a changed line. */
export interface AliasNotes {
  readonly left: ReadonlyMap<number, string>;
  readonly right: ReadonlyMap<number, string>;
  readonly ofChanged: (l: number, r: number) => string | undefined;
}

export function aliasNotes(texts: PairedText, redefined: readonly Redefinition[]): AliasNotes {
  const { left, right, match } = texts;
  const ofLeft = new Map<number, string>();
  const ofRight = new Map<number, string>();
  for (const line of right.otherLines()) {
    const l = match[line]!;
    if (l < 0 || !right.isAlias(line)) continue;
    const [before, after] = [left.definedBy(l), right.definedBy(line)];
    if (before !== after) ofRight.set(line, `${before} before`);
  }
  for (const { left: l, right: r, uses } of redefined) {
    const lines = uses === 1 ? "1 line uses" : `${uses} lines use`;
    if (match[r] === l) ofRight.set(r, `${lines} it`);
    else ofLeft.set(l, `${lines} ${left.definedBy(match[r]!)} instead`);
  }
  return { left: ofLeft, right: ofRight, ofChanged: (l, r) => otherMeanings(texts, l, r) };
}

/** `#blocked: sizePerThread [1] -> [4]`, of the aliases that a changed line names as before though they are other layouts; of values, `another %cst`. */
function otherMeanings(texts: PairedText, l: number, r: number): string | undefined {
  const xs = namesIn(texts.left.line(l));
  const ys = namesIn(texts.right.line(r));
  if (xs.length !== ys.length) return undefined;
  const same = new Set(ys.filter((y, i) => y === xs[i] && !texts.namesAgree(l, y, r, y)));
  const hasOtherNames = ys.some((y, i) => y !== xs[i]);
  const notes = [...same].flatMap((name) => {
    if (!name.startsWith("#")) return hasOtherNames ? [] : [`another ${name}`];
    const changes = otherParameters(texts.left.spelt(name), texts.right.spelt(name));
    return changes === undefined ? [] : [`${name}: ${changes}`];
  });
  return notes.length === 0 ? undefined : notes.join("; ");
}

/** The parameters of two attributes that differ; undefined for attributes of different kinds. */
function otherParameters(before: string, after: string): string | undefined {
  const [xs, ys] = [parametersOf(before), parametersOf(after)];
  if (xs.kind !== ys.kind) return undefined;
  const names = [...new Set([...xs.values.keys(), ...ys.values.keys()])].filter((name) => xs.values.get(name) !== ys.values.get(name));
  return names.map((name) => `${name} ${xs.values.get(name) ?? "none"} -> ${ys.values.get(name) ?? "none"}`).join(", ");
}
function parametersOf(attribute: string): { readonly kind: string; readonly values: ReadonlyMap<string, string> } {
  const [, kind = attribute, inside = ""] = /^([^<]*)<\{?(.*?)\}?>$/s.exec(attribute) ?? [];
  const found = inside.matchAll(/(\w+) = ((?:\[(?:[^[\]]|\[[^[\]]*\])*\]|<[^>]*>|[^,[<])*)/g);
  return { kind, values: new Map(Array.from(found, (m) => [m[1]!, m[2]!])) };
}
