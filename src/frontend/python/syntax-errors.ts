/**
 * Syntax errors in CPython's words. The grammar recovers from anything, so the place where it had to is only a hint: what is
 * wrong is found among the tokens, and the first error in the text is told.
 */
import { lineAndColumn, type SourceLines } from "./source-lines.js";
import type { Token, Tokens } from "./tokens.js";
import type { RawNode } from "./tree.js";

export interface PythonSyntaxError {
  readonly kind: "SyntaxError";
  readonly name: "SyntaxError" | "IndentationError" | "TabError";
  readonly message: string;
  /** 1-based. */
  readonly line: number;
  /** In bytes, from 0. */
  readonly col: number;
}

interface Found {
  readonly offset: number;
  readonly message: string;
  readonly name: PythonSyntaxError["name"];
}

/** The first syntax error of a tree, or undefined. `hasErrors`: what the parser says of it. */
export function syntaxError(source: SourceLines, scanned: Tokens, root: RawNode, hasErrors: boolean): PythonSyntaxError | undefined {
  // A newline that is missing between two statements is no node of the tree.
  const hint = hasErrors ? (firstError(root) ?? root) : undefined;
  const found = hint ? explain(source, scanned, hint.start) : (scanned.error ?? grammarError(source, scanned.tokens, false));
  if (!found) return undefined;
  const { offset, message, name } = found;
  return { kind: "SyntaxError", name, message, ...lineAndColumn(source, offset) };
}

function firstError(node: RawNode): RawNode | undefined {
  if (node.type === "ERROR" || node.missing) return node;
  for (const child of node.children) {
    const inner = firstError(child);
    if (inner) return inner;
  }
  return undefined;
}

function explain(source: SourceLines, { tokens, error, open }: Tokens, hint: number): Found {
  const grammar = grammarError(source, tokens, true);
  if (error && (!grammar || error.offset <= grammar.offset)) return error;
  // An open bracket swallows the lines that follow: it is told rather than what is wrong there.
  if (open && (!grammar || grammar.offset > open.start))
    return { offset: open.start, message: `'${open.text}' was never closed`, name: "SyntaxError" };
  return grammar ?? { offset: hint, message: "invalid syntax", name: "SyntaxError" };
}

const COMPOUND: Readonly<Record<string, string>> = {
  if: "'if' statement",
  elif: "'elif' statement",
  else: "'else' statement",
  for: "'for' statement",
  while: "'while' statement",
  with: "'with' statement",
  try: "'try' statement",
  except: "'except' statement",
  finally: "'finally' statement",
  def: "function definition",
  class: "class definition",
};
/** Operators that something must follow. */
const DANGLING = /^(?:[-+%@&|^~<>=.]|\/\/|\*\*|<<|>>|[<>=!]=)$/;
/** Words that open a block only where one follows. */
const SOFT: Readonly<Record<string, string>> = { match: "'match' statement", case: "'case' statement" };
/** Words that are no operands. */
const KEYWORDS = new Set(
  (
    "and as assert async break class continue def del elif else except finally for from global if import in is nonlocal or pass raise " +
    "return try while with"
  ).split(" "),
);

/**
 * Walks logical lines: blocks stand where they belong (which the grammar does not see to) and, where it found something,
 * colons, operands and operators do.
 */
function grammarError(source: SourceLines, tokens: readonly Token[], inLines: boolean): Found | undefined {
  let block: { readonly opens: string; readonly at: Token } | undefined;
  for (const { line, indented } of logicalLines(tokens)) {
    const first = line[0]!;
    if (block && !indented) {
      const after = `${block.opens} on line ${lineAndColumn(source, block.at.start).line}`;
      return { offset: first.start, message: `expected an indented block after ${after}`, name: "IndentationError" };
    }
    if (!block && indented) return { offset: first.start - 1, message: "unexpected indent", name: "IndentationError" };
    const wrong = inLines ? lineError(line) : undefined;
    if (wrong) return wrong;
    const keyword = first.text === "async" ? line[1]! : first;
    const opens = COMPOUND[keyword.text] ?? (line.length > 3 ? SOFT[keyword.text] : undefined);
    block = opens !== undefined && line.at(-2)?.text === ":" ? { opens, at: keyword } : undefined;
  }
  return undefined;
}

/** The tokens between newlines, each with its newline at the end. */
function logicalLines(tokens: readonly Token[]): { readonly line: readonly Token[]; readonly indented: boolean }[] {
  const lines: { line: Token[]; indented: boolean }[] = [];
  let line: Token[] = [];
  let indented = false;
  for (const token of tokens) {
    if (token.kind === "indent") indented = true;
    else if (token.kind !== "dedent") line.push(token);
    if (token.kind !== "newline") continue;
    if (line.length > 1) lines.push({ line, indented });
    line = [];
    indented = false;
  }
  return lines;
}

function lineError(line: readonly Token[]): Found | undefined {
  const first = line[0]!;
  const fail = (token: Token, message = "invalid syntax"): Found => ({ offset: token.start, message, name: "SyntaxError" });
  if (["import", "from", "global", "nonlocal", "@"].includes(first.text)) return undefined;
  if (first.text === "print" && line[1] && (line[1].kind === "string" || line[1].kind === "number"))
    return fail(first, "Missing parentheses in call to 'print'. Did you mean print(...)?");
  const compound = COMPOUND[first.text] !== undefined;
  const start = compound || KEYWORDS.has(first.text) ? 1 : 0;
  let depth = 0;
  let operand = false;
  let colon = false;
  let argument = line[start]!;
  let lambdas = 0;
  for (const [i, token] of line.entries()) {
    if (i < start) continue;
    const { kind, text } = token;
    if (kind === "newline") {
      if (compound && !colon) return fail(token, "expected ':'");
      return operand || i === start || /^(?:[:;,]|->|\.\.\.)$/.test(line[i - 1]!.text) || KEYWORDS.has(line[i - 1]!.text)
        ? undefined
        : fail(token);
    }
    if (kind === "name" && text === "lambda") lambdas++;
    const isOperand =
      kind === "number" ||
      kind === "string" ||
      text === "..." ||
      (kind === "name" && !KEYWORDS.has(text) && !/^(?:not|lambda|await|yield)$/.test(text));
    if (isOperand) {
      const previous = line[i - 1];
      if (operand && !(kind === "string" && previous?.kind === "string")) {
        if (compound && !colon && depth === 0) return fail(token);
        return depth > 0 ? fail(argument, "invalid syntax. Perhaps you forgot a comma?") : fail(token);
      }
      operand = true;
      continue;
    }
    if (!operand && /^[,)\]}]$/.test(text) && DANGLING.test(line[i - 1]?.text ?? "")) return fail(token);
    if ("([{".includes(text)) {
      depth++;
      operand = false;
      argument = line[i + 1] ?? token;
    } else if (")]}".includes(text)) {
      depth--;
      operand = true;
    } else if (/^[,:;=]$|^:=$|^->$/.test(text) || /^[^=<>!]=$|^..=$/.test(text)) {
      if (text === ":" && lambdas > 0) lambdas--;
      else if (text === ":" && depth === 0) colon = true;
      else if (!operand && (/=$/.test(text) || (text === "," && /^[,([{=]$/.test(line[i - 1]?.text ?? "")))) return fail(token);
      else if (text === "=" && depth === 0 && compound && !colon && ["if", "elif", "while"].includes(first.text))
        return fail(line[1]!, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
      else if (text === "=" && depth === 0 && !compound && !colon && /^\)$/.test(line[i - 1]?.text ?? "") && first.text !== "(")
        return fail(first, "cannot assign to function call here. Maybe you meant '==' instead of '='?");
      operand = false;
      argument = line[i + 1] ?? token;
    } else if (kind === "op" && !operand && !/^[-+~*@]$|^\*\*$|^\/$/.test(text)) return fail(token);
    else if (kind === "op" && !operand && /^(?:\*|\*\*|\/|@)$/.test(text) && !/^[,([{=:;]$|^in$|^return$/.test(line[i - 1]?.text ?? ""))
      return fail(token);
    else operand = false;
  }
  return undefined;
}
