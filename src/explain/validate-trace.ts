/** Executes the IR after every pass that changed it, on the same memory: a pass that changes results is at fault. */

import { defaultOptions, platformOf } from "../backend/targets.js";
import { finishLowering, LOWERING } from "../compile/finish-lowering.js";
import { type Rejected, rejected } from "../compile/source.js";
import { kernelOf } from "../dialects/builtin/function-op.js";
import type { Attribute } from "../ir/attribute.js";
import { fileLoc, positionOfLocation } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import { sharedBytesOf } from "../simulate/llvm/translate.js";
import { argumentNames } from "../simulate/tensor/arguments.js";
import { type Broken, isExecutable, otherKernel, type ValidateOptions, type Validation, Validator } from "../simulate/validate.js";
import { finished, type Work } from "../support/slices.js";
import { tritonOrDefault } from "../support/triton-version.js";
import { readStep } from "../trace/step-module.js";
import { runName, type Step, type Trace } from "../trace/trace.js";

/**
 * Runs the kernel after each pass of a Trace with arguments that are made up, and PTX where the Trace has it. `broken` of the result
 * names the passes that changed what is stored; `notExecuted` the steps that nothing is known of. Rejected where the first step is no
 * kernel of TTIR or TTGIR, or another one later.
 */
export function validate(trace: Trace, options: ValidateOptions = {}): Validation | Rejected {
  return finished(validating(trace, options));
}

/** `validate`, step by step. */
export function* validating(trace: Trace, options: ValidateOptions = {}): Work<Validation | Rejected> {
  const source = sourceOf(trace);
  if (source.kind === "error") return source;
  const later = trace.steps.filter((s) => s.kind !== "source" && s.parent === undefined && s.changed && s.known);
  // The output of a failed pass is not a valid program.
  const failed = later.findIndex((s) => !s.verified);
  const steps = (failed < 0 ? later : later.slice(0, failed)).map((step) => ({
    pass: runName(step),
    read: step.stage === "ptx" ? undefined : readStep(trace, step),
    text: step.text,
  }));
  for (const { pass, read } of steps) {
    const other = read?.module && otherKernel(source.module, read.module, pass);
    if (other !== undefined) return rejected(other);
  }
  const { ptx } = trace.artifacts;
  const tritonIr = steps.filter(({ read }) => read?.module && isExecutable(read.module)).length;
  const results = { tritonIr, lowered: steps.length - tritonIr + (ptx === undefined ? 0 : 1) };
  const validator = new Validator({ target: trace.target, names: source.names, ...options }, results);
  const of = steps.length + (ptx === undefined ? 0 : 1);
  let done = 0;
  const isEnded = function* (): Work<boolean> {
    return (yield { what: "validate", done: done++, of: of + 1 }) === true;
  };
  const ended = (): Validation => ({ ...validator.outcome, endedEarly: { of } });
  if (yield* isEnded()) return ended();
  validator.begin(source.module);
  let sharedBytes: number | undefined;
  for (const { pass, read, text } of steps) {
    if (yield* isEnded()) return ended();
    if (read === undefined) {
      if (pass === "ptx") validator.checkPtx(trace.lines.textOf(text), sharedBytes);
    } else if (read.problem !== undefined) validator.unreadable(pass, read.problem);
    else {
      sharedBytes = sharedBytesOf(read.module) ?? sharedBytes;
      validator.check(pass, read.module);
    }
  }
  if (yield* isEnded()) return ended();
  if (ptx !== undefined) validator.checkPtx(ptx, sharedBytes);
  const { outcome } = validator;
  const broken = outcome.broken.map((b) => (b.hidden ? { ...b, suspects: suspectsOf(b, validator, trace) } : b));
  return { ...outcome, broken };
}

/** The kernel that a Trace begins with, if it can be executed, and the names of its arguments as its text has them. */
export function sourceOf(
  trace: Trace,
): { readonly kind: "source"; readonly module: Operation; readonly names: readonly string[] } | Rejected {
  const [first] = trace.steps;
  const read = first && readStep(trace, first);
  if (!first || !read?.module || read.problem !== undefined || !isExecutable(read.module))
    return rejected(`'${trace.source.name}' holds no kernel in TTIR or TTGIR${read?.problem === undefined ? "" : `: ${read.problem}`}`);
  setSourceLocations(read.module, trace, first);
  return { kind: "source", module: read.module, names: argumentNames(kernelOf(read.module)!, trace.lines.textOf(first.text)) };
}

/** Gives ops that were read back from a step's text their places in the source, so that findings name those. */
function setSourceLocations(module: Operation, { locations: { files, places } }: Trace, { text }: Step): void {
  const { ctx } = module;
  const placeOf = new Map<number, Attribute>();
  for (let i = 0; i < places.length; i += 4) placeOf.set(places[i]!, fileLoc(ctx, files[places[i + 1]!]!, places[i + 2]!, places[i + 3]!));
  module.walk((op) => {
    const line = positionOfLocation(ctx, op.locRef)?.line;
    const place = line === undefined ? undefined : placeOf.get(text.ops[line - 1]!);
    if (place) op.setLoc(place);
  });
}

/**
 * Each step up to the one that differs is lowered by no more passes than it needs, and executed: the difference comes after the last
 * that is right and before the first that is wrong. Where the source itself is wrong so, those passes are at fault.
 */
function suspectsOf({ pass, suspects = [pass] }: Broken, validator: Validator, trace: Trace): readonly string[] {
  if (trace.target === undefined || !platformOf(trace.target)) return suspects;
  const version = tritonOrDefault(trace.triton);
  const target = { target: trace.target, version, options: { ...defaultOptions(trace.target), ...trace.options } };
  const steps = trace.steps.filter((s) => s.parent === undefined && s.known && (s.kind === "source" || s.changed));
  const holds = (at: number): boolean | undefined => {
    const { module, problem } = readStep(trace, steps[at]!);
    const done = new Set(steps.slice(1, at + 1).map((s) => s.flag));
    return module && problem === undefined && finishLowering(module, target, done) ? validator.holds(module) : undefined;
  };
  const source = holds(0);
  let bad = steps.findIndex((s) => runName(s) === pass);
  if (source === undefined || bad < 0) return suspects;
  if (!source) {
    const lowering = suspects.filter((name) => LOWERING.has(name));
    return lowering.length > 0 ? lowering : suspects;
  }
  let good = 0;
  let open = Array.from({ length: Math.max(bad - 1, 0) }, (_, i) => i + 1);
  while (open.length > 0) {
    const middle = open[open.length >> 1]!;
    const right = holds(middle);
    if (right === true) good = middle;
    else if (right === false) bad = middle;
    open = open.filter((i) => i !== middle && i > good && i < bad);
  }
  const found = steps.slice(good + 1, bad + 1).map(runName);
  // Tensor by tensor their results are right, so it may as well be the lowering of what they made.
  return [...found, ...suspects.filter((name) => LOWERING.has(name) && !found.includes(name))];
}
