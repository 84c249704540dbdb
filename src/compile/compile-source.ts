/** Compiles what was read, for a target and with options. */

import type { ArtifactKind } from "../backend/backend.js";
import { type CudaOptions, checkOptions, defaultOptions } from "../backend/nvidia/options.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { CAPABILITIES, capabilityOf, knownCapability } from "../gpu/nvidia.js";
import { stringOf } from "../ir/builtin-attrs.js";
import type { Operation } from "../ir/operation.js";
import { noPassCalled, passCalled } from "../pass/pass-name.js";
import { printOperation } from "../syntax/print.js";
import type { PipelineStep, Stage } from "../trace/stage.js";
import type { Artifacts, Trace } from "../trace/trace.js";
import { type Always, type CompileOptions, type CompileResult, compile, pipelineOf } from "./compile.js";
import { readSource, stageOf } from "./read-source.js";
import { type ModuleSource, type Rejected, rejected, type Source } from "./source.js";

/** The settings of a compilation: from the request, else from the source, else defaults. */
export interface Settings {
  readonly capability: number;
  readonly options: CudaOptions;
  /** The stage of the first pass. */
  readonly from: Stage;
}
/** The settings of a compilation: `asked` comes before what the source says, and that before defaults (`cuda:80`). */
export function settingsOf(
  { module, defaults }: Pick<ModuleSource, "module" | "defaults">,
  asked: { readonly capability?: number | undefined; readonly cuda: Partial<CudaOptions> },
): Settings {
  const capability = asked.capability ?? defaults?.capability ?? targetOf(module) ?? 80;
  return { capability, options: { ...defaultOptions(capability), ...defaults?.cuda, ...asked.cuda }, from: stageOf(module) };
}
/** The compute capability that the module names in `ttg.target`. */
const targetOf = (module: Operation): number | undefined => capabilityOf(stringOf(module.attr("ttg.target")));

/** Why a capability cannot be compiled for. */
export function capabilityProblem(name: string, capability: number): string | undefined {
  if (CAPABILITIES.includes(capability)) return undefined;
  return `'${name}' is for cuda:${capability}, which is not known; known are ${targetNames()}; --target chooses one`;
}
const targetNames = (): string => CAPABILITIES.map((capability) => `cuda:${capability}`).join(", ");

/** Which passes of a pipeline run, by PASS: an index from 1, a flag (its first run), `flag#run`. */
export interface RangeRequest {
  readonly startAfter?: string | undefined;
  readonly stopAfter?: string | undefined;
  readonly disablePass?: readonly string[];
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
  pipeline: readonly PipelineStep[],
  { startAfter, stopAfter, disablePass = [] }: RangeRequest,
): (Pick<CompileOptions, "startAfter" | "stopAfter"> & { readonly disabled: ReadonlySet<number> }) | { readonly error: string } {
  const range: { startAfter?: number; stopAfter?: number; disabled: Set<number> } = { disabled: new Set() };
  for (const spec of [startAfter, stopAfter, ...disablePass])
    if (spec !== undefined && positionOf(pipeline, spec) === undefined) return { error: noPosition(pipeline, spec) };
  if (startAfter !== undefined) range.startAfter = positionOf(pipeline, startAfter)!;
  if (stopAfter !== undefined) range.stopAfter = positionOf(pipeline, stopAfter)!;
  for (const spec of disablePass) range.disabled.add(positionOf(pipeline, spec)!);
  return range;
}

/** The target of a compilation, how far it goes, and the results to keep. */
export interface CompileRequest extends Partial<Always> {
  /** `cuda:90`; by default what the source names, else `cuda:80`. */
  readonly target?: string;
  /** Triton's CUDAOptions in camel case: `{ numWarps: 8 }`. */
  readonly options?: Partial<CudaOptions>;
  /** The last pass that runs: a flag (`tritongpu-coalesce`), `flag#run`, or a position in the pipeline from 1. By default all run. */
  readonly until?: string;
  /** The passes before it, and itself, do not run. */
  readonly startAfter?: string;
  /** Passes to leave out. */
  readonly disable?: readonly string[];
  /** The artifacts to make after the last pass, if all ran; both by default. */
  readonly artifacts?: readonly ArtifactKind[];
  /** How much of each step the Trace keeps: `texts` (the IR after it, rewrites, remarks; default), `list` (whether it changed something), or `nothing`. */
  readonly record?: "texts" | "list" | "nothing";
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
  /** Texts: the IR after the last pass of a stage that ran (of the last stage alone unless `record` is `texts`), LLVM IR, PTX. */
  readonly artifacts: { readonly ttir?: string; readonly ttgir?: string; readonly llvmDialect?: string } & Artifacts;
  readonly diagnostics: readonly Diagnostic[];
}

/** Modules that a compilation has changed: their source is read again. */
const used = new WeakSet<Operation>();

/**
 * Compiles a source; one that was imported is returned as it is. A source can be compiled any number of times, as for several targets:
 * a Python kernel is then made again for each. Options, targets and passes that do not exist are `Rejected`; nothing is thrown.
 */
export function compileSource(source: Source, request: CompileRequest = {}): Compilation | Rejected {
  if (source.kind === "imported")
    return { kind: "compiled", ok: true, trace: source.trace, artifacts: source.trace.artifacts, diagnostics: source.trace.diagnostics };
  const {
    target,
    options = {},
    until,
    startAfter,
    disable = [],
    artifacts = ["llir", "ptx"],
    record = "texts",
    clock,
    ...others
  } = request;
  const capability = target === undefined ? source.request.capability : knownCapability(target);
  if (target !== undefined && capability === undefined) return rejected(`unknown target '${target}'; known are ${targetNames()}`);
  const cuda = { ...source.request.cuda, ...options };
  const isFresh = !used.has(source.module) && (source.defaults === undefined || (target === undefined && request.options === undefined));
  const read = isFresh ? source : readSource({ ...source.request, capability, cuda });
  if (read.kind !== "module") return read.kind === "error" ? read : compileSource(read, request);
  const { name } = source.request;
  const settings = settingsOf(read, { capability, cuda });
  const problem = capabilityProblem(name, settings.capability) ?? checkOptions(settings.options, settings.capability);
  if (problem !== undefined) return rejected(problem);
  const range = pipelineRange(pipelineOf(settings), { startAfter, stopAfter: until, disablePass: disable });
  if ("error" in range) return rejected(range.error);
  const { module } = read;
  used.add(module);
  const { trace, ok, failed } = compile(name, module, {
    ...others,
    ...settings,
    ...range,
    artifacts,
    texts: record === "texts",
    remarks: record === "texts",
    steps: record !== "nothing",
    clock: clock ?? (() => 0),
  });
  const timed = clock ? trace : { ...trace, steps: trace.steps.map((step) => ({ ...step, ms: undefined })) };
  return {
    kind: "compiled",
    ok,
    ...(failed ? { failed } : {}),
    trace: timed,
    artifacts: { ...stageTexts(trace, module, record), ...trace.artifacts },
    diagnostics: trace.diagnostics,
  };
}

/** The IR at the end of each stage, as far as steps were recorded; without steps the module as it is now. */
function stageTexts(trace: Trace, module: Operation, record: CompileRequest["record"]): Omit<Compilation["artifacts"], keyof Artifacts> {
  const texts: { ttir?: string; ttgir?: string; llvmDialect?: string } = {};
  const keys = { ttir: "ttir", ttgir: "ttgir", llir: "llvmDialect" } as const;
  if (record !== "texts") {
    const last = { ttir: "ttir", llir: "ttgir", ptx: "llvmDialect", ttgir: "ttgir" } as const;
    texts[last[stageOf(module)]] = printOperation(module);
    return texts;
  }
  for (const step of trace.steps)
    if (step.parent === undefined && step.kind !== "internal" && step.stage !== "ptx" && step.verified)
      texts[keys[step.stage]] = trace.lines.textOf(step.text);
  return texts;
}
