/**
 * String literals. CPython 3.11 finds the expressions of an f-string by their brackets and quotes and parses each by itself, in
 * parentheses. Source: CPython's Parser/string_parser.c, fstring_find_literal, fstring_find_expr and fstring_compile_expr.
 */
import type * as ast from "../ast.js";
import { unescape } from "../literals.js";
import { placeOf, type SourceLines } from "../source-lines.js";
import type { Token } from "../tokens.js";

/** An error in a string, by its offset in the text; without one it is reported after the string. */
export interface StringFault {
  readonly message: string;
  readonly offset: number | undefined;
}
/** Parses a text `(expression)` that begins at an offset of the source. */
export type ParseExpression = (text: string, offset: number) => ast.Expr | { readonly message: string; readonly offset: number };

/** Characters of a string, or an expression in it; offsets are those of the source. */
type Piece =
  | { readonly kind: "text"; readonly from: number; readonly to: number }
  | {
      readonly kind: "expression";
      readonly from: number;
      readonly to: number;
      readonly value: ast.Expr;
      /** The text of the expression and of the `=` after it. */
      readonly written: string | undefined;
      readonly conversion: string | undefined;
      readonly spec: { readonly from: number; readonly pieces: readonly Piece[] } | undefined;
    };

/** Reads the strings of one text. */
export interface StringReader {
  /** The first error of a string. */
  readonly faultOf: (token: Token) => StringFault | undefined;
  /** The node of strings that follow each other; they have no faults. */
  readonly build: (tokens: readonly Token[], place: ast.Place) => ast.Expr;
}

export function stringReader(source: SourceLines, parseExpression: ParseExpression): StringReader {
  const known = new Map<Token, readonly Piece[] | StringFault>();
  const read = (token: Token): readonly Piece[] | StringFault => {
    let pieces = known.get(token);
    if (!pieces) known.set(token, (pieces = piecesOf(token, parseExpression)));
    return pieces;
  };
  const isFault = (read: readonly Piece[] | StringFault): read is StringFault => "message" in read;
  const joined = (values: JoinedValues, place: ast.Place): ast.JoinedStr => ({ kind: "JoinedStr", at: place, values });
  const formatted = (piece: Extract<Piece, { readonly kind: "expression" }>): ast.FormattedValue => {
    const { from, to, value, written, conversion, spec } = piece;
    const specPlace = spec && placeOf(source, spec.from, to - 1);
    return {
      kind: "FormattedValue",
      at: placeOf(source, from, to),
      value,
      conversion: conversion ?? (written !== undefined && !spec ? "r" : undefined),
      formatSpec:
        specPlace &&
        joined(
          spec.pieces.map((p) =>
            p.kind === "text" ? { kind: "Constant", at: specPlace, value: source.text.slice(p.from, p.to) } : formatted(p),
          ),
          specPlace,
        ),
    };
  };
  return {
    faultOf: (token) => {
      const found = read(token);
      return isFault(found) ? found : undefined;
    },
    build: (tokens, place) => {
      const values: (ast.Constant | ast.FormattedValue)[] = [];
      let pending = "";
      const flush = (): void => {
        if (pending) values.push({ kind: "Constant", at: place, value: pending });
        pending = "";
      };
      for (const token of tokens) {
        const { isRaw, isFormat } = prefixOf(token);
        for (const piece of read(token) as readonly Piece[]) {
          if (piece.kind === "text") {
            const written = source.text.slice(piece.from, piece.to).replaceAll("\r\n", "\n");
            const text = isRaw ? written : unescape(written);
            pending += isFormat ? text.replaceAll("{{", "{").replaceAll("}}", "}") : text;
            continue;
          }
          pending += piece.written ?? "";
          flush();
          values.push(formatted(piece));
        }
      }
      if (tokens.some((token) => prefixOf(token).isFormat)) {
        flush();
        return joined(values, place);
      }
      const isBytes = /b/i.test(prefixOf(tokens[0]!).prefix);
      return { kind: "Constant", at: place, value: isBytes ? { kind: "bytes", text: pending } : pending };
    },
  };
}
type JoinedValues = ast.JoinedStr["values"];

/** `rb` and the quotes of a string, and what they mean. */
function prefixOf({ text }: Token): { prefix: string; quotes: string; isRaw: boolean; isFormat: boolean } {
  const [, prefix = "", quotes = ""] = /^(\w*)('''|"""|'|")/.exec(text)!;
  return { prefix, quotes, isRaw: /r/i.test(prefix), isFormat: /f/i.test(prefix) };
}

/** The pieces of a string, or its first error. */
function piecesOf(token: Token, parseExpression: ParseExpression): readonly Piece[] | StringFault {
  const { text, start } = token;
  const { prefix, quotes, isRaw, isFormat } = prefixOf(token);
  const end = text.length - quotes.length;
  let at = prefix.length + quotes.length;
  if (!isFormat) return [{ kind: "text", from: start + at, to: start + end }];
  const fail = (message: string, offset?: number): never => {
    throw new Fault({ message, offset });
  };

  /** Up to an expression, or to what ends a format. */
  const literal = (depth: number): void => {
    for (; at < end; at++) {
      if (!isRaw && text[at] === "\\" && at + 1 < end) {
        at++;
        if (text[at] === "N" && text[at + 1] === "{") {
          const close = text.indexOf("}", at);
          at = close < 0 ? end : Math.min(close, end);
          continue;
        }
      }
      const ch = text[at];
      if (ch !== "{" && ch !== "}") continue;
      if (depth > 0) return;
      if (at + 1 < end && text[at + 1] === ch) at++;
      else if (ch === "}") fail("f-string: single '}' is not allowed");
      else return;
    }
  };
  const parts = (depth: number): Piece[] => {
    const pieces: Piece[] = [];
    for (;;) {
      const from = at;
      literal(depth);
      if (at > from) pieces.push({ kind: "text", from: start + from, to: start + at });
      if (at >= end || text[at] === "}") return pieces;
      pieces.push(expression(depth));
    }
  };
  const expression = (depth: number): Piece => {
    if (depth >= 2) fail("f-string: expressions nested too deeply");
    const from = ++at;
    skipExpression();
    const inside = text.slice(from, at);
    if (/^[ \t\n\r\f]*$/.test(inside))
      fail(/[!:=]/.test(text[at]!) ? `f-string: expression required before '${text[at]}'` : "f-string: empty expression not allowed");
    const value = parseExpression(`(${inside})`, start + from - 1);
    if ("message" in value) throw new Fault(value);
    let written: string | undefined;
    if (text[at] === "=") {
      at++;
      while (at < end && /\s/.test(text[at]!)) at++;
      written = text.slice(from, at);
    }
    let conversion: string | undefined;
    if (at < end && text[at] === "!") {
      at++;
      if (at < end && !/[sra]/.test(text[at]!)) fail("f-string: invalid conversion character: expected 's', 'r', or 'a'");
      conversion = text[at];
      at++;
    }
    let spec: { readonly from: number; readonly pieces: readonly Piece[] } | undefined;
    if (at < end && text[at] === ":") {
      const colon = at++;
      if (at < end) spec = { from: start + colon, pieces: parts(depth + 1) };
    }
    if (at >= end || text[at] !== "}") fail("f-string: expecting '}'");
    at++;
    return { kind: "expression", from: start + from - 1, to: start + at, value, written, conversion, spec };
  };
  const skipExpression = (): void => {
    const brackets: string[] = [];
    let quote = "";
    for (; at < end; at++) {
      const ch = text[at]!;
      if (ch === "\\") fail("f-string expression part cannot include a backslash");
      if (quote !== "") {
        if (!text.startsWith(quote, at) || at + quote.length > end) continue;
        at += quote.length - 1;
        quote = "";
        continue;
      }
      if (ch === "'" || ch === '"') {
        quote = text.startsWith(ch.repeat(3), at) && at + 2 < end ? ch.repeat(3) : ch;
        at += quote.length - 1;
      } else if ("([{".includes(ch)) brackets.push(ch);
      else if (ch === "#") fail("f-string expression part cannot include '#'");
      else if (brackets.length === 0 && "!:}=<>".includes(ch)) {
        if ("!=<>".includes(ch) && at + 1 < end && text[at + 1] === "=") at++;
        else if (ch !== "<" && ch !== ">") break;
      } else if (")]}".includes(ch)) {
        const opening = brackets.pop();
        if (opening === undefined) fail(`f-string: unmatched '${ch}'`);
        else if (opening !== "([{"[")]}".indexOf(ch)])
          fail(`f-string: closing parenthesis '${ch}' does not match opening parenthesis '${opening}'`);
      }
    }
    if (quote !== "") fail("f-string: unterminated string");
    if (brackets.length > 0) fail(`f-string: unmatched '${brackets.at(-1)}'`);
    if (at >= end) fail("f-string: expecting '}'");
  };

  try {
    return parts(0);
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
}

/** Leaves the scan. */
class Fault {
  constructor(readonly fault: StringFault) {}
}
