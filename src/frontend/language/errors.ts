import type { Place } from "../python/ast.js";
import type { Opaque, OpaqueNote, Undecided } from "./values.js";
import type { MissingName } from "./version-names.js";

/** Names of the Python exceptions that Triton raises: part of its messages. */
export type PyErrorKind =
  | "AssertionError"
  | "AttributeError"
  | "ImportError"
  | "IndexError"
  | "IncompatibleTypeErrorImpl"
  | "KeyError"
  | "MemoryError"
  | "NameError"
  | "NotImplementedError"
  | "OverflowError"
  | "RecursionError"
  | "RuntimeError"
  | "TimeoutError"
  | "TypeError"
  | "ValueError"
  | "ZeroDivisionError";

/** An error raised by a builtin; code generation catches it and reports the line, the caret and the chain of calls. */
export class PyError extends Error {
  /** The call outside of kernels that raised it, or the keyword of it that is meant. */
  origin?: PyOrigin;
  /** The definitions between which nothing chooses, where that is the error. */
  undecided?: Undecided;
  /** Where something was looked for that is not known. */
  notes?: readonly OpaqueNote[] | undefined;
  /** The name that was not found, where another version of Triton may have it. */
  missing?: MissingName;
  constructor(
    readonly kind: PyErrorKind,
    message: string,
  ) {
    super(message);
  }
}

export interface PyOrigin {
  readonly file: string;
  readonly at: Place | undefined;
}

/** A Python exception, or a limit of JavaScript's as the exception that Python has for it; undefined for any other error. */
export function asPyError(error: unknown): PyError | undefined {
  if (error instanceof PyError) return error;
  if (!(error instanceof RangeError)) return undefined;
  if (error.message.includes("call stack")) return new PyError("RecursionError", "maximum recursion depth exceeded");
  return /^(?:Invalid (?:array|string) length|Maximum BigInt size)/.test(error.message) ? new PyError("MemoryError", "") : undefined;
}

/** Raises that a value is not known, and between which definitions it is open. */
export function raiseUnknown(name: string, { why, undecided, notes }: Opaque): never {
  const error = new PyError("NameError", `'${name}' is not ${undecided ? "decided" : "known"}: ${why}`);
  if (undecided) error.undecided = undecided;
  error.notes = notes;
  throw error;
}

/** Raises a Python exception in the kernel's code: a diagnostic at the line that is compiled. */
export function raise(kind: PyErrorKind, message: string): never {
  throw new PyError(kind, message);
}

/** Raises that a value or a function lacks a name, which another version of Triton may have. */
export function raiseMissing(kind: PyErrorKind, message: string, missing: MissingName): never {
  const error = new PyError(kind, message);
  error.missing = missing;
  throw error;
}

/** The error where Python computes with a value that is known at run time only. */
export const OUTSIDE_OF_KERNELS = "Did you forget to add @triton.jit ? (`_semantic` argument must be provided outside of JIT functions.)";

/** Python's `assert condition, message`. */
export function check(condition: boolean, message = ""): asserts condition {
  if (!condition) raise("AssertionError", message);
}
