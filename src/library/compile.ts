/** Compilations, with every artifact. */
import { artifactsOf } from "../backend/translate.js";
import type { CompileProgress } from "../compile/compile.js";
import { type Compilation, type CompileRequest, compileSource, compiling as compilingWith } from "../compile/compile-source.js";
import { type ModuleSource, type Rejected, rejected, type Source } from "../compile/source.js";

export type { ArtifactKind } from "../backend/backend.js";
export type { Always, CompileProgress } from "../compile/compile.js";
export { type Compilation, type CompileRequest, sourceFor } from "../compile/compile-source.js";

/**
 * Compiles a source; one that was imported is returned as it is. A source can be compiled any number of times, as for several targets:
 * a Python kernel is then made again for each. Options, targets and passes that do not exist are `Rejected`, as is a source that is; nothing is thrown.
 */
export function compile(source: Source | Rejected, request: CompileRequest = {}): Compilation | Rejected {
  switch (source?.kind) {
    case "error":
      return source;
    case "module":
    case "imported":
      return compileSource(source, request, artifactsOf);
    default:
      // Programs that are not checked by TypeScript.
      return rejected("compile takes what readSource returned");
  }
}

/** `compile`, halting before each pass. */
export const compiling = (source: ModuleSource, request: CompileRequest = {}): Generator<CompileProgress, Compilation | Rejected> =>
  compilingWith(source, request, artifactsOf);
