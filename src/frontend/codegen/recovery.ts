/**
 * Several errors in one run. A statement that fails leaves the names it assigns without a value, and a statement that uses such
 * a name, or calls a function that failed, is passed over in silence: each further error reported is an error of its own.
 *
 * An `if` or a loop in which a statement failed has failed as a whole, once its body has been looked at: no conclusion is drawn
 * from what it would have left. An error in a function of Triton's library is one of the statement that calls it. After a
 * `static_assert` that does not hold nothing is looked at, as what follows may rely on it.
 */
import { asPyError } from "../language/errors.js";
import { insertionPoint, restoreInsertion } from "../language/insertion.js";
import { walk } from "../launches.js";
import type * as ast from "../python/ast.js";
import { CompilationError } from "./compilation-error.js";
import { errorRepr, frameAt } from "./errors.js";
import type { Generator } from "./generator.js";

/** The most errors that are reported. */
const LIMIT = 20;

/** Thrown where nothing can be said, because of an error that has been reported. */
export class Abandoned extends Error {
  /** `all`: no other statement is looked at, either. */
  constructor(readonly all = false) {
    super("an error that has been told is in the way");
  }
}

export function abandonIfFailed(g: Generator, failuresBefore: number): void {
  if (g.compilation.failures > failuresBefore) throw new Abandoned();
}

/** Runs a statement; its failure does not reach those around it. */
export function recovering(g: Generator, statement: ast.Stmt, body: () => void): void {
  // A function of the library that fails was called wrongly.
  if (g.jit.module.startsWith("triton.")) return body();
  const { scope, localDefs, loopDepth, node } = g;
  const { loc } = g.b;
  const point = insertionPoint(g.b);
  try {
    body();
  } catch (error) {
    g.compilation.failures++;
    const limit = error instanceof RangeError ? asPyError(error) : undefined;
    if (limit) record(g, new CompilationError("CompilationError", errorRepr(limit), [frameAt(g, statement), ...g.callers], limit));
    else if (error instanceof CompilationError) record(g, error);
    else if (!(error instanceof Abandoned) || error.all) throw error;
    restoreInsertion(g.b, point);
    g.b.loc = loc;
    Object.assign(g, { scope, localDefs, loopDepth, node, namePrefix: undefined });
    for (const name of assignedNames(statement)) {
      g.poisoned.add(name);
      scope.delete(name);
      localDefs.delete(name);
    }
  }
}

/** Errors that would occur again in any code that is visited next. */
const FINAL: ReadonlySet<string> = new Set(["MemoryError", "RecursionError", "TimeoutError"]);

/** Reports each place once, though it may be visited for several types, and each name that does not exist once. */
function record({ compilation: { errors }, callers }: Generator, error: CompilationError): void {
  const { file, at } = error.frames.at(-1 - callers.length)!;
  const key = error.cause?.kind === "NameError" ? error.message : `${file}:${at?.line}:${at?.col}`;
  if (!errors.has(key)) errors.set(key, error);
  const ends = error.kind === "CompileTimeAssertionFailure" || FINAL.has(error.cause?.kind ?? "") || errors.size >= LIMIT;
  if (ends) throw new Abandoned(true);
}

/** Returns a function that marks the names without a value as such again; a branch or a body that is visited again may give them one. */
export function rememberPoison({ poisoned }: Generator): () => void {
  const names = [...poisoned];
  return () => {
    for (const name of names) poisoned.add(name);
  };
}

/** The names that a statement assigns, and those inside it. */
function assignedNames(statement: ast.Stmt): readonly string[] {
  const names: string[] = [];
  walk(
    statement,
    (node) => {
      if (node.kind === "FunctionDef" || node.kind === "ClassDef") names.push(node.name);
      else if (node.kind === "Name" && node.ctx === "Store") names.push(node.id);
    },
    (node) => node.kind !== "FunctionDef" && node.kind !== "ClassDef",
  );
  return names;
}
