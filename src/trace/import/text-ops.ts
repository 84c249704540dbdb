/**
 * Reads just enough of printed IR to know its ops: which lines begin one, what it defines and uses. It knows no dialect,
 * so that the IR of any Triton, older, newer or of another vendor, can be stepped. One scan over the characters; what an
 * op says is kept as hashes, so that steps of tens of megabytes are read in a fraction of a second.
 */
import { finished, type Sliced } from "../../support/slices.js";
import { Ints } from "./ints.js";
import { Aliases } from "./text-aliases.js";
import { Char, endOfBrackets, endOfParens, hashOf, mixHash, NAME_CHAR, PRIME, SEED } from "./text-scan.js";

/** Ops in the order of their lines. Labels of blocks count as ops here (`BLOCK`), for they define values too. */
export interface TextIR {
  readonly text: string;
  readonly numLines: number;
  /** Where each line begins in `text`; one more entry for the end. */
  readonly lineStart: Int32Array;
  /** The op that begins on a line; -1 for none. */
  readonly opAt: Int32Array;
  readonly numOps: number;
  /** The line of each op. */
  readonly line: Int32Array;
  /** Hash of the op's name; `BLOCK` for a label. */
  readonly kind: Int32Array;
  /** Hash of all the op says but for its operands: name, attributes, types, with aliases spelt out. */
  readonly shape: Int32Array;
  /** `shape` without encodings of types: what a change of layout leaves. */
  readonly bare: Int32Array;
  /** Hash of the location, aliases spelt out; 0 for none. */
  readonly loc: Int32Array;
  /** The op whose region this one is in; -1 at the top. */
  readonly parent: Int32Array;
  /** The op with a symbol name around this one, or itself; -1 outside of functions. */
  readonly root: Int32Array;
  /** Hash of the symbol that the op defines; 0 for none. */
  readonly symbol: Int32Array;
  /** Hash of the symbol that a call names; 0 for none. */
  readonly callee: Int32Array;
  /** Operands and successors of op `i` are `operands[operandStart[i]..operandStart[i + 1]]`, as values; -1 for unknown. */
  readonly operandStart: Int32Array;
  readonly operands: Int32Array;
  /** The op that defines each value, and which of its values it is: results, then arguments (from `FIRST_ARG`), a label. */
  readonly valueOp: Int32Array;
  readonly valueIndex: Int32Array;
  readonly numResults: Int32Array;
}

/** Value index of an op's first region argument. */
export const FIRST_ARG = 1 << 16;
/** Value index of a block itself, as branches name it. */
export const LABEL = -1;

/** The kind of a block's label. */
export const BLOCK = hashOf("^");

/** Ops whose names have no dialect. */
const BARE_OPS: ReadonlySet<string> = new Set(["module", "func", "return", "call", "br", "cond_br", "switch", "assert", "constant"]);

const isDigit = (c: number): boolean => c >= 48 && c <= 57;

/** The most results that an op of a log is taken to have. */
const MOST_RESULTS = 65536;

/** The ops of printed IR, without knowledge of dialects. */
export function readTextIR(text: string): TextIR {
  return finished(readTextIRInSlices(text));
}
/** As `readTextIR`, halting every few milliseconds. */
export function readTextIRInSlices(text: string): Sliced<TextIR> {
  return new Reader(text).read();
}
/** Lines between two halts. */
const SLICE = 2048;

class Reader {
  readonly #lineStart = new Ints();
  readonly #opAt = new Ints();
  readonly #line = new Ints();
  readonly #kind = new Ints();
  readonly #shape = new Ints();
  readonly #bare = new Ints();
  readonly #loc = new Ints();
  readonly #parent = new Ints();
  readonly #root = new Ints();
  readonly #symbol = new Ints();
  readonly #callee = new Ints();
  readonly #operandStart = new Ints();
  readonly #operands = new Ints();
  readonly #valueOp = new Ints();
  readonly #valueIndex = new Ints();
  readonly #numResults = new Ints();
  readonly #numArgs = new Ints();

  /** Values by name: `%12` by number, others by text. Cleared at each function. */
  #numbered = new Int32Array(256).fill(-1);
  readonly #named = new Map<string, number>();
  /** Uses of names that are not defined yet: operand slot and name. */
  #forward: { readonly slot: number; readonly name: string }[] = [];
  readonly #aliases: Aliases;
  readonly #open: number[] = [];
  /** The op that the current line says something about. */
  #op = -1;
  #h = 0;
  #b = 0;

  constructor(readonly text: string) {
    this.#aliases = new Aliases(text);
  }

  *read(): Sliced<TextIR> {
    const { text } = this;
    for (let at = 0; at < text.length; ) {
      if (this.#lineStart.length % SLICE === SLICE - 1) yield;
      let end = text.indexOf("\n", at);
      if (end < 0) end = text.length;
      this.#lineStart.push(at);
      this.#opAt.push(-1);
      this.readLine(at, end);
      at = end + 1;
    }
    this.resolveForward();
    const numLines = this.#lineStart.length;
    this.#lineStart.push(text.length + (text.endsWith("\n") ? 0 : 1));
    this.#operandStart.push(this.#operands.length);
    return {
      text,
      numLines,
      lineStart: this.#lineStart.take(),
      opAt: this.#opAt.take(),
      numOps: this.#line.length,
      line: this.#line.take(),
      kind: this.#kind.take(),
      shape: this.#shape.take(),
      bare: this.#bare.take(),
      loc: this.#loc.take(),
      parent: this.#parent.take(),
      root: this.#root.take(),
      symbol: this.#symbol.take(),
      callee: this.#callee.take(),
      operandStart: this.#operandStart.take(),
      operands: this.#operands.take(),
      valueOp: this.#valueOp.take(),
      valueIndex: this.#valueIndex.take(),
      numResults: this.#numResults.take(),
    };
  }

  private readLine(from: number, end: number): void {
    const { text } = this;
    let at = from;
    while (at < end && (text.charCodeAt(at) === Char.Space || text.charCodeAt(at) === Char.Tab)) at++;
    if (at === end) return;
    const first = text.charCodeAt(at);
    if (first === Char.Slash) return;
    // Definitions of aliases start at the left margin.
    if ((first === Char.Hash || first === Char.Bang) && at === from) return;
    if (first === Char.RightBrace) return this.closingLine(at, end);
    if (first === Char.Caret) return this.blockLine(at, end);
    if (first === Char.Percent) {
      const resultsFrom = at;
      at = this.endOfResults(at, end);
      if (at < 0) return this.continuation(resultsFrom, end);
      return this.opLine(at, end, resultsFrom);
    }
    if (first === Char.Quote) return this.opLine(at, end, -1);
    if (first >= 97 && first <= 122) {
      const nameEnd = this.nameEnd(at, end);
      const name = text.slice(at, nameEnd);
      if (name.includes(".") || BARE_OPS.has(name)) return this.opLine(at, end, -1);
    }
    this.continuation(at, end);
  }

  private nameEnd(at: number, end: number): number {
    const { text } = this;
    while (at < end && NAME_CHAR[text.charCodeAt(at)]! === 1) at++;
    return at;
  }

  /** Past `%a, %b:2 = `; -1 when the line is no definition. */
  private endOfResults(at: number, end: number): number {
    const { text } = this;
    for (;;) {
      if (text.charCodeAt(at) !== Char.Percent) return -1;
      at = this.nameEnd(at + 1, end);
      if (text.charCodeAt(at) === Char.Colon) at = this.nameEnd(at + 1, end);
      if (text.charCodeAt(at) === Char.Comma) at += 2;
      else break;
    }
    return text.startsWith(" = ", at) && at < end ? at + 3 : -1;
  }

  private newOp(kind: number): number {
    const op = this.#line.length;
    const line = this.#lineStart.length - 1;
    const parent = this.#open.length > 0 ? this.#open[this.#open.length - 1]! : -1;
    this.#line.push(line);
    this.#kind.push(kind);
    this.#shape.push(0);
    this.#bare.push(0);
    this.#loc.push(0);
    this.#parent.push(parent);
    this.#root.push(parent < 0 ? -1 : this.#root.at(parent));
    this.#symbol.push(0);
    this.#callee.push(0);
    this.#operandStart.push(this.#operands.length);
    this.#numResults.push(0);
    this.#numArgs.push(0);
    this.#opAt.set(line, op);
    return op;
  }

  private opLine(at: number, end: number, resultsFrom: number): void {
    const { text } = this;
    const quoted = text.charCodeAt(at) === Char.Quote;
    const nameFrom = quoted ? at + 1 : at;
    const nameTo = quoted ? text.indexOf('"', nameFrom) : this.nameEnd(at, end);
    let kind = SEED;
    for (let i = nameFrom; i < nameTo; i++) kind = Math.imul(kind ^ text.charCodeAt(i), PRIME);
    const op = this.newOp(kind);
    this.#op = op;
    const isFunction = text.startsWith("func", nameTo - 4);
    if (isFunction) {
      this.#symbol.set(op, this.symbolHash(nameTo, end));
      this.#root.set(op, op);
      this.resolveForward();
      this.#named.clear();
      this.#numbered.fill(-1);
    } else if (text.startsWith("call", nameTo - 4)) this.#callee.set(op, this.symbolHash(nameTo, end));
    this.#h = kind;
    this.#b = kind;
    const opens = this.scan(quoted ? nameTo + 1 : nameTo, end, isFunction);
    if (resultsFrom >= 0) this.defineResults(op, resultsFrom);
    if (opens) this.#open.push(op);
    this.#shape.set(op, this.#h);
    this.#bare.set(op, this.#b);
  }

  /** The hash of the first `@symbol` on the line; 0 for none. */
  private symbolHash(from: number, end: number): number {
    const { text } = this;
    const at = text.indexOf("@", from) + 1;
    if (at === 0 || at > end) return 0;
    const quoted = text.charCodeAt(at) === Char.Quote;
    const to = quoted ? text.indexOf('"', at + 1) : this.nameEnd(at, end);
    return hashOf(text.slice(quoted ? at + 1 : at, to)) || 1;
  }

  private defineResults(op: number, at: number): void {
    const { text } = this;
    let index = 0;
    for (;;) {
      const nameEnd = this.nameEnd(at + 1, this.text.length);
      let count = 1;
      let next = nameEnd;
      if (text.charCodeAt(nameEnd) === Char.Colon) {
        next = this.nameEnd(nameEnd + 1, this.text.length);
        count = Number(text.slice(nameEnd + 1, next)) || 1;
        // A damaged number: no op has as many results.
        if (count > MOST_RESULTS) count = 1;
      }
      // A group's values follow each other: `%0#1` is the one after `%0`.
      this.define(at + 1, nameEnd, op, index);
      for (let k = 1; k < count; k++) {
        this.#valueOp.push(op);
        this.#valueIndex.push(index + k);
      }
      index += count;
      if (text.charCodeAt(next) !== Char.Comma) break;
      at = next + 2;
    }
    this.#numResults.set(op, index);
  }

  private define(from: number, to: number, op: number, index: number): void {
    const value = this.#valueOp.length;
    this.#valueOp.push(op);
    this.#valueIndex.push(index);
    const number = numberIn(this.text, from, to);
    if (number < 0) {
      this.#named.set(this.text.slice(from, to), value);
      return;
    }
    if (number >= this.#numbered.length) {
      const grown = new Int32Array(Math.max(number + 1, this.#numbered.length * 2)).fill(-1);
      grown.set(this.#numbered);
      this.#numbered = grown;
    }
    this.#numbered[number] = value;
  }
  private lookup(from: number, to: number): number {
    const number = numberIn(this.text, from, to);
    if (number < 0) return this.#named.get(this.text.slice(from, to)) ?? -1;
    return number < this.#numbered.length ? this.#numbered[number]! : -1;
  }

  /** Uses above their definition (blocks may), once the function is read. */
  private resolveForward(): void {
    for (const { slot, name } of this.#forward) {
      const number = numberIn(name, 0, name.length);
      const value = number < 0 ? this.#named.get(name) : number < this.#numbered.length ? this.#numbered[number] : undefined;
      if (value !== undefined) this.#operands.set(slot, value);
    }
    this.#forward = [];
  }

  /** `^bb1(%3: i32, %4: f32):  // 2 preds` */
  private blockLine(at: number, end: number): void {
    const op = this.newOp(BLOCK);
    this.#op = op;
    const nameEnd = this.nameEnd(at + 1, end);
    this.#valueOp.push(op);
    this.#valueIndex.push(LABEL);
    this.#named.set(this.text.slice(at, nameEnd), this.#valueOp.length - 1);
    this.#h = BLOCK;
    this.#b = BLOCK;
    this.scan(nameEnd, end, true);
    this.#shape.set(op, this.#h);
    this.#bare.set(op, this.#b);
  }

  /** `}`, `} else {`, `}) : (f32) -> f32 loc(#loc3)`: says the rest about the op whose region it closes. */
  private closingLine(at: number, end: number): void {
    const op = this.#open.pop();
    if (op === undefined) return;
    this.resume(op);
    if (this.scan(at + 1, end, true)) this.#open.push(op);
    this.finish(op);
  }
  /** `default {`, `partition0(%arg3: i32) num_warps(4) {`, `case 2 {`, `42: ^bb3`, `]`: belongs to the op before it. */
  private continuation(at: number, end: number): void {
    const parent = this.#open.length > 0 ? this.#open[this.#open.length - 1]! : -1;
    let op = this.#op;
    while (op >= 0 && this.#parent.at(op) !== parent) op = this.#parent.at(op);
    if (op < 0) return;
    this.resume(op);
    if (this.scan(at, end, true)) this.#open.push(op);
    this.finish(op);
  }
  private resume(op: number): void {
    this.#op = op;
    this.#h = this.#shape.at(op);
    this.#b = this.#bare.at(op);
  }
  private finish(op: number): void {
    this.#shape.set(op, this.#h);
    this.#bare.set(op, this.#b);
  }

  /**
   * Reads what a line says, from `at`: hashes, operands, region arguments, the location. `%x: type` defines an argument
   * where `header`; `%x = ` always does. Returns whether a region opens at the line's end.
   */
  private scan(at: number, end: number, header: boolean): boolean {
    const { text } = this;
    let h = this.#h;
    let b = this.#b;
    let opens = false;
    /** Up to here characters belong to an encoding, which `bare` leaves out. */
    let skipUntil = at;
    while (at < end) {
      const c = text.charCodeAt(at);
      if (c === Char.Percent) {
        const nameEnd = this.nameEnd(at + 1, end);
        if (nameEnd === at + 1) {
          at++;
          continue;
        }
        const after = text.charCodeAt(nameEnd);
        const assigned = after === Char.Space && text.charCodeAt(nameEnd + 1) === Char.Equal && text.charCodeAt(nameEnd + 2) === Char.Space;
        if (assigned || (header && after === Char.Colon)) this.defineArg(at + 1, nameEnd);
        else this.use(at, nameEnd, after, end);
        at = nameEnd;
        h = Math.imul(h ^ Char.Percent, PRIME);
        b = Math.imul(b ^ Char.Percent, PRIME);
        // The index into a group of results is part of the operand.
        if (after === Char.Hash) at = this.digitsEnd(at + 1, end);
        continue;
      }
      if (c === Char.Quote) {
        let close = at + 1;
        while (close < end && text.charCodeAt(close) !== Char.Quote) close += text.charCodeAt(close) === Char.Backslash ? 2 : 1;
        for (let i = at; i < close; i++) h = Math.imul(h ^ text.charCodeAt(i), PRIME);
        if (at >= skipUntil) for (let i = at; i < close; i++) b = Math.imul(b ^ text.charCodeAt(i), PRIME);
        at = close + 1;
        opens = false;
        continue;
      }
      if (c === Char.Hash || c === Char.Bang) {
        const nameEnd = this.nameEnd(at + 1, end);
        const next = text.charCodeAt(nameEnd);
        const encoding = c === Char.Hash && text.charCodeAt(at - 1) === Char.Space && text.charCodeAt(at - 2) === Char.Comma;
        if (encoding && at >= skipUntil) skipUntil = next === Char.Less ? endOfBrackets(text, nameEnd, end) : nameEnd;
        if (next !== Char.Less) {
          const spelt = this.#aliases.hash(text.slice(at, nameEnd));
          h = mixHash(h, spelt);
          if (at >= skipUntil) b = mixHash(b, spelt);
          at = nameEnd;
        } else if (encoding) {
          // Spelt out here, an alias elsewhere: both hash alike.
          h = mixHash(h, this.#aliases.hashOfText(text.slice(at, skipUntil)));
          at = skipUntil;
        } else at++;
        opens = false;
        continue;
      }
      if (c === Char.Caret) {
        const nameEnd = this.nameEnd(at + 1, end);
        const label = text.slice(at, nameEnd);
        this.countUse(this.#named.get(label) ?? -1, label);
        at = nameEnd;
        continue;
      }
      if (c === 108 && text.charCodeAt(at - 1) === Char.Space && text.startsWith("loc(", at)) {
        const close = endOfParens(text, at + 3, end);
        // An argument's location says nothing about the op.
        if (!(text.charCodeAt(close) === Char.Comma || text.charCodeAt(close) === Char.Close))
          this.#loc.set(this.#op, this.#aliases.hashOfText(text.slice(at + 4, close - 1)) || 1);
        at = close;
        continue;
      }
      if (c === Char.Slash && text.charCodeAt(at + 1) === Char.Slash) break;
      if (c === Char.Space) {
        at++;
        continue;
      }
      h = Math.imul(h ^ c, PRIME);
      if (at >= skipUntil && !(c === Char.Comma && text.charCodeAt(at + 2) === Char.Hash)) b = Math.imul(b ^ c, PRIME);
      opens = c === Char.LeftBrace;
      at++;
    }
    this.#h = h;
    this.#b = b;
    return opens;
  }

  private defineArg(from: number, to: number): void {
    const index = this.#numArgs.at(this.#op);
    this.#numArgs.set(this.#op, index + 1);
    this.define(from, to, this.#op, FIRST_ARG + index);
  }
  /** A use of the value named at `at`, with the index into a group of results after it. */
  private use(at: number, nameEnd: number, after: number, end: number): void {
    let value = this.lookup(at + 1, nameEnd);
    if (value >= 0 && after === Char.Hash) {
      const index = numberIn(this.text, nameEnd + 1, this.digitsEnd(nameEnd + 1, end));
      if (index > 0 && value + index < this.#valueOp.length) value += index;
    }
    this.countUse(value, value < 0 ? this.text.slice(at + 1, nameEnd) : "");
  }
  private digitsEnd(at: number, end: number): number {
    while (at < end && isDigit(this.text.charCodeAt(at))) at++;
    return at;
  }
  private countUse(value: number, name: string): void {
    // Only the op whose line was read last can still get operands: lists of operands follow each other.
    if (this.#op !== this.#line.length - 1) return;
    this.#operands.push(value);
    if (value < 0) this.#forward.push({ slot: this.#operands.length - 1, name });
  }
}

/** The number that a name is; -1 for another name. */
function numberIn(text: string, from: number, to: number): number {
  if (to - from > 7) return -1;
  let number = 0;
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i);
    if (c < 48 || c > 57) return -1;
    number = number * 10 + c - 48;
  }
  return number;
}
