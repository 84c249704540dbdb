/**
 * Reads tokens straight from the text: no token objects, one look at each character. The text is latin1, so a
 * character is a byte. Every reader skips white space and comments before its token.
 */

/** Thrown to leave a parse after its diagnostic was reported; caught where the parse began. */
export class ParseFailure extends Error {}

const IDENT_START = 1;
const IDENT = 2;
const DIGIT = 4;
/** Part of a value or symbol suffix: letters, digits, `$ . _ -`. */
const SUFFIX = 8;
const HEX = 16;
const CLASS = new Uint8Array(256);
function classify(characters: string, what: number): void {
  for (let i = 0; i < characters.length; i++) CLASS[characters.charCodeAt(i)]! |= what;
}
classify("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", IDENT_START | IDENT | SUFFIX);
classify("0123456789", IDENT | DIGIT | SUFFIX | HEX);
classify("abcdefABCDEF", HEX);
classify("$.", IDENT | SUFFIX);
classify("-", SUFFIX);

export class Cursor {
  pos = 0;
  /** The last line end with the indentation that followed it. */
  private lineStart = "\n";
  /** Whether the text has a NUL anywhere. */
  readonly hasNul: boolean;
  constructor(
    readonly text: string,
    /** Reports an error; must throw. */
    readonly onError: (message: string, pos: number, code: string) => never,
  ) {
    this.hasNul = text.includes("\0");
  }

  fail(message: string, pos = this.here(), code = "parse.syntax"): never {
    return this.onError(message, pos, code);
  }

  /** Reports an unexpected token, at the end of the token before it, as MLIR does. */
  wrongToken(message: string, code = "parse.expected"): never {
    return this.fail(message, this.endOfPrevious(this.here()), code);
  }
  /** The end of the token before `pos`; comments are no tokens. `pos` itself when there is none. */
  private endOfPrevious(pos: number): number {
    const { text } = this;
    for (let end = Math.min(pos, text.length); ; ) {
      while (end > 0 && (text.charCodeAt(end - 1) === 32 || text.charCodeAt(end - 1) === 9)) end--;
      if (end === 0) return pos;
      const c = text.charCodeAt(end - 1);
      if (c !== 10 && c !== 13) return end;
      end--;
      const line = text.lastIndexOf("\n", end - 1) + 1;
      const comment = text.slice(line, end).indexOf("//");
      if (comment >= 0) end = line + comment;
    }
  }

  /** Skips white space and comments; returns the code of the next character, NaN at the end. */
  skip(): number {
    let c = this.text.charCodeAt(this.pos);
    if (c === 32) c = this.text.charCodeAt(++this.pos);
    return c > 32 && c !== 47 ? c : this.skipMore();
  }
  /** The less common cases of the above: several spaces, lines, comments. */
  private skipMore(): number {
    const { text } = this;
    // Most lines begin as deep as the one before.
    if (text.startsWith(this.lineStart, this.pos)) this.pos += this.lineStart.length;
    for (;;) {
      const c = text.charCodeAt(this.pos);
      if (c > 32 && c !== 47) return c;
      if (c === 10) this.newLine();
      else if (c === 32 || c === 9 || c === 13 || c === 0) this.pos++;
      else if (c === 47 && text.charCodeAt(this.pos + 1) === 47) {
        this.pos = this.endOfComment();
      } else return c;
    }
  }
  /** A carriage return ends it too. */
  private endOfComment(): number {
    const { text } = this;
    const line = text.indexOf("\n", this.pos);
    const end = line < 0 ? text.length : line + 1;
    const cut = text.slice(this.pos, end).indexOf("\r");
    return cut < 0 ? end : this.pos + cut;
  }
  private newLine(): void {
    let end = this.pos + 1;
    while (this.text.charCodeAt(end) === 32) end++;
    this.lineStart = this.text.slice(this.pos, end);
    this.pos = end;
  }
  here(): number {
    this.skip();
    return this.pos;
  }
  get atEnd(): boolean {
    return Number.isNaN(this.skip());
  }

  /** Whether `text`, which is not empty, comes next. */
  at(text: string): boolean {
    return this.skip() === text.charCodeAt(0) && (text.length === 1 || this.text.startsWith(text, this.pos));
  }
  atChar(code: number): boolean {
    return this.skip() === code;
  }
  optChar(code: number): boolean {
    if (this.skip() !== code) return false;
    this.pos++;
    return true;
  }
  char(code: number): void {
    if (this.skip() !== code) this.wrongToken(`expected '${String.fromCharCode(code)}'`);
    this.pos++;
  }
  optPunct(text: string): boolean {
    const first = text.charCodeAt(0);
    if (this.skip() !== first) return false;
    if (text.length > 1) {
      if (!this.text.startsWith(text, this.pos)) return false;
    } else if (first === 45 || first === 58) {
      // `->` and `::` are other tokens.
      if (this.text.charCodeAt(this.pos + 1) === (first === 45 ? 62 : 58)) return false;
    }
    this.pos += text.length;
    return true;
  }
  punct(text: string): void {
    if (!this.optPunct(text)) this.wrongToken(`expected '${text}'`);
  }

  /** The end of the identifier that starts at `from`; `from` when there is none. */
  identEnd(from: number): number {
    const { text } = this;
    if (!((CLASS[text.charCodeAt(from)] ?? 0) & IDENT_START)) return from;
    let end = from + 1;
    while ((CLASS[text.charCodeAt(end)] ?? 0) & IDENT) end++;
    return end;
  }
  /** The end of a `%`, `^`, `@`, `#` or `!` name that starts at `from`. */
  suffixEnd(from: number): number {
    const { text } = this;
    let end = from;
    const first = text.charCodeAt(from);
    if ((CLASS[first] ?? 0) & DIGIT) {
      while ((CLASS[text.charCodeAt(end)] ?? 0) & DIGIT) end++;
      return end;
    }
    while ((CLASS[text.charCodeAt(end)] ?? 0) & SUFFIX) end++;
    return end;
  }
  optIdent(): string | undefined {
    this.skip();
    const end = this.identEnd(this.pos);
    if (end === this.pos) return undefined;
    const ident = this.text.slice(this.pos, end);
    this.pos = end;
    return ident;
  }
  peekIdent(): string | undefined {
    this.skip();
    const end = this.identEnd(this.pos);
    return end === this.pos ? undefined : this.text.slice(this.pos, end);
  }
  ident(what = "valid keyword"): string {
    return this.optIdent() ?? this.fail(`expected ${what}`, this.pos, "parse.expected");
  }
  optKeyword(text: string): boolean {
    this.skip();
    if (!this.text.startsWith(text, this.pos) || (CLASS[this.text.charCodeAt(this.pos + text.length)] ?? 0) & IDENT) return false;
    this.pos += text.length;
    return true;
  }
  keyword(text: string): void {
    if (!this.optKeyword(text)) this.fail(`expected '${text}'`, this.pos, "parse.expected");
  }

  isDigit(c = this.skip()): boolean {
    return ((CLASS[c] ?? 0) & DIGIT) !== 0;
  }
  /** The end of the digits (or `0x` hex digits) from `from`. */
  private digitsEnd(from: number): number {
    const { text } = this;
    let end = from;
    if (text.charCodeAt(from) === 48 && text.charCodeAt(from + 1) === 120 && (CLASS[text.charCodeAt(from + 2)] ?? 0) & HEX) {
      end = from + 2;
      while ((CLASS[text.charCodeAt(end)] ?? 0) & HEX) end++;
      return end;
    }
    while ((CLASS[text.charCodeAt(end)] ?? 0) & DIGIT) end++;
    return end;
  }
  /** Reads `%12 = `, spaced so; -1 for anything else, `%012` too. */
  optNumberedResult(): number {
    const { text } = this;
    let end = this.pos + 1;
    let number = 0;
    for (let c = text.charCodeAt(end); c >= 48 && c <= 57; c = text.charCodeAt(++end)) number = number * 10 + c - 48;
    const digits = end - this.pos - 1;
    if (digits === 0 || digits > 7 || !text.startsWith(" = ", end) || (digits > 1 && text.charCodeAt(this.pos + 1) === 48)) return -1;
    this.pos = end + 3;
    return number;
  }
  /** Reads an unsigned number as text, with its fraction and exponent when it is a float literal. */
  optNumber(): string | undefined {
    this.skip();
    const { text, pos } = this;
    let end = this.digitsEnd(pos);
    if (end === pos) return undefined;
    if (text.charCodeAt(end) === 46 && text.charCodeAt(pos + 1) !== 120) {
      end++;
      while ((CLASS[text.charCodeAt(end)] ?? 0) & DIGIT) end++;
      const e = text.charCodeAt(end) | 32;
      if (e === 101) {
        let at = end + 1;
        const sign = text.charCodeAt(at);
        if (sign === 43 || sign === 45) at++;
        if ((CLASS[text.charCodeAt(at)] ?? 0) & DIGIT) {
          while ((CLASS[text.charCodeAt(at)] ?? 0) & DIGIT) at++;
          end = at;
        }
      }
    }
    this.pos = end;
    return text.slice(pos, end);
  }
  /** Decimal digits only: for dimensions, where `0x` is an extent and an `x`. */
  optDecimal(): number | undefined {
    this.skip();
    const { text, pos } = this;
    let end = pos;
    let value = 0;
    for (let c = text.charCodeAt(end); c >= 48 && c <= 57; c = text.charCodeAt(++end)) value = value * 10 + c - 48;
    if (end === pos) return undefined;
    if (value > Number.MAX_SAFE_INTEGER) this.fail("integer is too large", pos, "parse.integer");
    this.pos = end;
    return value;
  }
  /** `bits`: what does not fit into so many, signed or unsigned, is refused. */
  optInteger(bits = 64): bigint | undefined {
    const start = this.here();
    const negative = this.optPunct("-");
    const pos = this.here();
    const end = this.digitsEnd(pos);
    if (end === pos) {
      if (negative) this.fail("expected integer value", pos, "parse.expected");
      this.pos = start;
      return undefined;
    }
    this.pos = end;
    const digits = this.text.slice(pos, end);
    const value = digits.length > 4096 ? undefined : negative ? -BigInt(digits) : BigInt(digits);
    if (value === undefined || value >> BigInt(bits) > 0n || -value > 1n << BigInt(bits - 1))
      return this.fail("integer value too large", pos, "parse.integer");
    return value;
  }
  integer(bits?: number): bigint {
    return this.optInteger(bits) ?? this.fail("expected integer value", this.pos, "parse.expected");
  }

  optString(): string | undefined {
    if (this.skip() !== 34) return undefined;
    const { text } = this;
    const start = this.pos + 1;
    let end = start;
    let escaped = false;
    for (;;) {
      const c = text.charCodeAt(end);
      if (c === 34) break;
      if (c === 92) {
        escaped = true;
        end += 2;
      } else if (Number.isNaN(c) || (10 <= c && c <= 12)) this.fail("expected '\"' in string literal", this.pos, "parse.string");
      else end++;
    }
    this.pos = end + 1;
    const raw = text.slice(start, end);
    return escaped ? this.unescape(raw, start) : raw;
  }
  string(): string {
    return this.optString() ?? this.fail("expected string", this.pos, "parse.expected");
  }
  private unescape(raw: string, start: number): string {
    return raw.replace(/\\(["\\nt]|[0-9a-fA-F]{2}|)/g, (_all, code: string, at: number) => {
      if (code === "n") return "\n";
      if (code === "t") return "\t";
      if (code.length === 2) return String.fromCharCode(Number.parseInt(code, 16));
      return code || this.fail("unknown escape in string literal", start + at, "parse.string");
    });
  }

  /** Reads `@name` or `@"any text"`. */
  optSymbolName(): string | undefined {
    if (this.skip() !== 64) return undefined;
    this.pos++;
    if (this.text.charCodeAt(this.pos) === 34) return this.string();
    const end = this.suffixEnd(this.pos);
    if (end === this.pos || this.isDigit(this.text.charCodeAt(this.pos)))
      this.fail("@ identifier expected to start with letter or '_'", this.pos - 1, "parse.symbol");
    const name = this.text.slice(this.pos, end);
    this.pos = end;
    return name;
  }

  /** Reads `open item, item close`. With `open` empty: one or more items. */
  list<T>(open: string, close: string, item: () => T): T[] {
    const items: T[] = [];
    if (open) {
      this.punct(open);
      if (this.optPunct(close)) return items;
    }
    do items.push(item());
    while (this.optChar(44));
    if (close) this.punct(close);
    return items;
  }
}
