/** Reads the tokens of a PTX text, notes the text before each, and reports what is wrong at its place. */
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { SourceBuffer } from "../diagnostics/source.js";
import { Bug } from "../support/assert.js";
import type { Setting } from "./instruction.js";
import { ownGaps } from "./print.js";

/** Leaves the statement being read; caught in `recover`. */
class Unreadable extends Error {}

/** A text of PTX and the place in it that is read next. */
export class TokenReader {
  readonly diagnostics: Diagnostic[] = [];
  protected readonly text: string;
  protected at = 0;
  /** The text before each token of the statement being read. */
  protected gaps: string[] = [];

  constructor(readonly source: SourceBuffer) {
    this.text = source.text;
  }

  /** Returns what `read` returns; undefined after an error, from which reading goes on after the next semicolon or line. */
  protected recover<T>(read: () => T, where: "module" | "body"): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const stop = where === "body" ? /[;}\n]/g : /[;\n]/g;
      stop.lastIndex = this.at;
      const found = stop.exec(this.text);
      this.at = found ? found.index + (found[0] === "}" ? 0 : 1) : this.text.length;
      return undefined;
    }
  }

  protected report(at: number, message: string): void {
    this.diagnostics.push({
      severity: "error",
      code: "ptx.syntax",
      message,
      position: this.source.position(Math.min(at, this.text.length)),
      notes: [],
    });
  }

  protected fail(message: string): never {
    this.skip();
    this.report(this.at, message);
    throw new Unreadable(message);
  }

  // Tokens. Each one notes the text before it.

  /** Moves over white space and comments. */
  protected skip(): void {
    const text = this.text;
    let at = this.at;
    for (;;) {
      const c = text.charCodeAt(at);
      if (c === 32 || (c >= 9 && c <= 13)) at++;
      else if (c === 47 && text.charCodeAt(at + 1) === 47) at = endOr(text.indexOf("\n", at), text);
      else if (c === 47 && text.charCodeAt(at + 1) === 42) at = endOr(text.indexOf("*/", at) + 1, text) + 1;
      else break;
    }
    this.at = at;
  }

  protected match(pattern: RegExp): string | undefined {
    const start = this.at;
    this.skip();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) {
      this.at = start;
      return undefined;
    }
    this.gaps.push(this.text.slice(start, this.at));
    this.at = pattern.lastIndex;
    return found[0];
  }

  /** The next character that is not white space or comment. */
  protected peek(): string {
    const start = this.at;
    this.skip();
    const c = this.text[this.at] ?? "";
    this.at = start;
    return c;
  }

  protected take(token: string): boolean {
    const start = this.at;
    this.skip();
    if (!this.text.startsWith(token, this.at)) {
      this.at = start;
      return false;
    }
    this.gaps.push(this.text.slice(start, this.at));
    this.at += token.length;
    return true;
  }

  protected expect(token: string, where: string): void {
    if (!this.take(token)) this.fail(`expected '${token}' ${where}`);
  }

  /** `offset` and, where they are not the printer's own, the gaps of what was read. */
  protected setting(offset: number, tokens: readonly string[], style: Parameters<typeof ownGaps>[1]): Setting {
    const gaps = this.gaps;
    const own = ownGaps(tokens, style);
    const before = gaps[0] === own[0] ? {} : { before: gaps[0]! };
    if (gaps.length !== own.length) throw new Bug(`${gaps.length} tokens read, ${own.length} to print: ${tokens.join(" ")}`);
    for (let i = 1; i < gaps.length; i++) if (gaps[i] !== own[i]) return { at: offset, ...before, gaps };
    return { at: offset, ...before };
  }

  protected offset(): number {
    const start = this.at;
    this.skip();
    const offset = this.at;
    this.at = start;
    return offset;
  }
}

const endOr = (at: number, text: string): number => (at <= 0 ? text.length : at);
