/** Python text to a syntax tree, or to CPython's syntax errors. */
import { PyError } from "../language/errors.js";
import type { Module, Stmt } from "./ast.js";
import { parseModule } from "./grammar/parse-module.js";
import { lineAndColumn, type SourceLines, sourceLines } from "./source-lines.js";
import { checkSyntax } from "./syntax-checks.js";
import type { PythonSyntaxError } from "./syntax-error.js";
import { withoutStatement } from "./syntax-recovery.js";
import { type Tokens, tokenize } from "./tokens.js";

/** Longer texts are refused; this many characters take about four seconds. */
const MAX_LENGTH = 4 << 20;

/** The module of a text, or its first syntax error. */
export function parsePython(text: string, file: string, directives = false): Module | PythonSyntaxError {
  if (text.length > MAX_LENGTH)
    throw new PyError("MemoryError", `'${file}' has ${text.length} characters; at most ${MAX_LENGTH} of Python are parsed`);
  const { body, errors } = parse(sourceLines(text, directives));
  return errors[0] ?? { kind: "Module", body, file };
}

/** Statements, and what is wrong with them: the first error of the grammar, or all that CPython's compiler refuses of what the grammar takes. */
function parse(source: SourceLines): { body: readonly Stmt[]; errors: readonly PythonSyntaxError[] } {
  const scanned = tokenize(source.text);
  const parsed = parsedOrTooDeep(source, scanned);
  if (!("message" in parsed)) return { body: parsed, errors: checkSyntax(parsed) };
  const { name, message, offset } = parsed;
  // An offset may be before its line.
  return { body: [], errors: [{ kind: "SyntaxError", name, message, ...lineAndColumn(source, Math.max(offset, 0)) }] };
}

/** Brackets too deep for the grammar are an error of the tokens already. */
function parsedOrTooDeep(source: SourceLines, scanned: Tokens): ReturnType<typeof parseModule> {
  try {
    return parseModule(source, scanned);
  } catch (error) {
    if (error instanceof RangeError && scanned.error) return scanned.error;
    throw error;
  }
}

/** The most errors that are reported, and the most characters that are parsed to find them. */
const LIMIT = 20;
const BUDGET = 2_000_000;

/** The syntax errors of a text: the first is CPython's, the others are those of the text without the statements before them that are wrong. */
export function syntaxErrors(text: string): readonly PythonSyntaxError[] {
  const errors: PythonSyntaxError[] = [];
  let rest: string | undefined = text;
  while (rest !== undefined && errors.length < LIMIT && errors.length * text.length < BUDGET) {
    const { body, errors: found } = parse(sourceLines(rest));
    const line = errors.at(-1)?.line ?? 0;
    errors.push(...found.filter((e) => body.length > 0 || e.line > line));
    rest = body.length === 0 && found[0] && found[0].line > line ? withoutStatement(rest, found[0]) : undefined;
  }
  return errors.slice(0, LIMIT);
}
