/** An error of Python's syntax, as CPython words it. */
export interface PythonSyntaxError {
  readonly kind: "SyntaxError";
  readonly name: "SyntaxError" | "IndentationError" | "TabError";
  readonly message: string;
  /** 1-based. */
  readonly line: number;
  /** In bytes, from 0. */
  readonly col: number;
}
