/** The error that ends the generation of a kernel. Source: python/triton/compiler/errors.py. */
import type { PyError } from "../language/errors.js";
import type * as ast from "../python/ast.js";

/** A place in a function that was being generated. */
export interface ErrorFrame {
  readonly function: string;
  readonly file: string;
  readonly at: ast.Place | undefined;
}

export type CompilationErrorKind = "CompilationError" | "CompileTimeAssertionFailure" | "UnsupportedLanguageConstruct";

/** An error with its place; thrown through the visitor up to the statement of the user's that it is in. */
export class CompilationError extends Error {
  constructor(
    readonly kind: CompilationErrorKind,
    message: string,
    /** From the innermost function outwards. */
    readonly frames: readonly ErrorFrame[],
    /** The Python exception that caused it. */
    override readonly cause: PyError | undefined,
    /** The code to write instead, or which version of Triton has what is missing. */
    readonly hint?: string,
  ) {
    super(message);
  }
}
