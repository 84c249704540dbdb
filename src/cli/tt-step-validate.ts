/** `tt-step --validate`: executes the IR after every pass that changed it, on the same memory. */

import { kernelOf } from "../dialects/builtin/function-op.js";
import { sourceOf, validating } from "../explain/validate-trace.js";
import { argumentNames } from "../simulate/tensor/arguments.js";
import { RACES } from "../simulate/tensor/findings.js";
import { type Validation, validationText } from "../simulate/validate.js";
import { finished, type Work } from "../support/slices.js";
import type { Trace } from "../trace/trace.js";
import { EXIT, type Io } from "./io.js";
import { type SimulationArgs, type SimulationOptions, simulationOptions } from "./simulation-args.js";
import type { Input } from "./tt-step-ir-input.js";
import type { Shown } from "./tt-step-show.js";

/** Executes the steps of a Trace, compiled here or imported; `names` as `validationOptions` has them. */
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
  const options = validationOptions(trace, name, names, args, io);
  if ("error" in options) return options;
  const outcome = yield* validating(trace, options);
  if (outcome.kind === "error") return { error: outcome.message! };
  return { text: options.report + validationText(outcome), code: exitCode(outcome, args.strict) };
}

/** The options of a validation, checked against the kernel. `names` are those of its arguments where the steps' texts leave them out. */
export function validationOptions(
  trace: Trace,
  name: string,
  names: readonly string[] | undefined,
  args: SimulationArgs,
  io: Io,
): (SimulationOptions & { readonly allPrograms: boolean }) | { readonly error: string } {
  const source = sourceOf(trace);
  if (source.kind === "error") return { error: source.message! };
  const options = simulationOptions(name, args, { module: source.module, names: names ?? source.names }, io);
  return "error" in options ? options : { ...options, allPrograms: args.allPrograms };
}

/** The names of the kernel's arguments in an input that is compiled; to be called before passes change it. */
export function namesOfInput(input: Input): readonly string[] | undefined {
  const kernel = input.kind === "module" ? kernelOf(input.module) : undefined;
  return kernel && input.kind === "module" ? argumentNames(kernel, input.defaults ? "" : input.request.text) : undefined;
}
/** Under `--strict` errors and races of the kernel itself fail, and it is bad input when something was not executed. */
export function exitCode({ broken, notExecuted, findings, leftOut, endedEarly }: Validation, strict = false): number {
  if (endedEarly) return EXIT.interrupted;
  if (broken.length > 0 || (strict && findings.some((f) => (f.severity === "error" && f.kind !== "not-modelled") || RACES.has(f.kind))))
    return EXIT.difference;
  return strict && notExecuted.length + leftOut.results.count > 0 ? EXIT.badInput : EXIT.ok;
}
