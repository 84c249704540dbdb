import { terminalLine } from "../support/terminal-text.js";
import { fromBytes, printable, toBytes } from "../support/utf8.js";
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
  let text = `${printable(where)}${severity}: ${printable(message)}${tag}\n`;
  const line = position && sources.find((s) => s.file === position.file)?.line(position.line);
  if (position && line !== undefined) text += excerpt(line.trimEnd(), position.column);
  for (const note of diagnostic.notes) text += renderDiagnostic(note, sources);
  return text;
}

function excerpt(line: string, column: number): string {
  const start = Math.max(0, Math.min(column - 1, line.length) - MAX_EXCERPT / 2);
  const letters = (from: number, to: number): string => fromBytes(line.slice(from, to)).replace(/[^\P{C}\t]|[\p{Zl}\p{Zp}\ufffd]/gu, "?");
  const indent = letters(start, Math.max(start, column - 1))
    .replace(WIDE, "  ")
    .replace(/[^\t]/gu, " ");
  return `${toBytes(letters(start, start + MAX_EXCERPT))}\n${indent}^\n`;
}
/** Letters of two columns. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu;
