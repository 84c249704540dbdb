/** Runs our pipeline for the UI, under options that the user changes. */
import { type PassRewrites, RewriteDetails } from "../explain/rewrite-details.js";
import { assembles } from "../gpu/gpu.js";
import { type Compilation, type CompileProgress, type CompileRequest, compiling, sourceFor } from "../library/compile.js";
import { pipelineOf, pipelineRange, type RunStep, settingsOf, stepsToRun } from "../library/pipeline.js";
import { type Rejected, stageOf } from "../library/sources.js";
import type { PipelineStep } from "../library/trace.js";
import { printOperation } from "../syntax/print.js";
import type { CompilerInput, WhatIf } from "./state/state.js";

/** A compilation that goes on with every `next()`. */
export type Run = Generator<CompileProgress, Compilation | Rejected>;

/** The input for other settings: a Python kernel is made again. */
export function inputFor(
  input: Omit<CompilerInput, "text" | "from" | "version"> & { readonly from?: CompilerInput["from"] },
  whatIf: Settings,
): CompilerInput | Rejected {
  const source = sourceFor(input.source, requestOf(whatIf));
  if (source.kind === "error") return source;
  const { module, request, defaults } = source;
  const { version } = settingsOf(source, { options: {}, triton: request.triton });
  const text = defaults ? printOperation(module, { debugInfo: true }) : request.text;
  return { ...input, source, text, version, from: input.from ?? stageOf(module) };
}
type Settings = Pick<WhatIf, "target" | "options" | "triton">;
const requestOf = ({ target, options, triton }: Settings): Pick<CompileRequest, "target" | "options" | "triton"> => ({
  target,
  options,
  ...(triton === undefined ? {} : { triton }),
});

/** Writing the PTX of more ops than this would be felt; it is made when somebody looks at it (`second-thread.ts`). */
const MAX_OPS_AT_ONCE = 2000;

/** Starts compiling. */
export function start(input: Omit<CompilerInput, "text">, whatIf: WhatIf, clock: () => number, more: CompileRequest = {}): Run {
  const { source, from, version, startAfter, stopAfter } = input;
  return compiling(source, {
    ...requestOf(whatIf),
    triton: version.name,
    from,
    ...(startAfter === undefined ? {} : { startAfter: String(startAfter) }),
    ...(stopAfter === undefined ? {} : { until: String(stopAfter) }),
    disable: whatIf.disabled.map(String),
    insert: whatIf.inserted,
    divisibility: whatIf.divisibility,
    ...whatIf.always,
    artifacts: [assembles(whatIf.target), "instructions"],
    maxArtifactOps: MAX_OPS_AT_ONCE,
    clock,
    ...more,
  });
}

/** Runs the passes up to the `n`th again and reports what that one did, rewrite by rewrite, by the labels of steps. */
export function* rewritesOf(input: CompilerInput, whatIf: WhatIf, n: number, clock: () => number): Generator<void, PassRewriteTable> {
  const ran = runOf(input, whatIf)[n - 1];
  const details = new RewriteDetails(String(n));
  if (!ran) return new Map();
  const watch = (position: number, inserted: number | undefined) =>
    position === ran.position && inserted === ran.inserted ? details : undefined;
  const run = start(input, whatIf, clock, { record: "list", verifyEach: false, until: String(ran.position), watch });
  for (;;) {
    const next = run.next();
    if (next.done) return next.value.kind === "error" ? new Map() : details.take(next.value.idOf);
    yield;
  }
}
export type PassRewriteTable = ReadonlyMap<string, PassRewrites>;

/** The passes that an input goes through. */
type PassRange = Pick<CompilerInput, "from" | "version" | "startAfter" | "stopAfter">;

type PassChoice = Pick<WhatIf, "target" | "options" | "disabled" | "inserted">;

/** The passes that a compilation runs, with their places in the whole pipeline. */
export function runOf(input: PassRange, whatIf: PassChoice): readonly RunStep[] {
  const pipeline = pipelineOf({ ...whatIf, ...input });
  const range = pipelineRange(pipeline, { insertPass: whatIf.inserted });
  // Another target's pipeline may be too short for them: the compilation itself says so.
  const inserted = "error" in range ? [] : range.inserted;
  return stepsToRun(pipeline, { ...input, disabled: new Set(whatIf.disabled), inserted });
}
/** The passes that a compilation will run. */
export function passesOf(input: PassRange, whatIf: PassChoice): readonly PipelineStep[] {
  return runOf(input, whatIf).map(({ step }) => step);
}
