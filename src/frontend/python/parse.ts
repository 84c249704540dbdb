/** Python text to AST, with web-tree-sitter and tree-sitter-python's grammar; what they cost is paid by Python input alone. */
import type { Module } from "./ast.js";
import { sourceLines } from "./source-lines.js";
import { statements } from "./statements.js";
import { type PythonSyntaxError, syntaxError } from "./syntax-errors.js";
import { rawTree } from "./tree.js";
import type { Parser } from "./tree-sitter.js";

/** The two WebAssembly modules: the parser's runtime and the grammar. */
export interface PythonGrammar {
  readonly runtime: Uint8Array;
  readonly grammar: Uint8Array;
}

/** Parses Python; made once by `loadPython`. */
export interface PythonParser {
  readonly parser: Parser;
}

/** Starts the parser's runtime and loads the grammar into it. */
export async function loadPython(wasm: PythonGrammar): Promise<PythonParser> {
  const { Parser, Language } = await import("./tree-sitter.js");
  await Parser.init({ wasmBinary: wasm.runtime });
  const parser = new Parser();
  parser.setLanguage(await Language.load(wasm.grammar));
  return { parser };
}

/** The module of a text, or its first syntax error. */
export function parsePython({ parser }: PythonParser, text: string, file: string): Module | PythonSyntaxError {
  const source = sourceLines(text);
  const tree = rawTree(parser, text);
  const error = syntaxError(source, tree);
  if (error) return error;
  return { kind: "Module", body: statements(source, tree), lines: source.lines, file };
}
