/** Python text to AST, with web-tree-sitter and tree-sitter-python's grammar; what they cost is paid by Python input alone. */
import { PyError } from "../language/errors.js";
import type { Module, Stmt } from "./ast.js";
import { compiledWasm } from "./compiled-wasm.js";
import { type SourceLines, sourceLines } from "./source-lines.js";
import { statements } from "./statements.js";
import { checkSyntax } from "./syntax-checks.js";
import { type PythonSyntaxError, syntaxError } from "./syntax-errors.js";
import { withoutStatement } from "./syntax-recovery.js";
import { type Token, tokenize } from "./tokens.js";
import { rawTree, type TreeParser } from "./tree.js";
import { Language, Parser } from "./tree-sitter.js";
import { type Instance, type TreeWalk, treeWalk } from "./tree-walk.js";
import { readTrees } from "./wasm.js";

/** Parses Python; made once by `loadParser`. */
export interface PythonParser extends TreeParser {
  /** The prelude's trees as JSON, where a build has left them. */
  readonly readTrees: () => string | undefined;
}

/** What is used of it here: the library with its types is the browser's. */
declare const WebAssembly: { readonly Instance: new (module: object, imports: object) => Instance };
interface Imports {
  readonly env: { readonly memory: { readonly buffer: ArrayBuffer } };
}

/** Starts the parser's runtime and loads the grammar into it. */
export async function loadParser(): Promise<PythonParser> {
  const { runtime, grammar, walk: walkModule, memory } = await compiledWasm();
  let walk: TreeWalk | undefined;
  await Parser.init({
    INITIAL_MEMORY: memory,
    instantiateWasm(imports: Imports, use: (instance: object, module: object) => void) {
      const instance = new WebAssembly.Instance(runtime, imports);
      walk = treeWalk(walkModule, instance, imports.env.memory);
      use(instance, runtime);
      return {};
    },
  });
  const parser = new Parser();
  parser.setLanguage(Language.loadSync(grammar));
  return { parser, walk: walk!, readTrees };
}

/**
 * The text as the grammar takes it well, each character in its place: without comments, of which it looks at all that follow at each
 * one, with the lines of a bracket joined, as it takes one that stands left of its block for the block's end, and with a sign for
 * a star outside of brackets, which it takes before names alone; where those are goes into `stars`.
 */
function plainText(text: string, tokens: readonly Token[], stars: Set<number>): string {
  const parts: string[] = [];
  let copied = 0;
  let end = 0;
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.start > end) {
      const gap = text.slice(end, token.start);
      const plain = depth > 0 ? gap.replace(/\S|[\r\n]/g, " ") : gap.includes("#") ? gap.replace(/#[^\r\n]*/g, blank) : gap;
      if (plain !== gap) {
        parts.push(text.slice(copied, end), plain);
        copied = token.start;
      }
    }
    end = token.end;
    if (token.text === "*" && depth === 0 && isStar(tokens[i - 1], tokens[i + 1])) {
      stars.add(token.start);
      parts.push(text.slice(copied, token.start), "+");
      copied = end;
    }
    if (token.kind === "op") depth += "([{".includes(token.text) ? 1 : ")]}".includes(token.text) ? -1 : 0;
  }
  parts.push(text.slice(copied, end), text.slice(end).replace(/#[^\r\n]*/g, blank));
  return parts.join("");
}
/** Whether a `*` between two tokens unpacks something that is more than a name. */
const isStar = (before: Token | undefined, after: Token | undefined): boolean =>
  before !== undefined &&
  /^(?:[,=]|[-+*/%@&|^]=|(?:\*\*|\/\/|<<|>>)=|return|yield|in)$/.test(before.text) &&
  after !== undefined &&
  (after.kind === "number" || after.kind === "string" || /^[([{+~-]/.test(after.text));
const blank = (comment: string): string => " ".repeat(comment.length);

/** As long a text is parsed, in about ten seconds; of five times as much the parser's memory is full. */
const MAX_LENGTH = 4 << 20;

/** The module of a text, or its first syntax error. */
export function parsePython(parser: PythonParser, text: string, file: string, directives = false): Module | PythonSyntaxError {
  if (text.length > MAX_LENGTH)
    throw new PyError("MemoryError", `'${file}' has ${text.length} characters; at most ${MAX_LENGTH} of Python are parsed`);
  const source = sourceLines(text, directives);
  const { body, errors } = parse(parser, source);
  return errors[0] ?? { kind: "Module", body, file };
}

/** Statements, and what is wrong with them: the first line that is no Python, or all that CPython's compiler refuses of what is. */
function parse(parser: PythonParser, source: SourceLines): { body: readonly Stmt[]; errors: readonly PythonSyntaxError[] } {
  const scanned = tokenize(source.text);
  const stars = new Set<number>();
  const tree = scanned.error ? undefined : rawTree(parser, plainText(source.text, scanned.tokens, stars));
  const error = syntaxError(source, scanned, tree, stars.size > 0);
  if (error || !tree) return { body: [], errors: error ? [error] : [] };
  const body = statements({ ...source, stars }, tree.root);
  return { body, errors: checkSyntax(body) };
}

/** As many errors are told at most, and of a large text those that are found in so many characters. */
const LIMIT = 20;
const BUDGET = 2_000_000;

/** The syntax errors of a text: the first is CPython's, the others are those of the text without the statements before them that are wrong. */
export function syntaxErrors(parser: PythonParser, text: string): readonly PythonSyntaxError[] {
  const errors: PythonSyntaxError[] = [];
  let rest: string | undefined = text;
  while (rest !== undefined && errors.length < LIMIT && errors.length * text.length < BUDGET) {
    const { body, errors: found } = parse(parser, sourceLines(rest));
    const line = errors.at(-1)?.line ?? 0;
    errors.push(...found.filter((e) => body.length > 0 || e.line > line));
    rest = body.length === 0 && found[0] && found[0].line > line ? withoutStatement(rest, found[0]) : undefined;
  }
  return errors.slice(0, LIMIT);
}
