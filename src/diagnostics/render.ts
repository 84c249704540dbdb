import { terminalLine } from "../support/terminal-text.js";
import type { Diagnostic } from "./diagnostic.js";
import type { SourceBuffer } from "./source.js";

/** Longest source excerpt shown in a caret frame, in characters. */
const MAX_EXCERPT = 160;

/**
 * Prints a diagnostic as compilers do:
 * `file:line:column: error: message [code]`, the source line, and a caret; then its notes, likewise.
 * `sources` are the texts that positions may point into.
 */
export function renderDiagnostic(diagnostic: Diagnostic, sources: readonly SourceBuffer[]): string {
  const { position, severity, message, code } = diagnostic;
  const where = position ? `${terminalLine(position.file)}:${position.line}:${position.column}: ` : "";
  const tag = severity === "note" || code === "" ? "" : ` [${code}]`;
  let text = `${where}${severity}: ${message}${tag}\n`;
  const line = position && sources.find((s) => s.file === position.file)?.line(position.line);
  if (position && line !== undefined) text += excerpt(line.trimEnd(), position.column);
  for (const note of diagnostic.notes) text += renderDiagnostic(note, sources);
  return text;
}

function excerpt(line: string, column: number): string {
  const start = Math.max(0, Math.min(column - 1, line.length) - MAX_EXCERPT / 2);
  const shown = line.slice(start, start + MAX_EXCERPT).replace(/[^\x20-\x7e\t]/g, "?");
  const indent = shown.slice(0, Math.max(0, column - 1 - start)).replace(/[^\t]/g, " ");
  return `${shown}\n${indent}^\n`;
}
