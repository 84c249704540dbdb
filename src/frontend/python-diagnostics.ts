/** Errors and warnings of Python kernels as diagnostics. */
import type { Diagnostic, Position } from "../diagnostics/diagnostic.js";
import type { CompilationError } from "./codegen/compilation-error.js";
import type { CodegenWarning } from "./codegen/generator.js";
import type { PyError } from "./language/errors.js";
import { pyRepr } from "./language/python-text.js";
import { type Definition, isKind, type Opaque, type PyValue, type Undecided } from "./language/values.js";
import type * as ast from "./python/ast.js";
import { syntaxErrors } from "./python/parse.js";

/** A position, for a diagnostic that may have none. */
export const position = (at: Position | undefined): { readonly position?: Position } => (at ? { position: at } : {});

/** Syntax errors of a text, as CPython words them. */
export function syntaxDiagnostics(text: string, file: string, severity: "error" | "warning"): Diagnostic[] {
  return syntaxErrors(text).map(({ name, message, line, col }) => {
    const position = { file, line, column: col + 1 };
    return { severity, code: "python.syntax", message: `${name}: ${message}`, position, notes: [] };
  });
}

/** A kernel of several definitions, of which nothing chooses one. */
export function undecidedKernel(file: string, name: string, value: Opaque): Diagnostic {
  const undecided = value.undecided!;
  const at = undecided.definitions[0]!.at;
  return {
    severity: "error",
    code: "python.undecided",
    message: `'${name}' is not decided: ${value.why}`,
    ...position(at && { file, line: at.line, column: at.col + 1 }),
    notes: undecidedNotes(undecided),
  };
}

/** As many definitions are shown. */
const SHOWN_DEFINITIONS = 10;

/** `taken`: the one that is used. */
function undecidedNotes({ definitions, define }: Undecided, taken?: Definition): Diagnostic[] {
  const note = (message: string, place: { readonly position?: Position } = {}): Diagnostic => ({
    severity: "note",
    code: "python.undecided",
    message,
    ...place,
    notes: [],
  });
  const shown = definitions.slice(0, SHOWN_DEFINITIONS).map((definition) => {
    const { when, value, file, at } = definition;
    const text = `${definition === taken ? "taken: " : ""}${valueText(value)} ${when}`;
    return note(text, position(at && { file, line: at.line, column: at.col + 1 }));
  });
  return define === undefined ? shown : [...shown, note(`--define ${shellWord(define)} says what it is`)];
}

/** A value in a note: functions have their place beside it. */
const valueText = (value: PyValue): string =>
  isKind(value, "opaque")
    ? "not known"
    : isKind(value, "jit") || isKind(value, "host_function")
      ? `defined here`
      : `it is ${pyRepr(value)}`;
const shellWord = (text: string): string => (/[^\w=.-]/.test(text) ? (text.includes("'") ? `"${text}"` : `'${text}'`) : text);

/** The reason why a kernel of the file cannot be compiled, which is an error where it is the one that is asked for. */
export function refusal({ kind, message, origin }: PyError): Diagnostic {
  const place = position(origin?.at && { file: origin.file, line: origin.at.line, column: origin.at.col + 1 });
  return { severity: "error", code: "python.error", message: `${kind}: ${message}`, ...place, notes: [] };
}

/** A warning, note or remark of the code generator. */
export function warningDiagnostic({ severity, message, file, place, choice, code }: CodegenWarning): Diagnostic {
  return {
    severity,
    code: code ?? (choice ? "python.undecided" : severity === "remark" ? "python.static-print" : "python.warning"),
    message,
    ...position(place && { file, line: place.line, column: place.col + 1 }),
    notes: choice ? undecidedNotes(choice.undecided, choice.taken) : [],
  };
}

/** Calls shown at each end of a long chain. */
const SHOWN_CALLS = 20;

/** An error in a kernel, with the calls that led to it. */
export function diagnosticOf(error: CompilationError): Diagnostic {
  const [first, ...all] = error.frames;
  // A deep recursion is shown by both its ends.
  const callers = all.length > 2 * SHOWN_CALLS ? [...all.slice(0, SHOWN_CALLS), ...all.slice(-SHOWN_CALLS)] : all;
  const at = (place: ast.Place | undefined, file: string): Position | undefined =>
    place && { file, line: place.line, column: place.col + 1 };
  const undecided = error.cause?.undecided;
  const code = undecided
    ? "python.undecided"
    : error.kind === "UnsupportedLanguageConstruct"
      ? "python.unsupported"
      : error.kind === "CompileTimeAssertionFailure"
        ? "python.static-assert"
        : "python.error";
  return {
    severity: "error",
    code,
    message:
      (undecided ? error.cause?.message : error.message) ||
      (error.cause?.kind === "MemoryError" ? error.cause.kind : "the assertion does not hold"),
    ...position(at(first!.at, first!.file)),
    notes: [
      ...(undecided ? undecidedNotes(undecided) : []),
      ...(error.cause?.notes ?? []).map(({ message, file, at: place }) => ({
        severity: "note" as const,
        code,
        message,
        ...position(place && file !== undefined ? { file, line: place.line, column: place.col + 1 } : undefined),
        notes: [],
      })),
      ...(error.hint === undefined ? [] : [{ severity: "note" as const, code, message: error.hint, notes: [] }]),
      ...callers.map((frame) => ({
        severity: "note" as const,
        code,
        message: `called from '${frame.function}'`,
        ...position(at(frame.at, frame.file)),
        notes: [],
      })),
    ],
  };
}
