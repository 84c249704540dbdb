/**
 * Whether two lines say the same though names differ: values and blocks are compared by where they are defined, aliases
 * by what they stand for.
 */

import { memo } from "../support/memo.js";
import { finished, type Sliced } from "../support/slices.js";
import type { StepText } from "../trace/line-table.js";

/** Lines between two halts. */
const SLICE = 2048;

/** Where the numbers of lines lead: a Trace's `LineTable`, or those of two. */
export interface Lines {
  readonly line: (number: number) => string;
}

/** One side of a diff: a step's lines, and what names on them mean. Everything is found out on demand. */
export class StepSide {
  /** Lines that define a name, ascending; and which of the line's definitions it is. */
  #definitions: Map<string, { readonly line: number; readonly index: number }[]> | undefined;
  #functions: number[] | undefined;
  #owners: Int32Array | undefined;
  #aliases: Map<string, string> | undefined;
  readonly hasAliases: boolean;

  constructor(
    readonly lines: Lines,
    readonly text: StepText,
  ) {
    this.hasAliases = text.lines.length > 0 && this.isAlias(0);
  }

  line(at: number): string {
    return this.lines.line(this.text.lines[at]!);
  }
  isAlias(at: number): boolean {
    return this.text.ops[at] === 0 && isAliasDefinition(this.line(at));
  }
  /** Equal for definitions of the same kind of name with the same meaning. */
  aliasKey(at: number): string {
    const line = this.line(at);
    const equal = line.indexOf(" = ");
    return `${line.slice(0, equal).replace(/\d+$/, "")} = ${this.spelt(line.slice(equal + 3))}`;
  }
  *otherLines(): Generator<number> {
    const { ops } = this.text;
    for (let line = 0; line < ops.length; line++) if (ops[line] === 0) yield line;
  }
  /** The op whose region a line without an op belongs to: the last op above that is indented no further. */
  owner(at: number): number {
    this.#owners ??= finished(this.findOwners());
    return this.#owners[at]!;
  }
  /** Finds out beforehand, in slices, what a comparison asks for. */
  *prepare(): Sliced<void> {
    this.#owners ??= yield* this.findOwners();
    this.#definitions ??= yield* this.findDefinitions();
  }
  private *findOwners(): Sliced<Int32Array> {
    const { ops } = this.text;
    const owners = new Int32Array(ops.length).fill(-1);
    const stack: { readonly indent: number; readonly line: number }[] = [];
    for (let line = 0; line < ops.length; line++) {
      const isOp = ops[line] !== 0;
      const text = this.line(line);
      let indent = 0;
      while (text.charCodeAt(indent) === 32) indent++;
      while (stack.length > 0 && stack.at(-1)!.indent > indent) stack.pop();
      if (!isOp) owners[line] = stack.at(-1)?.line ?? -1;
      else if (stack.at(-1)?.indent === indent) stack[stack.length - 1] = { indent, line };
      else stack.push({ indent, line });
      if (line % SLICE === SLICE - 1) yield;
    }
    return owners;
  }
  /** The kind of a line: `}`, `^`, or its text without the names of values (`} else {`). */
  shapeOf(at: number): string {
    const line = this.line(at).trimStart();
    return line.startsWith("}") && !line.endsWith("{") ? "}" : line.startsWith("^") ? "^" : line.replace(/%[\w$.-]+/g, "%");
  }

  /** Where the value or block named `name` is defined as seen from line `at`, as line and index on it. */
  definition(name: string, at: number): { readonly line: number; readonly index: number } | undefined {
    this.#definitions ??= finished(this.findDefinitions());
    const list = this.#definitions.get(name);
    if (!list) return undefined;
    // The last one above; a block may be defined below, in the same function.
    let lo = 0;
    let hi = list.length;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (list[mid]!.line <= at) lo = mid + 1;
      else hi = mid;
    }
    const above = list[lo - 1];
    return above && above.line >= this.functionStart(at) ? above : list[lo];
  }
  private functionStart(at: number): number {
    const starts = this.#functions!;
    let lo = 0;
    let hi = starts.length;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (starts[mid]! <= at) lo = mid + 1;
      else hi = mid;
    }
    return starts[lo - 1] ?? 0;
  }
  private *findDefinitions(): Sliced<Map<string, { readonly line: number; readonly index: number }[]>> {
    const found = new Map<string, { readonly line: number; readonly index: number }[]>();
    const functions: number[] = [];
    const define = (name: string, line: number, index: number) => {
      const list = found.get(name);
      if (list) list.push({ line, index });
      else found.set(name, [{ line, index }]);
    };
    for (let line = 0; line < this.text.lines.length; line++) {
      if (line % SLICE === SLICE - 1) yield;
      const text = this.line(line);
      let at = 0;
      while (text.charCodeAt(at) === 32) at++;
      const first = text.charCodeAt(at);
      let index = 0;
      if (first === 37) {
        const equal = text.indexOf(" = ", at);
        for (const name of text.slice(at, equal).split(", ")) define(name.replace(/:\d+$/, ""), line, index++);
        at = equal + 3;
        if (text.charCodeAt(text.length - 1) !== 123) continue;
      } else if (first === 94) define(/\^[\w$.-]+/.exec(text)![0], line, -1);
      else if (/^(?:[\w.]+\.)?func\b/.test(text.slice(at, at + 24))) functions.push(line);
      else if (text.charCodeAt(text.length - 1) !== 123) continue;
      for (const match of text.slice(at).matchAll(/(%[\w$.-]+)(?:: | = )/g)) define(match[1]!, line, 1000 + index++);
    }
    this.#functions = functions;
    return found;
  }

  /** A text with aliases replaced by what they stand for, but where that is too long: there their names stay. */
  spelt(text: string): string {
    if (!text.includes("#") && !text.includes("!")) return text;
    const full = text.replace(ALIAS, (name) => this.meaning(name));
    return full.length > text.length + LONGEST_MEANING ? text : full;
  }
  private meaning(name: string): string {
    this.#aliases ??= this.findAliases();
    const definition = this.#aliases.get(name);
    if (definition === undefined) return name;
    let meaning = this.#meanings.get(name);
    if (meaning === undefined) {
      // An alias that stands for itself keeps its name.
      this.#meanings.set(name, name);
      meaning = this.spelt(definition);
      this.#meanings.set(name, meaning);
    }
    return meaning;
  }
  readonly #meanings = new Map<string, string>();
  private findAliases(): Map<string, string> {
    const aliases = new Map<string, string>();
    for (const at of this.otherLines()) {
      const line = this.line(at);
      const equal = isAliasDefinition(line) ? line.indexOf(" = ") : -1;
      if (equal > 0) aliases.set(line.slice(0, equal), line.slice(equal + 3));
    }
    return aliases;
  }
}

/** The side of a diff that a step's text is; the last few are kept, as several things are asked about the same one. */
export const sideOf = memo((lines: Lines, text: StepText): StepSide => new StepSide(lines, text), 4);

/** `#blocked = ...`, `!shared = ...` */
export function isAliasDefinition(line: string): boolean {
  const first = line.charCodeAt(0);
  return (first === 35 || first === 33) && line.includes(" = ");
}

const ALIAS = /[#!][A-Za-z_][\w$]*(?![\w$.]*[<.])/g;
/** Meanings of aliases that make a text longer than by so much say nothing to a reader. */
const LONGEST_MEANING = 1 << 16;
const NAMES = /[%^][\w$.-]+|[#!][A-Za-z_][\w$]*(?![\w$.]*[<.])/g;

/** Whether line `l` before and line `r` after differ in names only; `match` gives the line before for each line after. */
export function sayTheSame(left: StepSide, l: number, right: StepSide, r: number, match: Int32Array): boolean {
  const a = withoutComment(left.line(l)).trimStart();
  const b = withoutComment(right.line(r)).trimStart();
  if (a === b && !/[%^#!]/.test(a)) return true;
  const ours = [...a.matchAll(NAMES)];
  const theirs = [...b.matchAll(NAMES)];
  if (ours.length !== theirs.length || a.replace(NAMES, "%") !== b.replace(NAMES, "%")) {
    // One side may spell out what the other has an alias for.
    const x = left.spelt(a);
    const y = right.spelt(b);
    return (
      (x !== a || y !== b) && sameNames([...x.matchAll(NAMES)], [...y.matchAll(NAMES)]) && x.replace(NAMES, "%") === y.replace(NAMES, "%")
    );
  }
  return sameNames(ours, theirs);

  function sameNames(xs: readonly RegExpExecArray[], ys: readonly RegExpExecArray[]): boolean {
    return xs.length === ys.length && xs.every((x, i) => sameName(x[0], ys[i]![0]));
  }
  function sameName(x: string, y: string): boolean {
    return namesAgree(left, l, x, right, r, y, match);
  }
}

/** Whether name `x` on line `l` before and name `y` on line `r` after stand for the same. */
export function namesAgree(left: StepSide, l: number, x: string, right: StepSide, r: number, y: string, match: Int32Array): boolean {
  const kind = x.charCodeAt(0);
  if (kind !== y.charCodeAt(0)) return false;
  if (kind === 35 || kind === 33) return left.spelt(x) === right.spelt(y);
  const from = left.definition(x, l);
  const to = right.definition(y, r);
  if (!from || !to) return from === to && x === y;
  return match[to.line] === from.line && from.index === to.index;
}
/** `^bb1:  // 2 preds` */
function withoutComment(line: string): string {
  const at = line.indexOf("  // ");
  return at < 0 ? line : line.slice(0, at);
}
