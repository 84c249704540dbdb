/** How `tt-step` compiles its input. */

import type { ArtifactKind } from "../backend/backend.js";
import { type Always, type CompileResult, compile, pipelineOf } from "../compile/compile.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import { capabilityProblem, pipelineRange, positionOf, settingsOf } from "../index.js";
import { printOperation } from "../syntax/print.js";
import type { PipelineStep, Stage } from "../trace/stage.js";
import type { Trace } from "../trace/trace.js";
import { type Io, isOn, PREFER_TMEM_16X256 } from "./io.js";
import { withHint } from "./options/option.js";
import type { TtStepArgs } from "./tt-step-args.js";
import type { Input } from "./tt-step-input.js";

/** The trace of an input's compilation, imported or run here; or why there is none. Diagnostics are printed. */
export function traceOf(
  input: Exclude<Input, { readonly kind: "error" }>,
  name: string,
  args: TtStepArgs,
  io: Io,
): { readonly trace: Trace; readonly result?: CompileResult; readonly emitted?: string } | { readonly error: string } {
  if (input.kind === "imported") return { trace: input.trace };
  const { module } = input;
  const options = settingsOf(input, args);
  const problem = capabilityProblem(name, options.capability);
  if (problem !== undefined) return { error: problem };
  const pipeline = pipelineOf(options);
  const range = shownRange(pipeline, args);
  if ("error" in range) return range;
  const moduleOnly = asksForModule(pipeline, args);
  const texts = needsTexts(args) && !moduleOnly;
  const made = artifacts(args);
  const result = compile(name, module, {
    ...options,
    ...range,
    ...everywhere(args, io),
    // The subject of `--why` or `--layout` is read back from the text.
    debugInfo: args.debugInfo && args.why === undefined && args.layout === undefined,
    texts,
    steps: texts || args.list || (made.length === 0 && !moduleOnly),
    artifacts: made,
    remarks: texts,
    clock: io.clock,
  });
  for (const diagnostic of module.ctx.diagnostics) io.stderr.write(renderDiagnostic(diagnostic, module.ctx.sources));
  const emitted = moduleOnly && result.ok ? printOperation(module) : undefined;
  const trace = args.times ? result.trace : { ...result.trace, steps: result.trace.steps.map((step) => ({ ...step, ms: undefined })) };
  return { trace, result, ...(emitted === undefined ? {} : { emitted }) };
}

/** Whether what a stage ends with is all that is asked for: the module itself is it then, and no step need be recorded. */
function asksForModule(pipeline: readonly PipelineStep[], args: TtStepArgs): boolean {
  const stage = emittedStage(args);
  if (stage === undefined || !pipeline.some((step) => step.stage === stage) || args.list || args.ptxasReport || args.debugInfo)
    return false;
  return !needsTexts({ ...args, emit: undefined }) && args.stopAfter === undefined && args.startAfter === undefined;
}
function emittedStage({ emit }: TtStepArgs): Stage | undefined {
  return emit === "llvm-dialect" ? "llir" : emit === "ttir" || emit === "ttgir" ? emit : undefined;
}

/** The artifacts to make after the last pass. */
function artifacts({ emit, llc, ptxasReport, validate, codegen }: TtStepArgs): readonly ArtifactKind[] {
  const ptx = validate || emit === "ptx" || emit === "cubin" || ptxasReport;
  const text: readonly ArtifactKind[] = emit === "llir" || (ptx && llc) ? ["llir"] : ptx ? ["ptx"] : [];
  return codegen ? [...text, "instructions"] : text;
}

/** Whether more is asked of the steps than a list. */
function needsTexts(args: TtStepArgs): boolean {
  const { printAfter, printAfterAll, printAfterChange, diff, against, json, reproducer, why, layout, validate, codegen } = args;
  const emit = args.emit === "llir" || args.emit === "ptx" || args.emit === "cubin" ? undefined : args.emit;
  return (
    validate ||
    codegen ||
    printAfter.length > 0 ||
    printAfterAll ||
    printAfterChange ||
    [diff, emit, against, reproducer, why, layout, args.export].some((x) => x !== undefined) ||
    json
  );
}

/** The compile options that are the same for every input. */
export function everywhere(args: TtStepArgs, io: Io): Always {
  return {
    verifyEach: args.verifyEach,
    pessimisticAxisInfo: args.pessimisticAxisInfo,
    preferTmem16x256: isOn(io, PREFER_TMEM_16X256),
  };
}
/** The passes that run: those that the arguments name, up to the last whose result is shown. */
export function shownRange(pipeline: readonly PipelineStep[], args: TtStepArgs): ReturnType<typeof pipelineRange> {
  const range = pipelineRange(pipeline, args);
  if ("error" in range) return { error: withHint(range.error, "--list") };
  const last = Math.min(range.stopAfter ?? pipeline.length, lastShown(pipeline, args) ?? pipeline.length);
  return last === pipeline.length ? range : { ...range, stopAfter: last };
}

/** The last pass whose result is asked for, where no more than single results are: the passes after it need not run. */
function lastShown(pipeline: readonly PipelineStep[], args: TtStepArgs): number | undefined {
  const { printAfter, emit } = args;
  if (!asksForSingleResults(args)) return undefined;
  const lasts = printAfter.map((spec) => (spec === "0" ? 0 : positionOf(pipeline, spec)));
  if (emit !== undefined) {
    const stage = emittedStage(args);
    lasts.push(stage && pipeline.findLastIndex((step) => step.stage === stage) + 1);
  }
  return lasts.every((last) => last !== undefined) ? Math.max(...lasts) : undefined;
}

/** Whether the modules after some passes are all that is asked for. */
function asksForSingleResults(args: TtStepArgs): boolean {
  const rest: TtStepArgs = { ...args, printAfter: [], emit: undefined };
  return (args.printAfter.length > 0 || args.emit !== undefined) && !needsTexts(rest) && !rest.list && !rest.ptxasReport;
}
