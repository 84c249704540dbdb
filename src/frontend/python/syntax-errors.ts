/**
 * Syntax errors in CPython's words. The grammar of tree-sitter recovers from anything, and blocks may stand where it likes: where
 * something seems to be wrong, CPython's own grammar says what.
 */
import { explain, explainString } from "./grammar/explain.js";
import { isBytes } from "./grammar/expressions.js";
import { lineAndColumn, type SourceLines } from "./source-lines.js";
import { areSuspicious } from "./suspicious-tokens.js";
import type { Token, Tokens } from "./tokens.js";
import type { RawTree } from "./tree.js";

export interface PythonSyntaxError {
  readonly kind: "SyntaxError";
  readonly name: "SyntaxError" | "IndentationError" | "TabError";
  readonly message: string;
  /** 1-based. */
  readonly line: number;
  /** In bytes, from 0. */
  readonly col: number;
}

/**
 * The first syntax error of a text, or undefined. `tree`: what the parser makes of it, undefined where it was not asked;
 * `isChanged`: of a text that was made such that it takes it.
 */
export function syntaxError(
  source: SourceLines,
  scanned: Tokens,
  tree: RawTree | undefined,
  isChanged: boolean,
): PythonSyntaxError | undefined {
  if (
    tree &&
    !tree.hasErrors &&
    !isChanged &&
    areBlocksInPlace(scanned.tokens) &&
    !SUSPICIOUS.test(source.text) &&
    !areSuspicious(scanned.tokens) &&
    areStringsRight(scanned.tokens)
  )
    return undefined;
  const found = explained(source, scanned);
  if (found) return { kind: "SyntaxError", name: found.name, message: found.message, ...placeOf(source, found.offset) };
  // A text that only CPython takes.
  return tree?.hasErrors
    ? { kind: "SyntaxError", name: "SyntaxError", message: "invalid syntax", ...placeOf(source, tree.errorAt) }
    : undefined;
}

/** Whether f-strings hold expressions, and bytes stand beside bytes. */
const areStringsRight = (tokens: readonly Token[]): boolean =>
  tokens.every((token, i) => {
    const next = tokens[i + 1];
    return token.kind !== "string" || (!explainString(token) && (next?.kind !== "string" || isBytes(token) === isBytes(next)));
  });

/** What the grammar says, or of brackets too deep for it what is wrong with the tokens. */
function explained(source: SourceLines, scanned: Tokens): ReturnType<typeof explain> {
  try {
    return explain(source.text, scanned, (offset) => lineAndColumn(source, offset).line);
  } catch (error) {
    if (error instanceof RangeError) return scanned.error;
    throw error;
  }
}

/** Line and column of an offset that may be before its line. */
function placeOf(source: SourceLines, offset: number): { readonly line: number; readonly col: number } {
  return lineAndColumn(source, Math.max(offset, 0));
}

const OPENS_BLOCK = new Set("async case class def elif else except finally for if match try while with".split(" "));

/**
 * Whether what the parser lets pass is as Python wants it: lines are indented behind a block's head and nowhere else, and `try`
 * is followed up.
 */
function areBlocksInPlace(tokens: readonly Token[]): boolean {
  /** The line that was read last in each block. */
  const blocks: (Token | undefined)[] = [undefined];
  let isNew = true;
  for (const [i, token] of tokens.entries()) {
    if (token.kind === "indent") {
      if (i === 0 || tokens[i - 2]!.text !== ":" || !OPENS_BLOCK.has(blocks.at(-1)!.text)) return false;
      blocks.push(undefined);
    } else if (token.kind === "dedent") {
      if (blocks.pop()?.text === "try") return false;
    } else if (isNew) {
      if (blocks.at(-1)?.text === "try" && token.text !== "except" && token.text !== "finally") return false;
      blocks[blocks.length - 1] = token;
      isNew = false;
    } else if (token.kind === "newline") {
      const { kind, text } = tokens[i - 1]!;
      if (text === ":" && tokens[i + 1]?.kind !== "indent") return false;
      if (kind === "op" && !/^(?:[)\]}:;,]|\.\.\.)$/.test(text) && !(text === "*" && tokens[i - 2]?.text === "import")) return false;
      if (text === "," && /^(?:import|from)$/.test(blocks.at(-1)!.text)) return false;
      isNew = true;
    }
  }
  return blocks.every((line) => line?.text !== "try");
}

/** What the parser takes and Python hardly ever does. What may stand between is bounded: lines may be long. */
const SUSPICIOUS = new RegExp(
  [
    /\bdel +(?:.{0,200}[('"]|\d)/,
    /<>|[-+/%&|^<>@] *\*(?!\*)/,
    /\braise +from\b|:=.{0,200}:=|[-+*/%&|^@]=.{0,200}[-+*/%&|^@]=/,
    /\bdef\b.{0,200}: *[\w.]+ *: *\w/,
    /^ *(?:(?!import\b)[\w.]+ as \w+ *$|\w+ *:=|with\b.{0,200}\bas\b.{0,200}\(|except\b[^(\n]{0,200}[*,]|\(.{0,200}\) *:|(?:async|await) *$)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "m",
);
