/** Compiles what was read, for a target and with options. */

import type { ArtifactKind, BackendStep, Translate } from "../backend/backend.js";
import {
  checkOptions,
  DEFAULT_TARGET,
  defaultOptions,
  optionsOfEnvironment,
  platformOf,
  TARGETS,
  type TargetOptions,
  targetCalled,
  unknownTarget,
  versionProblem,
} from "../backend/targets.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import { stringOf } from "../ir/builtin-attrs.js";
import type { Operation } from "../ir/operation.js";
import { optionsText, stepText } from "../pass/define-pass.js";
import { noPassCalled, passCalled } from "../pass/pass-name.js";
import { parsePipeline } from "../pass/pipeline-text.js";
import { PASSES } from "../passes/index.js";
import { finished } from "../support/slices.js";
import { type TritonVersion, tritonCalled, tritonOrDefault, unknownTriton } from "../support/triton-version.js";
import { printOperation } from "../syntax/print.js";
import type { StepText } from "../trace/line-table.js";
import type { PipelineStep, Stage } from "../trace/stage.js";
import type { Artifacts, Trace } from "../trace/trace.js";
import {
  type Always,
  type CompileOptions,
  type CompileProgress,
  type CompileResult,
  compileSteps,
  type InsertedStep,
  pipelineOf,
} from "./compile.js";
import { type Divisibility, setDivisibility } from "./divisibility.js";
import { stageOf } from "./read-ir.js";
import { type ModuleSource, type Rejected, rejected, type Source } from "./source.js";

/** The settings of a compilation. */
export interface Settings {
  readonly target: string;
  readonly options: TargetOptions;
  readonly version: TritonVersion;
  /** The stage of the first pass. */
  readonly from: Stage;
}
/** The settings of a compilation: `asked` comes before what the source says, and that before defaults (`cuda:80`). */
export function settingsOf(
  { module, defaults, request: { environment = {} } }: Pick<ModuleSource, "module" | "defaults" | "request">,
  asked: { readonly target?: string | undefined; readonly options: Partial<TargetOptions>; readonly triton?: string | undefined },
): Settings {
  const target = asked.target ?? defaults?.target ?? targetOf(module) ?? DEFAULT_TARGET;
  const triton = asked.triton ?? defaults?.triton;
  const version = tritonOrDefault(triton);
  const options = { ...defaultOptions(target), ...optionsOfEnvironment(environment, target), ...defaults?.options, ...asked.options };
  return { target, version, options, from: stageOf(module) };
}
/** The target that the module names in `ttg.target`. */
function targetOf(module: Operation): string | undefined {
  const name = stringOf(module.attr("ttg.target"));
  return name !== undefined && platformOf(name) ? name : undefined;
}

/** A warning if earlier passes made the module for another target. */
function targetWarning(module: Operation, target: string): string | undefined {
  const own = targetOf(module);
  if (own === undefined || own === target) return undefined;
  return `the module says ttg.target = "${own}" and is compiled for ${target}: layouts and instructions that earlier passes chose are ${own}'s`;
}

/** Why a target cannot be compiled for. */
function targetProblem(name: string, target: string): string | undefined {
  if (TARGETS.includes(target)) return undefined;
  return `'${name}' is for ${target}, which is not known; known are ${TARGETS.join(", ")}; --target chooses one`;
}

/** Which passes of a pipeline run, by PASS: an index from 1, a flag (its first run), `flag#run`. */
export interface RangeRequest {
  readonly startAfter?: string | undefined;
  readonly stopAfter?: string | undefined;
  readonly disablePass?: readonly string[];
  /** Passes to run where the pipeline has them not: `coalesce:cse`, `12:canonicalize{top-down=false}` after a pass (0: before all). */
  readonly insertPass?: readonly string[];
}

/** The position of a pass, from 1; undefined where the pipeline has none of that name. */
export function positionOf(pipeline: readonly PipelineStep[], spec: string): number | undefined {
  if (/^\d+$/.test(spec)) return Number(spec) <= pipeline.length ? Number(spec) : undefined;
  const [name = "", run = "1"] = spec.split("#");
  const flag = passCalled(name, flagsOf(pipeline));
  const runs = pipeline.flatMap((s, i) => (s.flag === flag ? [i + 1] : []));
  return runs[Number(run) - 1];
}
const flagsOf = (pipeline: readonly PipelineStep[]): ReadonlySet<string> => new Set(pipeline.map((s) => s.flag));

function noPosition(pipeline: readonly PipelineStep[], spec: string): string {
  const [name = ""] = spec.split("#");
  const isPass = /^\d+$/.test(name) || passCalled(name, flagsOf(pipeline)) !== undefined;
  return isPass ? `pass '${spec}' is not in this pipeline` : noPassCalled(name, flagsOf(pipeline));
}

/** The range and omissions as positions in the pipeline. */
export function pipelineRange(
  pipeline: readonly BackendStep[],
  { startAfter, stopAfter, disablePass = [], insertPass = [] }: RangeRequest,
):
  | (Pick<CompileOptions, "startAfter" | "stopAfter"> & Required<Pick<CompileOptions, "disabled" | "inserted">>)
  | { readonly error: string } {
  const inserted: InsertedStep[] = [];
  for (const spec of insertPass) {
    const step = insertedStep(pipeline, spec);
    if ("error" in step) return step;
    inserted.push(step);
  }
  const range: { startAfter?: number; stopAfter?: number; disabled: Set<number>; inserted: readonly InsertedStep[] } = {
    disabled: new Set(),
    inserted,
  };
  for (const spec of [startAfter, stopAfter, ...disablePass])
    if (spec !== undefined && positionOf(pipeline, spec) === undefined) return { error: noPosition(pipeline, spec) };
  if (startAfter !== undefined) range.startAfter = positionOf(pipeline, startAfter)!;
  if (stopAfter !== undefined) range.stopAfter = positionOf(pipeline, stopAfter)!;
  for (const spec of disablePass) range.disabled.add(positionOf(pipeline, spec)!);
  return range;
}

/** `coalesce:cse` as a step: it belongs to the stage of the pass before it. */
export function insertedStep(pipeline: readonly BackendStep[], spec: string): InsertedStep | { readonly error: string } {
  const [, place = "", text = ""] = /^([^:]*):(.*)$/s.exec(spec) ?? [];
  if (text === "") return { error: `expected PASS:PASS, a pass and what runs after it, but got '${spec}'` };
  const after = place === "0" ? 0 : positionOf(pipeline, place);
  if (after === undefined) return { error: noPosition(pipeline, place) };
  const flags = [...PASSES.values()].filter(({ testOnly }) => !testOnly).map(({ flag }) => flag);
  const parsed = parsePipeline(text, (name) => PASSES.get(passCalled(name, flags) ?? name));
  if ("error" in parsed) {
    const [name = ""] = text.split(/[{(]/);
    return { error: passCalled(name, flags) === undefined ? noPassCalled(name, flags) : parsed.error };
  }
  const [step, ...more] = parsed.elements;
  if (step?.kind !== "pass" || more.length > 0) return { error: `expected one pass, but got '${text}'` };
  const { pass } = step;
  const near = pipeline[after - 1] ?? pipeline[0];
  if (!near) return { error: `${pass.flag} cannot be put before or after a pass: all passes have run on this IR` };
  return { after, step: { stage: near.stage, flag: pass.flag, pass: pass.name, options: optionsText(step), step } };
}

/** The text of an inserted step: `12:cse`. */
export const insertedText = ({ after, step }: InsertedStep): string => `${after}:${stepText(step.step)}`;

/** The target of a compilation, how far it goes, and the results to keep. */
export interface CompileRequest extends Partial<Always>, Pick<CompileOptions, "maxArtifactOps" | "watch"> {
  /** `cuda:90`; by default what the source names, else `cuda:80`. */
  readonly target?: string;
  /** Triton's CUDAOptions in camel case: `{ numWarps: 8 }`. */
  readonly options?: Partial<TargetOptions>;
  /** The version of Triton that is followed; by default what the source names, else `3.6`. */
  readonly triton?: string;
  /** The last pass that runs: a flag (`tritongpu-coalesce`), `flag#run`, or a position in the pipeline from 1. By default all run. */
  readonly until?: string;
  /** The passes before it, and itself, do not run. */
  readonly startAfter?: string;
  /** Passes to leave out. */
  readonly disable?: readonly string[];
  /** Passes to run where the pipeline has them not: `coalesce:cse` runs cse after coalesce. */
  readonly insert?: readonly string[];
  /** The artifacts to make after the last pass, if all ran; both by default. */
  readonly artifacts?: readonly ArtifactKind[];
  /**
   * How much of each step the Trace keeps: `texts` (the IR after it, rewrites, remarks; default), `ttgir` (the same, without the steps from the
   * lowering to LLVM on), `list` (whether it changed something), or `nothing`.
   */
  readonly record?: "texts" | "ttgir" | "list" | "nothing";
  /** The stage that positions count from, and whose passes come first; by default that of the source's IR. */
  readonly from?: Stage;
  /** Replaces the divisibility of the kernel's arguments. */
  readonly divisibility?: Divisibility;
  /** Keep locations in the steps' texts. `trace.locations` has them either way. */
  readonly debugInfo?: boolean;
  /** Milliseconds, to time passes by; without it no step has a time. */
  readonly clock?: () => number;
}

/** The outcome of `compileSource`. */
export interface Compilation {
  readonly kind: "compiled";
  /** False where a pass failed or its result did not verify; `failed` says which. */
  readonly ok: boolean;
  readonly failed?: CompileResult["failed"];
  readonly trace: Trace;
  /** The id in the Trace of an op that `watch` sees. */
  readonly idOf: CompileResult["idOf"];
  /** Texts: the IR after the last pass of a stage that ran (of the last stage alone unless `record` is `texts`; the LLVM dialect only if it was reached), LLVM IR, PTX. */
  readonly artifacts: { readonly ttir?: string; readonly ttgir?: string; readonly llvmDialect?: string } & Artifacts;
  readonly diagnostics: readonly Diagnostic[];
  /** `diagnostics` as text with excerpts. */
  readonly rendered: string;
}

/** Modules that a compilation has changed: their source is read again. */
const used = new WeakSet<Operation>();

/** `compile` of the library. `translate` makes the artifacts. */
export function compileSource(source: Source, request: CompileRequest, translate?: Translate<TargetOptions>): Compilation | Rejected {
  if (source.kind === "module") return finished(compiling(source, request, translate));
  const { trace } = source;
  return { kind: "compiled", ok: true, trace, idOf: (op) => op, artifacts: trace.artifacts, diagnostics: trace.diagnostics, rendered: "" };
}

/** `compileSource`, halting before each pass. */
export function* compiling(
  source: ModuleSource,
  request: CompileRequest,
  translate: Translate<TargetOptions> | undefined,
): Generator<CompileProgress, Compilation | Rejected> {
  const {
    target,
    options = {},
    triton,
    until,
    startAfter,
    disable = [],
    insert = [],
    artifacts = translate ? ["llir", "ptx"] : [],
    record = "texts",
    from,
    divisibility = [],
    clock,
    ...others
  } = request;
  const problem = typeProblem(request);
  if (problem !== undefined) return rejected(problem);
  const ready = sourceFor(source, { ...(target === undefined ? {} : { target }), options, ...(triton === undefined ? {} : { triton }) });
  if (ready.kind === "error") return ready;
  const { module, request: own } = ready;
  const settings = {
    ...settingsOf(ready, { target: own.target, options: own.options ?? {}, triton: own.triton }),
    ...(from === undefined ? {} : { from }),
  };
  const pipeline = pipelineOf(settings);
  if (pipeline.length === 0 && settings.version.lastStage !== undefined) return rejected(endsBefore(settings.version));
  const range = pipelineRange(pipeline, { startAfter, stopAfter: until, disablePass: disable, insertPass: insert });
  if ("error" in range) return rejected(range.error);
  used.add(module);
  const { partial } = settings.version;
  if (partial !== undefined) module.ctx.emit({ severity: "warning", code: "triton.partial", message: partial, notes: [] });
  const otherTarget = targetWarning(module, settings.target);
  setDivisibility(module, divisibility);
  const {
    trace: made,
    ok,
    failed,
    idOf,
  } = yield* compileSteps(own.name, module, {
    ...others,
    ...settings,
    ...range,
    artifacts,
    translate,
    texts: record !== "list",
    remarks: record !== "list",
    steps: record === "ttgir" ? record : record !== "nothing",
    clock: clock ?? (() => 0),
  });
  const { sources } = module.ctx;
  const trace = otherTarget === undefined ? made : { ...made, warnings: [...made.warnings, otherTarget] };
  return {
    kind: "compiled",
    ok,
    ...(failed ? { failed } : {}),
    idOf,
    trace: clock ? trace : { ...trace, steps: trace.steps.map((step) => ({ ...step, ms: undefined })) },
    artifacts: Object.defineProperties({ ...trace.artifacts }, stageTexts(trace, module, record)),
    diagnostics: trace.diagnostics,
    rendered: trace.diagnostics.map((d) => renderDiagnostic(d, sources)).join(""),
  };
}

const TEXTS = ["target", "triton", "until", "startAfter", "record", "from"] as const;
const LISTS = ["disable", "insert", "artifacts"] as const;
/** The part of a request that has another type, where TypeScript has not checked the program. */
function typeProblem(request: CompileRequest): string | undefined {
  const isText = (value: unknown): boolean => typeof value === "string";
  for (const name of TEXTS) if (request[name] !== undefined && !isText(request[name])) return `${name} is a text`;
  for (const name of LISTS) {
    const list: unknown = request[name] ?? [];
    if (!Array.isArray(list) || !list.every(isText)) return `${name} is a list of texts`;
  }
  return undefined;
}

/** The source for a target and options: as it is, or read again where a compilation has changed its module or it was made for others. */
export function sourceFor(
  source: ModuleSource,
  { target, options, triton = source.request.triton }: Pick<CompileRequest, "target" | "options" | "triton">,
): ModuleSource | Rejected {
  if (triton !== undefined && !tritonCalled(triton)) return rejected(unknownTriton(triton));
  const called = target === undefined ? source.request.target : targetCalled(target);
  if (target !== undefined && called === undefined) return rejected(unknownTarget(target));
  const asked = { target: called, options: { ...source.request.options, ...options }, triton };
  const request = { ...source.request, ...asked };
  const isReady = !used.has(source.module) && (!source.madeFor || isSame(source.madeFor, settingsOf(source, asked)));
  const read = isReady ? { ...source, request } : source.readAgain(request);
  if (read.kind !== "module") return read.kind === "error" ? read : rejected(`'${request.name}' holds no IR to compile`);
  const settings = settingsOf(read, asked);
  const problem =
    targetProblem(request.name, settings.target) ??
    versionProblem(settings.target, settings.version, settings.options) ??
    checkOptions(settings.options, settings.target);
  return problem === undefined ? read : rejected(problem);
}
const endsBefore = ({ name, lastStage }: TritonVersion): string =>
  `Triton ${name} is followed to the end of ${lastStage?.toUpperCase()}, and this input comes after it`;
const isSame = (a: NonNullable<ModuleSource["madeFor"]>, b: Settings): boolean =>
  a.target === b.target && a.version === b.version && JSON.stringify(a.options) === JSON.stringify(b.options);

/** The IR at the end of each stage, as far as steps were recorded; without steps the module as it is now. Printed when it is read. */
function stageTexts(trace: Trace, module: Operation, record: CompileRequest["record"]): PropertyDescriptorMap {
  const texts: PropertyDescriptorMap = {};
  const add = (name: "ttir" | "ttgir" | "llvmDialect", get: () => string): void => {
    texts[name] = { get, enumerable: true, configurable: true };
  };
  if (record === "texts" || record === "ttgir") {
    const names = { ttir: "ttir", ttgir: "ttgir", llir: "llvmDialect" } as const;
    const lasts = new Map<keyof typeof names, StepText>();
    for (const { parent, kind, stage, verified, text } of trace.steps)
      if (parent === undefined && kind !== "internal" && stage !== "ptx" && verified) lasts.set(stage, text);
    // The first passes of the last stage come before the lowering.
    for (const [stage, text] of lasts)
      if (stage !== "llir" || text.lines.some((line) => trace.lines.line(line).includes("llvm.func ")))
        add(names[stage], () => trace.lines.textOf(text));
  } else {
    const last = { ttir: "ttir", llir: "ttgir", ptx: "llvmDialect", ttgir: "ttgir" } as const;
    add(last[stageOf(module)], () => printOperation(module));
  }
  return texts;
}
