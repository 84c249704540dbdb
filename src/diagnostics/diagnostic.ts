/**
 * A report to a person about their input: severity, stable code, place, message, notes.
 * Diagnostics are collected, never thrown.
 */

/** A place in a text: 1-based line and column (columns count bytes, as MLIR's do). */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** How bad a diagnostic is; a `note` belongs to another. */
export type Severity = "error" | "warning" | "remark" | "note";

/** An error, warning or remark about an input, with its place where it has one. */
export interface Diagnostic {
  readonly severity: Severity;
  /** Stable, dotted: `parse.expected-token`, `verify.operand-type`; the catalogue has a line for each. */
  readonly code: string;
  readonly message: string;
  readonly position?: Position;
  readonly notes: readonly Diagnostic[];
}
