/** Python text to AST, with web-tree-sitter and tree-sitter-python's grammar; what they cost is paid by Python input alone. */
import type { Module } from "./ast.js";
import { sourceLines } from "./source-lines.js";
import { statements } from "./statements.js";
import { checkSyntax } from "./syntax-checks.js";
import { type PythonSyntaxError, syntaxError } from "./syntax-errors.js";
import { tokenize } from "./tokens.js";
import { rawTree } from "./tree.js";
import type { Parser } from "./tree-sitter.js";

/** Parses Python; made once by `loadParser`. */
export interface PythonParser {
  readonly parser: Parser;
  /** The prelude's trees as JSON, where a build has left them. */
  readonly readTrees: () => string | undefined;
}

/** Starts the parser's runtime and loads the grammar into it. */
export async function loadParser(): Promise<PythonParser> {
  const { Parser, Language, readTrees, readWasm } = await import("./tree-sitter.js");
  const { runtime, grammar } = readWasm();
  await Parser.init({ wasmBinary: runtime });
  const parser = new Parser();
  parser.setLanguage(await Language.load(grammar));
  return { parser, readTrees };
}

/**
 * The text with every line that ends inside of brackets joined to the next, each character in its place. The grammar takes a
 * continuation that stands left of the block around it for the end of that block.
 */
function joinBrackets(text: string): string {
  let joined = "";
  let depth = 0;
  for (const { kind, text: spelling, start, end } of tokenize(text).tokens) {
    const gap = text.slice(joined.length, start);
    joined += (depth > 0 ? gap.replace(/\S|[\r\n]/g, " ") : gap) + text.slice(start, end);
    if (kind === "op") depth += "([{".includes(spelling) ? 1 : ")]}".includes(spelling) ? -1 : 0;
  }
  return joined + text.slice(joined.length);
}

/** The module of a text, or its first syntax error. */
export function parsePython({ parser }: PythonParser, text: string, file: string, directives = false): Module | PythonSyntaxError {
  const source = sourceLines(text, directives);
  let { root, hasErrors } = rawTree(parser, text);
  if (hasErrors) ({ root, hasErrors } = rawTree(parser, joinBrackets(text)));
  const error = syntaxError(source, root, hasErrors);
  if (error) return error;
  const body = statements(source, root);
  return checkSyntax(body) ?? { kind: "Module", body, lines: source.lines, file };
}
