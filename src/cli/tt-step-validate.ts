/** `tt-step --validate`: executes the IR after every pass that changed it, on the same memory. */

import { narrowed, targetOf } from "../explain/validate-trace.js";
import type { Operation } from "../ir/operation.js";
import { sharedBytesOf } from "../simulate/llvm/translate.js";
import { argumentNames } from "../simulate/tensor/arguments.js";
import { RACES } from "../simulate/tensor/findings.js";
import { kernelOf } from "../simulate/tensor/run.js";
import { isExecutable, otherKernel, type Validation, Validator, validationText } from "../simulate/validate.js";
import { finished, type Work } from "../support/slices.js";
import { moduleOfStep, readStep } from "../trace/step-module.js";
import type { Trace } from "../trace/trace.js";
import { EXIT, type Io } from "./io.js";
import { type SimulationArgs, simulationOptions } from "./simulation-args.js";
import type { Input } from "./tt-step-input.js";
import type { Shown } from "./tt-step-show.js";

/** Executes the steps of a Trace, compiled here or imported; `names` as `validatorFor` has them. */
export function validateTrace(...args: Parameters<typeof validatingTrace>): Shown | { readonly error: string } {
  return finished(validatingTrace(...args));
}

/** `validateTrace`, step by step. */
export function* validatingTrace(
  trace: Trace,
  name: string,
  names: readonly string[] | undefined,
  args: SimulationArgs,
  io: Io,
): Work<Shown | { readonly error: string }> {
  const first = trace.steps[0] && readStep(trace, trace.steps[0]);
  const later = trace.steps.filter((s) => s.kind !== "source" && s.parent === undefined && s.changed && s.known);
  // The output of a failed pass is not a valid program.
  const failed = later.findIndex((s) => !s.verified);
  const steps = (failed < 0 ? later : later.slice(0, failed)).map((step) => ({
    pass: step.run > 1 ? `${step.flag}#${step.run}` : step.flag,
    read: step.stage === "ptx" ? undefined : readStep(trace, step),
    text: step.text,
  }));
  for (const { pass, read } of steps) {
    const other = first?.module && read?.module && otherKernel(first.module, read.module, pass);
    if (other !== undefined) return { error: other };
  }
  const made = validatorFor(trace, name, names, args, io);
  if ("error" in made) return made;
  const { validator, source, report } = made;
  const problem = first?.problem === undefined ? "" : `: ${first.problem}`;
  if (!source) return { error: `--validate executes TTIR and TTGIR; '${name}' holds no such kernel${problem}` };
  const of = steps.length + (trace.artifacts.ptx === undefined ? 1 : 2);
  let interrupted = (yield { what: "validate", done: 0, of }) === true;
  if (!interrupted) validator.begin(source);
  let sharedBytes: number | undefined;
  let done = 0;
  for (const { pass, read, text } of steps) {
    interrupted ||= (yield { what: "validate", done: ++done, of }) === true;
    if (interrupted) break;
    if (read === undefined) {
      if (pass === "ptx") validator.checkPtx(trace.lines.textOf(text), sharedBytes);
    } else if (read.problem !== undefined) validator.unreadable(pass, read.problem);
    else {
      sharedBytes = sharedBytesOf(read.module) ?? sharedBytes;
      validator.check(pass, read.module);
    }
  }
  interrupted ||= (yield { what: "validate", done: of - 1, of }) === true;
  if (interrupted) {
    const { outcome } = validator;
    const how = `validate: interrupted: ${outcome.passes.length} of ${of - 1} results of passes were executed\n`;
    return { text: report + (outcome.runs > 0 ? validationText(outcome) : "") + how, code: EXIT.interrupted };
  }
  if (trace.artifacts.ptx !== undefined) validator.checkPtx(trace.artifacts.ptx, sharedBytes);
  const outcome = narrowed(validator, trace);
  return { text: report + validationText(outcome), code: exitCode(outcome, args.strict) };
}

/**
 * A validator for the steps of a Trace, with what is stated of its kernel, and the source where that can be executed. `names` are
 * those of the kernel's arguments where the steps' texts leave them out.
 */
export function validatorFor(
  trace: Trace,
  name: string,
  names: readonly string[] | undefined,
  args: SimulationArgs,
  io: Io,
): { readonly validator: Validator; readonly source: Operation | undefined; readonly report: string } | { readonly error: string } {
  const [first] = trace.steps;
  const source = first && moduleOfStep(trace, first);
  if (!source || !isExecutable(source)) return { validator: new Validator(), source: undefined, report: "" };
  const written = argumentNames(kernelOf(source)!, trace.lines.textOf(first.text));
  const options = simulationOptions(name, args, { module: source, names: names ?? written }, io);
  if ("error" in options) return options;
  return {
    validator: new Validator({ ...options, ...targetOf(trace), allPrograms: args.allPrograms }),
    source,
    report: options.report,
  };
}

/** The names of the kernel's arguments in an input that is compiled; to be called before passes change it. */
export function namesOfInput(input: Input): readonly string[] | undefined {
  const kernel = input.kind === "module" ? kernelOf(input.module) : undefined;
  return kernel && input.kind === "module" ? argumentNames(kernel, input.defaults ? "" : input.text) : undefined;
}
/** Under `--strict` races of the kernel itself fail, and it is bad input when something was not executed. */
export function exitCode({ broken, notExecuted, findings }: Validation, strict = false): number {
  if (broken.length > 0 || (strict && findings.some((f) => RACES.has(f.kind)))) return EXIT.difference;
  return strict && notExecuted.length > 0 ? EXIT.badInput : EXIT.ok;
}
