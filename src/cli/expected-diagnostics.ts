/**
 * `-verify-diagnostics`: compares the diagnostics with `// expected-error@+1 {{text}}` comments.
 * Source: mlir/lib/IR/Diagnostics.cpp, SourceMgrDiagnosticVerifierHandler.
 */
import type { Diagnostic, Severity } from "../diagnostics/diagnostic.js";
import type { Context } from "../ir/context.js";

interface Expected {
  readonly severity: Severity;
  readonly line: number | undefined;
  readonly matches: (message: string) => boolean;
  readonly text: string;
  readonly commentLine: number;
  found: boolean;
}

const COMMENT = /expected-(error|note|remark|warning)(-re)? *(@([+-]\d+|above|below|unknown))? *\{\{((?:[^}]|\}(?!\}))*)\}\}/g;

/** The differences between what was expected and what was reported, as diagnostics; none when all is as expected. */
export function checkExpected(ctx: Context, file: string, text: string, firstLine: number, onlyExpected: boolean): Diagnostic[] {
  const expected = readExpected(text, firstLine);
  const problems: Diagnostic[] = [];
  const problem = (message: string, line: number | undefined) =>
    problems.push({
      severity: "error",
      code: "verify-diagnostics",
      message,
      ...(line === undefined ? {} : { position: { file, line, column: 1 } }),
      notes: [],
    });
  const check = (diagnostic: Diagnostic) => {
    const { severity, message, position } = diagnostic;
    const line = position?.file === file ? position.line : undefined;
    const match = expected.find(
      (e) => e.severity === severity && (e.line === line || (e.line === undefined && position === undefined)) && e.matches(message),
    );
    if (match) match.found = true;
    else if (!onlyExpected) problem(`unexpected ${severity}: ${message}`, line);
    for (const note of diagnostic.notes) {
      const noteLine = note.position?.file === file ? note.position.line : undefined;
      const noteMatch = expected.find((e) => e.severity === "note" && e.line === noteLine && e.matches(note.message));
      if (noteMatch) noteMatch.found = true;
      else if (!onlyExpected && expected.some((e) => e.severity === "note")) problem(`unexpected note: ${note.message}`, noteLine);
    }
  };
  for (const diagnostic of ctx.diagnostics) check(diagnostic);
  for (const e of expected) if (!e.found) problem(`expected ${e.severity} "${e.text}" was not produced`, e.commentLine);
  return problems;
}

function readExpected(text: string, firstLine: number): Expected[] {
  const expected: Expected[] = [];
  const lines = text.split("\n");
  // `@below` refers to the next line that is no expectation itself.
  const waiting: { apply: (line: number) => void }[] = [];
  let lastCode = firstLine;
  lines.forEach((content, i) => {
    const line = firstLine + i;
    const found = [...content.matchAll(COMMENT)];
    if (found.length === 0) {
      for (const { apply } of waiting.splice(0)) apply(line);
      lastCode = line;
      return;
    }
    for (const [, severity, regex, , where, body] of found) {
      const entry: { -readonly [K in keyof Expected]: Expected[K] } = {
        severity: severity as Severity,
        line,
        matches: regex ? matcher(body!) : (message) => message.includes(body!),
        text: body!,
        commentLine: line,
        found: false,
      };
      if (where === "unknown") entry.line = undefined;
      else if (where === "above") entry.line = lastCode;
      else if (where === "below") waiting.push({ apply: (at) => (entry.line = at) });
      else if (where) entry.line = line + Number(where);
      expected.push(entry);
    }
    if (content.slice(0, content.indexOf("//")).trim() !== "") lastCode = line;
  });
  return expected;
}

/** `plain {{regex}} plain` as upstream's -re comments are written. */
function matcher(body: string): (message: string) => boolean {
  const parts = body.split(/\{\{|\}\}/);
  const source = parts.map((part, i) => (i % 2 === 0 ? part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : part)).join("");
  const regex = new RegExp(source);
  return (message) => regex.test(message);
}
