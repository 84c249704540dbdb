/** Errors of code generation: where, in which function, and through which calls. Source: python/triton/compiler/errors.py. */
import type { PyError } from "../language/errors.js";
import { versionNote } from "../language/version-names.js";
import type * as ast from "../python/ast.js";
import { CompilationError, type CompilationErrorKind, type ErrorFrame } from "./compilation-error.js";
import type { Generator } from "./generator.js";
import { hintFor } from "./hints.js";

export function frameAt(g: Generator, node: ast.Node | undefined): ErrorFrame {
  return { function: g.jit.name, file: g.data.env.file.path, at: node?.at ?? g.node?.at };
}

export function failAt(
  g: Generator,
  node: ast.Node | undefined,
  message: string,
  kind: CompilationErrorKind = "CompilationError",
  cause?: PyError,
): never {
  const hint = (cause?.missing && versionNote(cause.missing, g.compilation.host.triton)) ?? hintFor(g, message);
  throw new CompilationError(kind, message, [frameAt(g, node), ...g.callers], cause, hint);
}

export function unsupported(g: Generator, node: ast.Node | undefined, message: string): never {
  return failAt(g, node, message, "UnsupportedLanguageConstruct");
}

/** `repr` of a Python exception. */
export function errorRepr(error: PyError): string {
  const quote = error.message.includes("'") && !error.message.includes('"') ? '"' : "'";
  const inside = error.message.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return `${error.kind}(${error.message === "" ? "" : quote + (quote === "'" ? inside.replaceAll("'", "\\'") : inside) + quote})`;
}

export const RETURN_IN_LOOP = "Cannot have `return` statements inside `while` or `for` statements in triton.";
