/** Names of the Python exceptions that Triton raises: part of its messages. */
export type PyErrorKind =
  | "AssertionError"
  | "AttributeError"
  | "IndexError"
  | "IncompatibleTypeErrorImpl"
  | "KeyError"
  | "NameError"
  | "NotImplementedError"
  | "RuntimeError"
  | "TypeError"
  | "ValueError"
  | "ZeroDivisionError";

/** What a builtin raises; code generation catches it and tells the line, the caret and the chain of calls. */
export class PyError extends Error {
  constructor(
    readonly kind: PyErrorKind,
    message: string,
  ) {
    super(message);
  }
}

export function raise(kind: PyErrorKind, message: string): never {
  throw new PyError(kind, message);
}

/** Python's `assert condition, message`. */
export function check(condition: boolean, message = ""): asserts condition {
  if (!condition) raise("AssertionError", message);
}
