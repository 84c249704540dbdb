/** Python's tokens, for telling what is wrong with a text; the errors of the tokenizer are worded as CPython words them. */

/** A token, with its offsets in the text. */
export interface Token {
  readonly kind: "name" | "number" | "string" | "op" | "newline" | "indent" | "dedent" | "end";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** An error that the tokenizer reports. */
export interface TokenError {
  /** Whether it is reported rather than an error before it. */
  readonly isFirst: boolean;
  readonly name: "SyntaxError" | "IndentationError" | "TabError";
  readonly message: string;
  readonly offset: number;
}

export interface Tokens {
  readonly tokens: readonly Token[];
  readonly error: TokenError | undefined;
  /** The innermost bracket that is open at the end. */
  readonly open: Token | undefined;
}

const OPERATOR = /<>|\*\*=|\/\/=|>>=|<<=|\.\.\.|!=|->|:=|\*\*|\/\/|>>|<<|<=|>=|==|[-+*/%@&|^]=|[-+*/%@&|^~<>()[\]{},:.;=]/y;
const ASCII_NAME = /[A-Za-z_][A-Za-z_0-9]*/y;
/** V8 compiles its classes when it is used first, which takes a millisecond. */
const NAME = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*/uy;
const NUMBER =
  /0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:[eE][-+]?\d(?:_?\d)*)?[jJ]?/y;
const PREFIX = /[rRbBuUfF]{0,3}(?:'''|"""|'|")/y;
const CLOSING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** CPython's limits. */
const MOST_INDENTS = 100;
const MOST_BRACKETS = 200;

/** The tokens of a Python text, with indents and dedents. Source: CPython's Parser/lexer. */
export function tokenize(text: string): Tokens {
  const tokens: Token[] = [];
  const brackets: Token[] = [];
  const indents = [0];
  /** The same with every tab as one column: both must agree. */
  const narrow = [0];
  let at = 0;
  let lineStart = true;
  let error: TokenError | undefined;
  const lineOf = (offset: number): number => text.slice(0, offset).split("\n").length;
  const fail = (offset: number, message: string, name: TokenError["name"] = "SyntaxError"): void => {
    error = { name, message, offset, isFirst: name === "SyntaxError" && !/EOF|line continuation/.test(message) };
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const push = (kind: Token["kind"], length: number): void => {
    tokens.push({ kind, text: text.slice(at, at + length), start: at, end: at + length });
    at += length;
  };
  const nul = text.indexOf("\0");
  if (nul >= 0) fail(nul, "source code string cannot contain null bytes");
  while (at < text.length && !error) {
    if (lineStart && brackets.length === 0) {
      lineStart = false;
      const [blank] = /^[ \t\f]*/.exec(text.slice(at))!;
      const next = text[at + blank.length];
      if (next !== undefined && next !== "\n" && next !== "\r" && next !== "#") {
        const width = [...blank].reduce((w, ch) => (ch === "\t" ? (w >> 3) * 8 + 8 : ch === "\f" ? 0 : w + 1), 0);
        at += blank.length;
        if (!indents.includes(width) && width < indents.at(-1)!) {
          const end = text.indexOf("\n", at);
          fail(end < 0 ? text.length : end, "unindent does not match any outer indentation level", "IndentationError");
          continue;
        }
        let inconsistent = false;
        if (width > indents.at(-1)!) {
          if (blank.length <= narrow.at(-1)!) inconsistent = true;
          indents.push(width);
          narrow.push(blank.length);
          push("indent", 0);
          if (indents.length > MOST_INDENTS) fail(at - blank.length, "too many levels of indentation", "IndentationError");
        }
        while (width < indents.at(-1)!) {
          indents.pop();
          narrow.pop();
          push("dedent", 0);
        }
        if (width === indents.at(-1) && narrow.at(-1) !== blank.length) inconsistent = true;
        if (inconsistent) fail(at - blank.length, "inconsistent use of tabs and spaces in indentation", "TabError");
        continue;
      }
    }
    const ch = text[at]!;
    if (ch === "\n") {
      if (brackets.length === 0 && tokens.length > 0 && tokens.at(-1)!.kind !== "newline") push("newline", 1);
      else at++;
      lineStart = brackets.length === 0;
      continue;
    }
    if (ch === " " || ch === "\t" || ch === "\f" || ch === "\r") {
      at++;
      continue;
    }
    if (ch === "#") {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
      continue;
    }
    if (ch === "\\" && /^\\\r?\n/.test(text.slice(at, at + 3))) {
      at = text.indexOf("\n", at) + 1;
      continue;
    }
    const ascii = match(ASCII_NAME);
    const behind = at + (ascii?.length ?? 0);
    const prefix = text[behind] === "'" || text[behind] === '"' ? match(PREFIX) : undefined;
    if (prefix !== undefined) {
      const end = stringEnd(text, at + prefix.length, prefix);
      if (end !== undefined) {
        push("string", end - at);
        continue;
      }
      const triple = prefix.endsWith("'''") || prefix.endsWith('"""');
      const last = triple ? lineOf(text.endsWith("\n") ? text.length - 1 : text.length) : lineOf(at);
      fail(at, `unterminated ${triple ? "triple-quoted " : ""}string literal (detected at line ${last})`);
      continue;
    }
    const number = /[\d.]/.test(ch) ? match(NUMBER) : undefined;
    if (number) {
      if (/^0_*\d/.test(number) && /^\d+$/.test(number) && /[1-9]/.test(number)) {
        fail(at, "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers");
        continue;
      }
      const wrong = numberError(text, at, number);
      if (wrong) fail(wrong.offset, wrong.message);
      else push("number", number.length);
      continue;
    }
    const name = text.charCodeAt(behind) > 0x7f ? match(NAME) : ascii;
    if (name !== undefined) {
      push("name", name.length);
      continue;
    }
    const operator = match(OPERATOR);
    if (operator === undefined) {
      const code = ch.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
      // The tokenizer accepts these characters; the grammar refuses them.
      if ("!$?`".includes(ch)) push("op", 1);
      else if (ch !== "\\")
        fail(at, ch < " " || ch === "\x7f" ? `invalid non-printable character U+${code}` : `invalid character '${ch}' (U+${code})`);
      else
        fail(
          at + 1,
          at + 1 < text.trimEnd().length ? "unexpected character after line continuation character" : "unexpected EOF while parsing",
        );
      continue;
    }
    push("op", operator.length);
    const token = tokens.at(-1)!;
    if ("([{".includes(operator) && brackets.push(token) > MOST_BRACKETS) fail(token.start, "too many nested parentheses");
    const opening = CLOSING[operator];
    if (opening === undefined) continue;
    const inner = brackets.pop();
    if (!inner) fail(token.start, `unmatched '${operator}'`);
    else if (inner.text !== opening) {
      const other = lineOf(inner.start) === lineOf(token.start) ? "" : ` on line ${lineOf(inner.start)}`;
      fail(token.start, `closing parenthesis '${operator}' does not match opening parenthesis '${inner.text}'${other}`);
    }
  }
  if (!error && tokens.length > 0 && tokens.at(-1)!.kind !== "newline") push("newline", 0);
  return { tokens, error, open: brackets.at(-1) };
}

/** The error in a number that was read, if any. Source: CPython's tokenizer.c, tok_get and verify_end_of_number. */
function numberError(text: string, at: number, number: string): { readonly offset: number; readonly message: string } | undefined {
  const end = at + number.length;
  const rest = text.slice(end, end + 4);
  const [, base = ""] = /^0([xXoObB])/.exec(text.slice(at, at + 2)) ?? [];
  const kind = { x: "hexadecimal", o: "octal", b: "binary", "": /[jJ]$/.test(number) ? "imaginary" : "decimal" }[base.toLowerCase()]!;
  // `0x` alone is read as a zero.
  const digits = base !== "" && number === "0" ? end + 1 : end;
  if (base !== "" && base !== "x" && base !== "X" && /\d/.test(text[digits] ?? ""))
    return { offset: digits, message: `invalid digit '${text[digits]}' in ${kind} literal` };
  if (digits > end || rest.startsWith("_")) return { offset: end, message: `invalid ${kind} literal` };
  if (/^[\p{L}]/u.test(rest) && !/^(?:and|else|for|i[fns]|not|or)/.test(rest))
    return { offset: end - 1, message: `invalid ${kind} literal` };
  return undefined;
}

/** Where a string ends whose quotes have just been read; undefined when it does not. */
function stringEnd(text: string, from: number, prefix: string): number | undefined {
  const quote = /'''|"""|'|"/.exec(prefix)![0];
  for (let at = from; at < text.length; at++) {
    const ch = text[at]!;
    if (ch === "\\") at++;
    else if (ch === "\n" && quote.length === 1) return undefined;
    else if (text.startsWith(quote, at)) return at + quote.length;
  }
  return undefined;
}
