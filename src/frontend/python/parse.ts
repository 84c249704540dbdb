/** Python text to AST, with web-tree-sitter and tree-sitter-python's grammar; what they cost is paid by Python input alone. */
import type { Module } from "./ast.js";
import { sourceLines } from "./source-lines.js";
import { statements } from "./statements.js";
import { checkSyntax } from "./syntax-checks.js";
import { type PythonSyntaxError, syntaxError } from "./syntax-errors.js";
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

/** The module of a text, or its first syntax error. */
export function parsePython({ parser }: PythonParser, text: string, file: string, directives = false): Module | PythonSyntaxError {
  const source = sourceLines(text, directives);
  const { root, hasErrors } = rawTree(parser, text);
  const error = syntaxError(source, root, hasErrors);
  if (error) return error;
  const body = statements(source, root);
  return checkSyntax(body) ?? { kind: "Module", body, lines: source.lines, file };
}
