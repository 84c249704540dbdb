/** What reading and compiling IR takes. It is handed in, so that a command loads no more than it runs. */
import type { DialectDef } from "../ir/define-dialect.js";
import type { Passes } from "../passes/ttir.js";
import type { artifactsOf } from "./artifacts.js";

export interface Compiler {
  readonly dialects: readonly DialectDef[];
  readonly passes: Passes;
  /** What is made behind the last pass of the whole pipeline. */
  readonly artifactsOf?: typeof artifactsOf;
}
