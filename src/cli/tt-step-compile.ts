/** How `tt-step` compiles its input. */

import type { ArtifactKind } from "../backend/backend.js";
import { type CudaOptions, defaultOptions } from "../backend/nvidia/options.js";
import { type Always, type CompileResult, compile, pipelineOf } from "../compile/compile.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import { CAPABILITIES, capabilityOf } from "../gpu/nvidia.js";
import { stringOf } from "../ir/builtin-attrs.js";
import type { Operation } from "../ir/operation.js";
import { noPassCalled, passCalled } from "../pass/pass-name.js";
import { printOperation } from "../syntax/print.js";
import type { PipelineStep, Stage } from "../trace/stage.js";
import type { Trace } from "../trace/trace.js";
import { type Io, isOn, PREFER_TMEM_16X256 } from "./io.js";
import { withHint } from "./options/option.js";
import type { TtStepArgs } from "./tt-step-args.js";
import { type Input, stageOf } from "./tt-step-input.js";

/** What an input's compilation is: imported, or run here; or why it cannot be. Diagnostics are printed. */
export function traceOf(
  input: Exclude<Input, { readonly kind: "error" }>,
  name: string,
  args: TtStepArgs,
  io: Io,
): { readonly trace: Trace; readonly result?: CompileResult; readonly emitted?: string } | { readonly error: string } {
  if (input.kind === "imported") return { trace: input.trace };
  const { module } = input;
  const options = settings(input, args);
  if (!CAPABILITIES.includes(options.capability)) {
    const known = CAPABILITIES.map((capability) => `cuda:${capability}`).join(", ");
    return { error: `'${name}' is for cuda:${options.capability}, which is not known; known are ${known}; --target chooses one` };
  }
  const pipeline = pipelineOf(options);
  const range = pipelineRange(pipeline, args);
  if ("error" in range) return range;
  const moduleOnly = asksForModule(pipeline, args);
  const texts = needsTexts(args) && !moduleOnly;
  const made = artifacts(args);
  const result = compile(name, module, {
    ...options,
    ...range,
    ...everywhere(args, io),
    // What is asked about is read back from the text.
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

/** What is to be made behind the last pass. */
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

/** What an input is compiled for, by the arguments and the input itself. */
export function settings(
  { module, defaults }: Pick<Extract<Input, { readonly kind: "module" }>, "module" | "defaults">,
  args: TtStepArgs,
): { readonly capability: number; readonly options: CudaOptions; readonly from: Stage } {
  const capability = args.capability ?? defaults?.capability ?? targetOf(module) ?? 80;
  return { capability, options: { ...defaultOptions(capability), ...defaults?.cuda, ...args.cuda }, from: stageOf(module) };
}
/** What holds for whatever is compiled. */
export function everywhere(args: TtStepArgs, io: Io): Always {
  return {
    verifyEach: args.verifyEach,
    pessimisticAxisInfo: args.pessimisticAxisInfo,
    preferTmem16x256: isOn(io, PREFER_TMEM_16X256),
  };
}
/** The compute capability that the module names in `ttg.target`. */
const targetOf = (module: Operation): number | undefined => capabilityOf(stringOf(module.attr("ttg.target")));

/** The range and omissions that the arguments name, as positions in the pipeline. */
export function pipelineRange(
  pipeline: readonly PipelineStep[],
  args: TtStepArgs,
): { readonly startAfter?: number; readonly stopAfter?: number; readonly disabled: ReadonlySet<number> } | { readonly error: string } {
  const flags = new Set(pipeline.map((s) => s.flag));
  const position = (spec: string): number | undefined => {
    if (/^\d+$/.test(spec)) return Number(spec) <= pipeline.length ? Number(spec) : undefined;
    const [name = "", run = "1"] = spec.split("#");
    const flag = passCalled(name, flags);
    const runs = pipeline.flatMap((s, i) => (s.flag === flag ? [i + 1] : []));
    return runs[Number(run) - 1];
  };
  const unknown = (spec: string) => {
    const [name = ""] = spec.split("#");
    const flag = /^\d+$/.test(name) ? name : passCalled(name, flags);
    const problem = flag === undefined ? noPassCalled(name, flags) : `pass '${spec}' is not in this pipeline`;
    return { error: withHint(problem, "--list") };
  };
  const range: { startAfter?: number; stopAfter?: number; disabled: Set<number> } = { disabled: new Set() };
  for (const key of ["startAfter", "stopAfter"] as const) {
    const spec = args[key];
    if (spec === undefined) continue;
    const at = position(spec);
    if (at === undefined) return unknown(spec);
    range[key] = at;
  }
  for (const spec of args.disablePass) {
    const at = position(spec);
    if (at === undefined) return unknown(spec);
    range.disabled.add(at);
  }
  const last = Math.min(range.stopAfter ?? pipeline.length, lastShown(pipeline, args, position) ?? pipeline.length);
  return last === pipeline.length ? range : { ...range, stopAfter: last };
}

/** The last pass whose result is asked for, where no more than single results are: the passes behind it need not run. */
function lastShown(
  pipeline: readonly PipelineStep[],
  args: TtStepArgs,
  position: (spec: string) => number | undefined,
): number | undefined {
  const { printAfter, emit } = args;
  if (!asksForSingleResults(args)) return undefined;
  const lasts = printAfter.map((spec) => (spec === "0" ? 0 : position(spec)));
  if (emit !== undefined) {
    const stage = emittedStage(args);
    lasts.push(stage && pipeline.findLastIndex((step) => step.stage === stage) + 1);
  }
  return lasts.every((last) => last !== undefined) ? Math.max(...lasts) : undefined;
}

/** Whether the modules behind some passes are all that is asked for. */
function asksForSingleResults(args: TtStepArgs): boolean {
  const rest: TtStepArgs = { ...args, printAfter: [], emit: undefined };
  return (args.printAfter.length > 0 || args.emit !== undefined) && !needsTexts(rest) && !rest.list && !rest.ptxasReport;
}
