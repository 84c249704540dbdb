/**
 * What is wrong inside an f-string. CPython 3.11 finds its expressions by their brackets and quotes and parses each by itself,
 * in parentheses. Source: CPython's Parser/string_parser.c, fstring_find_literal, fstring_find_expr and fstring_compile_expr.
 */
import type { Token } from "../tokens.js";

/** An error in a string, by its offset in the text; without one it is told behind the string. */
export interface StringFault {
  readonly message: string;
  readonly offset: number | undefined;
}
/** What is wrong with a text `(expression)`, by its offset there. */
export type ExpressionFault = (text: string) => { readonly message: string; readonly offset: number } | undefined;

/** The first error of a string, undefined for one without expressions. */
export function stringFault({ text, start }: Token, faultOf: ExpressionFault): StringFault | undefined {
  const [, prefix, quotes] = /^(\w*)('''|"""|'|")/.exec(text)!;
  if (!/f/i.test(prefix!)) return undefined;
  const isRaw = /r/i.test(prefix!);
  const end = text.length - quotes!.length;
  let at = prefix!.length + quotes!.length;
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
  const parts = (depth: number): void => {
    for (;;) {
      literal(depth);
      if (at >= end || text[at] === "}") return;
      expression(depth);
    }
  };
  const expression = (depth: number): void => {
    if (depth >= 2) fail("f-string: expressions nested too deeply");
    const from = ++at;
    skipExpression();
    const inside = text.slice(from, at);
    if (/^[ \t\n\r\f]*$/.test(inside))
      fail(/[!:=]/.test(text[at]!) ? `f-string: expression required before '${text[at]}'` : "f-string: empty expression not allowed");
    const fault = faultOf(`(${inside})`);
    if (fault) fail(fault.message, start + from - 1 + fault.offset);
    if (text[at] === "=") {
      at++;
      while (at < end && /\s/.test(text[at]!)) at++;
    }
    if (at < end && text[at] === "!") {
      at++;
      if (at < end && !/[sra]/.test(text[at]!)) fail("f-string: invalid conversion character: expected 's', 'r', or 'a'");
      at++;
    }
    if (at < end && text[at] === ":") {
      at++;
      if (at < end) parts(depth + 1);
    }
    if (at >= end || text[at] !== "}") fail("f-string: expecting '}'");
    at++;
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
    parts(0);
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
  return undefined;
}

/** Leaves the scan. */
class Fault {
  constructor(readonly fault: StringFault) {}
}
