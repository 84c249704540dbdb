/**
 * Whether paired lines of two texts say the same though names differ: values and blocks are compared by where they are defined,
 * aliases by their texts.
 */

import { FIRST_ARG, NAMES, namesIn, type StepSide } from "./step-side.js";

/** An alias in whose place another is used now: `#blocked` with other parameters, or another `#blocked1` that was there before. */
export interface Redefinition {
  /** Lines of the definitions. */
  readonly left: number;
  readonly right: number;
  /** The names. */
  readonly before: string;
  readonly after: string;
  /** Lines that used the one and use the other now. */
  readonly uses: number;
}

/** Two texts whose lines are paired. */
export class PairedText {
  #loops = new Map<number, ReadonlyMap<number, number> | undefined>();
  #redefined: ReadonlySet<string>;

  /** `match`: for each line after the line before, or -1. */
  constructor(
    readonly left: StepSide,
    readonly right: StepSide,
    readonly match: Int32Array,
    redefined: readonly Redefinition[] = [],
  ) {
    this.#redefined = new Set(redefined.map(({ before, after }) => `${before} ${after}`));
  }

  /** Whether line `l` before and line `r` after differ in names only, or in the target that they name. */
  sayTheSame(l: number, r: number): boolean {
    const { left, right } = this;
    const a = plain(left.line(l));
    const b = plain(right.line(r));
    if (a === b && !/[%^#!]/.test(a)) return true;
    if (a.replace(NAMES, "%") === b.replace(NAMES, "%")) return this.sameNames(l, a, r, b);
    // One side may spell out what the other has an alias for.
    const x = left.spelt(a);
    const y = right.spelt(b);
    return (x !== a || y !== b) && x.replace(NAMES, "%") === y.replace(NAMES, "%") && this.sameNames(l, x, r, y);
  }
  private sameNames(l: number, a: string, r: number, b: string): boolean {
    const xs = namesIn(a);
    const ys = namesIn(b);
    return xs.length === ys.length && xs.every((x, i) => this.namesAgree(l, x, r, ys[i]!));
  }

  /** Whether name `x` on line `l` before and name `y` on line `r` after stand for the same. */
  namesAgree(l: number, x: string, r: number, y: string): boolean {
    const { left, right, match } = this;
    const kind = x.charCodeAt(0);
    if (kind !== y.charCodeAt(0)) return false;
    if (kind === 35 || kind === 33) return this.#redefined.has(`${x} ${y}`) || left.spelt(x) === right.spelt(y);
    const from = left.definition(x, l);
    const to = right.definition(y, r);
    if (!from || !to) return from === to && x === y;
    if (match[to.line] !== from.line) return false;
    const arguments_ = from.index < 0 ? undefined : this.loopArguments(from.line, to.line);
    return arguments_ ? arguments_.get(to.index) === from.index : from.index === to.index;
  }

  /**
   * Which argument or result of a loop is which, where a pass made the loop anew with more or fewer of them: those that the same ops
   * of the body use in the same places, or that begin with the same value. The index before by the index after; undefined where
   * both have as many.
   */
  private loopArguments(l: number, r: number): ReadonlyMap<number, number> | undefined {
    if (!this.#loops.has(r)) {
      // While it is being found out, they are compared by their numbers.
      this.#loops.set(r, undefined);
      this.#loops.set(r, this.findLoopArguments(l, r));
    }
    return this.#loops.get(r);
  }
  private findLoopArguments(l: number, r: number): ReadonlyMap<number, number> | undefined {
    const { left, right, match } = this;
    const before = new Loop(left.line(l));
    const after = new Loop(right.line(r));
    if (before.args.length === after.args.length || before.args.length === 0 || after.args.length === 0) return undefined;
    /** How often argument `j` after is in the place of argument `i` before: `votes[j][i]`. */
    const votes = after.args.map(() => new Array<number>(before.args.length).fill(0));
    const vote = (x: string, y: string) => {
      const i = before.args.indexOf(x);
      const j = after.args.indexOf(y);
      if (i >= 0 && j >= 0) votes[j]![i]!++;
    };
    const { length } = right.text.lines;
    for (let line = r + 1; line < length && indentOf(right.line(line)) > after.indent; line++) {
      const m = match[line]!;
      if (m < 0) continue;
      const xs = namesIn(left.line(m));
      const ys = namesIn(right.line(line));
      if (xs.length === ys.length) ys.forEach((y, k) => vote(xs[k]!, y));
    }
    for (const [arg, init] of after.inits)
      for (const [other, value] of before.inits) if (this.namesAgree(l, value, r, init)) vote(other, arg);
    const pairs = new Map<number, number>();
    const taken = new Set<number>();
    // The results of a loop are its arguments after the last iteration.
    const shift = after.args.length - after.results;
    const haveResults = before.args.length - before.results === shift && after.results > 0;
    // The surest first.
    const order = votes.map((row, j) => ({ row, j, most: Math.max(...row) })).sort((a, b) => b.most - a.most || a.j - b.j);
    for (const { row, j } of order) {
      let best = -1;
      for (let i = 0; i < row.length; i++) if (row[i]! > 0 && !taken.has(i) && (best < 0 || row[i]! > row[best]!)) best = i;
      if (best < 0) continue;
      taken.add(best);
      pairs.set(FIRST_ARG + j, FIRST_ARG + best);
      if (haveResults && j >= shift && best >= shift) pairs.set(j - shift, best - shift);
    }
    return pairs;
  }
}

/** A line without the predecessors of a block (`^bb1:  // 2 preds`), and without the target, which says nothing of the program. */
function plain(line: string): string {
  const at = line.indexOf("  // ");
  const text = (at < 0 ? line : line.slice(0, at)).trimStart();
  return text.includes("ttg.target") ? text.replace(/ttg\.target = "[^"]*"/, "ttg.target") : text;
}

/** The line that a loop begins with: its arguments with what they begin with, and the number of its results. */
class Loop {
  readonly indent: number;
  readonly args: readonly string[];
  readonly inits: readonly (readonly [string, string])[];
  readonly results: number;

  constructor(line: string) {
    this.indent = indentOf(line);
    const [, count, rest = ""] = /^\s*(?:%[\w$.-]+(?::(\d+))? = )?(.*)$/s.exec(line)!;
    this.results = count === undefined ? (line.trimStart().startsWith("%") ? 1 : 0) : Number(count);
    const isLoop = rest.endsWith("{") && !/^(?:[\w.]+\.)?func\b/.test(rest);
    this.args = isLoop ? [...rest.matchAll(/(%[\w$.-]+)(?:: | = )/g)].map((m) => m[1]!) : [];
    this.inits = isLoop ? [...rest.matchAll(/(%[\w$.-]+) = (%[\w$.-]+(?:#\d+)?)/g)].map((m) => [m[1]!, m[2]!] as const) : [];
  }
}
const indentOf = (line: string): number => line.length - line.trimStart().length;
