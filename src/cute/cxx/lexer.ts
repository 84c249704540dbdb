/** Tokens of the C++ subset. `>` is always a token of its own, so that template argument lists close. */
import { letterAt } from "../../support/utf8.js";
import { SyntaxProblem } from "../parse-term.js";

/** A token; strings carry their unescaped text. */
export interface Token {
  readonly kind: "name" | "number" | "string" | "char" | "punct" | "end";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const punctuators = [
  "<<=",
  "...",
  "->*",
  "::",
  "->",
  "++",
  "--",
  "<<",
  "<=",
  "==",
  "!=",
  "&&",
  "||",
  "+=",
  "-=",
  "*=",
  "/=",
  "%=",
  "&=",
  "|=",
  "^=",
];
const skip = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*(?:\\\n[^\n]*)*)+/y;
const nameRe = /[A-Za-z_$][\w$]*/y;
const numberRe = /(?:0[xX][\da-fA-F']+|0[bB][01']+|\d[\d']*\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(?:_c|[uUlLfFzZ]*)/y;

/** All tokens of a text, the last one of kind "end". Comments and preprocessor lines are skipped. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (re: RegExp): string | undefined => {
    re.lastIndex = at;
    return re.exec(text)?.[0];
  };
  const push = (kind: Token["kind"], length: number, value = text.slice(at, at + length)) => {
    tokens.push({ kind, text: value, start: at, end: at + length });
    at += length;
  };
  while (true) {
    at += match(skip)?.length ?? 0;
    if (at >= text.length) break;
    const c = text[at]!;
    const name = match(nameRe);
    if (name) push("name", name.length);
    else if (/[\d]/.test(c) || (c === "." && /\d/.test(text[at + 1] ?? ""))) push("number", match(numberRe)!.length);
    else if (c === '"' || c === "'") {
      const length = quotedLength(text, at, c);
      push(c === '"' ? "string" : "char", length, unescaped(text.slice(at + 1, at + length - 1)));
    } else {
      const p = punctuators.find((x) => text.startsWith(x, at)) ?? c;
      if (!/^[-+*/%&|^~!=<>()[\]{}.,;:?#]/.test(p)) throw new SyntaxProblem(at, `unexpected character '${letterAt(text, at)}'`);
      push("punct", p.length);
    }
  }
  tokens.push({ kind: "end", text: "", start: text.length, end: text.length });
  return tokens;
}

function quotedLength(text: string, start: number, quote: string): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === quote) return i + 1 - start;
  }
  throw new SyntaxProblem(start, `missing closing ${quote}`);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", "\\": "\\", '"': '"', "'": "'" };
const unescaped = (s: string): string => s.replace(/\\(.)/g, (_, c: string) => escapes[c] ?? c);
