/** The names on the lines of a step: where values and blocks are defined, and what aliases stand for. */

import { memo } from "../support/memo.js";
import { finished, type Sliced } from "../support/slices.js";
import type { StepText } from "../trace/line-table.js";

/** Lines between two halts. */
const SLICE = 2048;

/** Where the numbers of lines lead: a Trace's `LineTable`, or those of two. */
export interface Lines {
  readonly line: (number: number) => string;
}

/** A line that defines a value or a block, and which of its definitions that is: results from 0, arguments from `FIRST_ARG`; of a label -1. */
export interface Definition {
  readonly line: number;
  readonly index: number;
}
export const FIRST_ARG = 1000;

/** One side of a diff: a step's lines, and what names on them mean. Everything is found out on demand. */
export class StepSide {
  /** Lines that define a name, ascending; and which of the line's definitions it is. */
  #definitions: Map<string, Definition[]> | undefined;
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
  /** The alias that a line defines. */
  definedBy(at: number): string {
    const line = this.line(at);
    return line.slice(0, line.indexOf(" = "));
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

  /** Where the value or block named `name` (`%3`, `%3#1`, `^bb1`) is defined as seen from line `at`. */
  definition(name: string, at: number): Definition | undefined {
    const part = name.indexOf("#");
    if (part > 0) {
      const whole = this.definition(name.slice(0, part), at);
      return whole && { line: whole.line, index: whole.index + Number(name.slice(part + 1)) };
    }
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
  private *findDefinitions(): Sliced<Map<string, Definition[]>> {
    const found = new Map<string, Definition[]>();
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
      let arg = FIRST_ARG;
      if (first === 37) {
        const equal = text.indexOf(" = ", at);
        for (const name of text.slice(at, equal).split(", ")) define(name.replace(/:\d+$/, ""), line, index++);
        at = equal + 3;
        if (text.charCodeAt(text.length - 1) !== 123) continue;
      } else if (first === 94) define(/\^[\w$.-]+/.exec(text)![0], line, -1);
      else if (/^(?:[\w.]+\.)?func\b/.test(text.slice(at, at + 24))) functions.push(line);
      else if (text.charCodeAt(text.length - 1) !== 123) continue;
      for (const match of text.slice(at).matchAll(/(%[\w$.-]+)(?:: | = )/g)) define(match[1]!, line, arg++);
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
/** Values, blocks and aliases. */
export const namesIn = (text: string): readonly string[] => text.match(NAMES) ?? [];
export const NAMES = /[%^][\w$.-]+(?:#\d+)?|[#!][A-Za-z_][\w$]*(?![\w$.]*[<.])/g;
