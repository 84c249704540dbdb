/** How `tt-step` compiles its input. */

import type { ArtifactKind, Translate } from "../backend/backend.js";
import type { TargetOptions } from "../backend/targets.js";
import { compiling, sourceFor } from "../compile/compile-source.js";
import { assembles } from "../gpu/gpu.js";
import type { Always, Compilation, CompileRequest } from "../library/compile.js";
import { insertedText, pipelineOf, pipelineRange, positionOf, settingsOf } from "../library/pipeline.js";
import type { Source } from "../library/sources.js";
import { isOn } from "../support/environment.js";
import { finished, type Work } from "../support/slices.js";
import type { PipelineStep, Stage } from "../trace/stage.js";
import type { Trace } from "../trace/trace.js";
import { type Io, PREFER_TMEM_16X256 } from "./io.js";
import { withHint } from "./options/option.js";
import type { TtStepArgs } from "./tt-step-args.js";
import { isMachineCode } from "./tt-step-show.js";

/** The trace of an input's compilation, imported or run here; or why there is none. Diagnostics are printed. */
export function traceOf(...args: Parameters<typeof tracing>): Made | { readonly error: string } {
  return finished(tracing(...args));
}
export interface Made {
  readonly trace: Trace;
  readonly compiled?: Compilation;
  readonly emitted?: string;
}

/** Loads what makes the artifacts that are asked for. */
export const translatorFor = async (args: TtStepArgs): Promise<Translate<TargetOptions> | undefined> =>
  artifacts(args).length > 0 ? (await import("../backend/translate.js")).artifactsOf : undefined;

/** `traceOf`, pass by pass. */
export function* tracing(
  input: Source,
  args: TtStepArgs,
  io: Io,
  translate: Translate<TargetOptions> | undefined,
): Work<Made | { readonly error: string }> {
  if (input.kind === "imported") return { trace: input.trace };
  // Read again where an earlier compilation has changed the module: it says which passes come first.
  const source = sourceFor(input, {});
  if (source.kind === "error") return { error: source.message ?? source.rendered! };
  const settings = settingsOf(source, args);
  const pipeline = pipelineOf(settings);
  const range = shownRange(pipeline, args);
  if ("error" in range) return range;
  const moduleOnly = asksForModule(pipeline, args);
  const texts = needsTexts(args) && !moduleOnly;
  const made = artifacts(args, assembles(settings.target) === "llir");
  const request: CompileRequest = {
    ...asked(range),
    ...everywhere(args, io),
    // The subject of `--why` or `--layout` is read back from the text.
    debugInfo: args.debugInfo && args.why === undefined && args.layout === undefined && !args.axisInfo,
    record: texts ? "texts" : args.list || (made.length === 0 && !moduleOnly) ? "list" : "nothing",
    artifacts: made,
    ...(args.times ? { clock: io.clock } : {}),
  };
  const run = compiling(source, request, translate);
  let next = run.next();
  for (; !next.done; next = run.next()) {
    const { done, total: of } = next.value;
    if (yield { what: "compile", done, of }) return { error: `interrupted after ${done} of ${of} passes` };
  }
  const compiled = next.value;
  if (compiled.kind === "error") return { error: compiled.message ?? compiled.rendered! };
  io.stderr.write(compiled.rendered);
  const { trace } = compiled;
  if (!moduleOnly || !compiled.ok) return { trace, compiled };
  const { ttir, ttgir, llvmDialect } = compiled.artifacts;
  return { trace, compiled, emitted: (llvmDialect ?? ttgir ?? ttir)! };
}

/** The passes to run, for `compile`. */
export function asked({
  startAfter,
  stopAfter,
  disabled,
  inserted,
}: Exclude<ReturnType<typeof shownRange>, { readonly error: string }>): CompileRequest {
  return {
    ...(startAfter === undefined ? {} : { startAfter: String(startAfter) }),
    ...(stopAfter === undefined ? {} : { until: String(stopAfter) }),
    disable: [...disabled].map(String),
    insert: inserted.map(insertedText),
  };
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
function artifacts(
  { emit, llc, ptxasReport, validate, codegen, findings, against, tui }: TtStepArgs,
  isAmd = false,
): readonly ArtifactKind[] {
  const compares = against !== undefined && (codegen || tui);
  const ptx = validate || emit === "ptx" || emit === "cubin" || ptxasReport || findings || compares;
  const amdCode = emit === "amdgcn" || emit === "hsaco" || (isAmd && (ptxasReport || findings || codegen));
  const text: readonly ArtifactKind[] = emit === "llir" || (ptx && llc) || amdCode ? ["llir"] : ptx ? ["ptx"] : [];
  return codegen || findings || against !== undefined ? [...text, "instructions"] : text;
}

/** Whether more is asked of the steps than a list. */
function needsTexts(args: TtStepArgs): boolean {
  const {
    printAfter,
    printAfterAll,
    printAfterChange,
    diff,
    against,
    json,
    reproducer,
    why,
    layout,
    axisInfo,
    validate,
    codegen,
    findings,
  } = args;
  const emit = args.emit === "llir" || args.emit === "ptx" || isMachineCode(args.emit) ? undefined : args.emit;
  return (
    validate ||
    codegen ||
    axisInfo ||
    findings ||
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
    preferTmem16x256: isOn(io.env[PREFER_TMEM_16X256]),
  };
}
/** The passes that run: those that the arguments name, up to the last whose result is shown. */
export function shownRange(pipeline: ReturnType<typeof pipelineOf>, args: TtStepArgs): ReturnType<typeof pipelineRange> {
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
