/** Syntax errors in CPython's words. The grammar recovers from anything; the first place where it had to is told. */
import { lineAndColumn, type SourceLines } from "./source-lines.js";
import type { RawNode } from "./tree.js";

export interface PythonSyntaxError {
  readonly kind: "SyntaxError";
  /** `SyntaxError`, or `IndentationError` as CPython distinguishes them. */
  readonly name: "SyntaxError" | "IndentationError";
  readonly message: string;
  /** 1-based. */
  readonly line: number;
  /** In bytes, from 0. */
  readonly col: number;
}

/** The first syntax error of a tree, or undefined. */
export function syntaxError(source: SourceLines, root: RawNode): PythonSyntaxError | undefined {
  const found = firstError(root);
  if (!found) return undefined;
  const error = (offset: number, message: string, name: PythonSyntaxError["name"] = "SyntaxError"): PythonSyntaxError => ({
    kind: "SyntaxError",
    name,
    message,
    ...lineAndColumn(source, offset),
  });
  return error(found.start, "invalid syntax");
}

function firstError(node: RawNode): RawNode | undefined {
  if (node.type === "ERROR" || node.missing) return node;
  for (const child of node.children) {
    const inner = firstError(child);
    if (inner) return inner;
  }
  return undefined;
}
