/**
 * tt-step as a library: compiles Triton kernels pass by pass, as Triton 3.6 does, and explains what the passes did. It needs no
 * node and no files; what a kernel imports is read by the caller's `readFile`.
 *
 * Bad input is a value of kind `error` or has diagnostics; a function throws only for a bug.
 */
export type { ArtifactKind } from "./backend/backend.js";
export { type CudaOptions, checkOptions, defaultOptions } from "./backend/nvidia/options.js";
export { type Always, type CompileProgress, pipelineOf } from "./compile/compile.js";
export {
  type Compilation,
  type CompileRequest,
  compileSource as compile,
  compiling,
  pipelineRange,
  positionOf,
  type RangeRequest,
  type Settings,
  settingsOf,
  sourceFor,
} from "./compile/compile-source.js";
export { type Divisibility, divisibilityOf } from "./compile/divisibility.js";
export { isPython } from "./compile/python-source.js";
export { readFolder, readSource, stageOf } from "./compile/read-source.js";
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
} from "./compile/source.js";
export type { Diagnostic, Position, Severity } from "./diagnostics/diagnostic.js";
export { type Alignment, align, type Row } from "./diff/align.js";
export { type Comparison, compareTraces, type Difference } from "./diff/compare-traces.js";
export { countsText, unified } from "./diff/hunks.js";
export { type StepDiff, stepDiff } from "./diff/step-diff.js";
export { type CodegenFact, codegenFacts, type InstructionFacts } from "./explain/codegen-facts.js";
export { compareFacts, type FactDifference, type FinalFacts, finalFacts } from "./explain/compare-facts.js";
export { FINDING_KINDS, type Finding, type FindingKind, findings, type MachineFacts, placeText } from "./explain/findings.js";
export { type Headline, headlineOf, headlineText } from "./explain/headline.js";
export { type LayoutShape, parseLayout, threadMap } from "./explain/parse-layout.js";
export { ancestorsOf, descendantsOf, locationOf, type SourcePosition } from "./explain/provenance.js";
export type { Explanation, ExplanationSection } from "./explain/queries.js";
export { explainAt as explain } from "./explain/resolve.js";
export { run } from "./explain/run-kernel.js";
export { attributeText, explainedNames, instructionText, type NameText, nameText, opText, passText } from "./explain/texts/index.js";
export { validate } from "./explain/validate-trace.js";
export type { ValueLayout } from "./explain/value-layout.js";
export { CAPABILITIES, type GpuTarget, gpuOf } from "./gpu/nvidia.js";
export type { LinearLayout } from "./layout/linear-layout.js";
export type { Remark } from "./pass/remark.js";
export type { RunOptions, RunResult } from "./simulate/tensor/run.js";
export type { ValidateOptions, Validation } from "./simulate/validate.js";
export { DEFAULT_TRITON, TRITON_VERSIONS, type TritonVersion } from "./support/triton-version.js";
export { fromBytes, toBytes } from "./support/utf8.js";
export { fromJson, toJson } from "./trace/json.js";
export type { LineTable, StepText } from "./trace/line-table.js";
export { type PipelineStep, STAGES, type Stage } from "./trace/stage.js";
export { type Artifacts, findStep, type Step, stepBanner, type Trace } from "./trace/trace.js";
