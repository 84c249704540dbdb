/** The compiler's inputs: IR, Python kernels, logs, and Traces in JSON. */
export { type Divisibility, divisibilityOf } from "../compile/divisibility.js";
export { isPython } from "../compile/is-python.js";
export { stageOf } from "../compile/read-ir.js";
export { readFolder, readSource } from "../compile/read-source.js";
export {
  type ModuleSource,
  type PythonArguments,
  type PythonRequest,
  type Rejected,
  rejected,
  type Source,
  type SourceDefaults,
  type SourceRequest,
  type TraceSource,
} from "../compile/source.js";
export type { Diagnostic, Position, Severity } from "../diagnostics/diagnostic.js";
export { fromBytes, toBytes } from "../support/utf8.js";
