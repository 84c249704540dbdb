/** Goes on after a syntax error: the statement that it is in is replaced by one that does nothing. */
import type { PythonSyntaxError } from "./syntax-error.js";
import { type Token, tokenize } from "./tokens.js";

/** The header that replaces that of a faulty block statement: of the same kind where other statements depend on it. */
const HEADERS: Readonly<Record<string, string>> = {
  if: "if 0:",
  elif: "elif 0:",
  else: "else:",
  for: "while 0:",
  while: "while 0:",
  with: "if 0:",
  try: "try:",
  except: "except:",
  finally: "finally:",
  def: "def _():",
  class: "if 0:",
};

/** The text without the statement that an error is in, its lines in their places; undefined where other errors cannot be known. */
export function withoutStatement(text: string, { name, line }: PythonSyntaxError): string | undefined {
  const { tokens, error, open } = tokenize(text);
  // Blocks, or where lines end, are in doubt.
  if (name !== "SyntaxError" || error || open) return undefined;
  const statement = lineOfTokens(text, tokens, line);
  const [first] = statement;
  const last = statement.at(-1);
  if (!first || !last || first.text === "async") return undefined;
  const header = Object.hasOwn(HEADERS, first.text) ? HEADERS[first.text] : undefined;
  const hasBlock = tokens[tokens.indexOf(last) + 2]?.kind === "indent";
  if (hasBlock && header === undefined) return undefined;
  const instead = first.text === "@" ? "@_" : header === undefined ? "pass" : hasBlock ? header : `${header} pass`;
  const wrong = text.slice(first.start, last.end);
  return text.slice(0, first.start) + instead + "\n".repeat(wrong.split("\n").length - 1) + text.slice(last.end);
}

/** The tokens of the logical line that a line belongs to. */
function lineOfTokens(text: string, tokens: readonly Token[], line: number): readonly Token[] {
  let offset = 0;
  for (let i = 1; i < line; i++) offset = text.indexOf("\n", offset) + 1;
  const end = tokens.findIndex((t) => t.kind === "newline" && t.start >= offset);
  const start = tokens.slice(0, Math.max(end, 0)).findLastIndex((t) => t.kind === "newline") + 1;
  return tokens.slice(start, Math.max(end, 0)).filter((t) => t.kind !== "indent" && t.kind !== "dedent");
}
