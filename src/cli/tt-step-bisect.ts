/**
 * `tt-step bisect INPUT 'PREDICATE'`: the first pass after which a predicate no longer is what it was for the source.
 *
 *     tt-step bisect k.ttir 'count(ttg.convert_layout) > 2'
 *     tt-step bisect k.ttir 'has(ttg.async_wait) && !text("vec = 8")'
 *     tt-step bisect k.ttir results
 */

import { type ValidateOptions, Validator } from "../simulate/validate.js";
import type { Work } from "../support/slices.js";
import { readStep } from "../trace/step-module.js";
import { runName, type Trace } from "../trace/trace.js";
import { EXIT, type Io, watched } from "./io.js";
import { TT_STEP } from "./options/step.js";
import { parsePredicate } from "./predicate.js";
import type { SimulationArgs } from "./simulation-args.js";
import { type LineOf, stepArgs, withoutEffect } from "./tt-step-args.js";
import { tracing, translatorFor } from "./tt-step-compile.js";
import { readInput } from "./tt-step-input.js";
import { deliver, refuse, usage } from "./tt-step-output.js";
import type { Shown } from "./tt-step-show.js";
import { namesOfInput, validationOptions } from "./tt-step-validate.js";
import { noteUseless } from "./useless-options.js";

/** `tt-step bisect INPUT PREDICATE`. */
export async function bisectMain({ words, values, written }: LineOf<"bisect">, io: Io): Promise<number> {
  const [path, predicate, more] = words;
  if (path === undefined || predicate === undefined || more !== undefined)
    return usage(io, "bisect expects an input file and a predicate, as 'count(ttg.convert_layout) > 2'. Try: tt-step bisect --help");
  const args = stepArgs({ ...values, printAfterChange: true }, written, path, (input) => ["bisect", input, predicate]);
  if ("error" in args) return usage(io, args.error);
  const input = readInput(path, io, args);
  if (input.kind === "error") return refuse(input, io);
  const unused = withoutEffect(input, path, args);
  if (unused !== undefined) return usage(io, unused);
  noteUseless(input, args, io, { table: TT_STEP.commands.bisect.options });
  const names = namesOfInput(input);
  const { value: made, interrupted } = await watched(tracing(input, args, io, await translatorFor(args)), io);
  if ("error" in made) return usage(io, made.error, interrupted ? EXIT.interrupted : EXIT.badInput);
  const { value: found } = await watched(bisect(made.trace, path, names, predicate, args.simulation, io), io);
  return "error" in found ? usage(io, found.error) : Math.max(deliver(found.text, args, io), found.code);
}

/** Finds the pass, and says what the predicate was before and after. */
export function* bisect(
  trace: Trace,
  name: string,
  names: readonly string[] | undefined,
  predicate: string,
  args: SimulationArgs,
  io: Io,
): Work<Shown | { readonly error: string }> {
  const term = parsePredicate(predicate);
  if ("error" in term) return term;
  const options: ValidateOptions | { readonly error: string } = /\bresults\b/.test(predicate)
    ? validationOptions(trace, name, names, args, io)
    : {};
  if ("error" in options) return options;
  const validator = new Validator(options);
  let before: number | boolean | undefined;
  for (const [done, step] of trace.steps.entries()) {
    if (yield { what: "bisect", done, of: trace.steps.length })
      return { text: `interrupted: ${predicate} is ${String(before)} before ${step.label} ${step.flag}\n`, code: EXIT.interrupted };
    if (step.kind === "internal" || step.parent !== undefined || !step.known || (step.kind !== "source" && !step.changed)) continue;
    const { module, problem } = readStep(trace, step);
    if (!module || problem !== undefined) break;
    const pass = runName(step);
    const results = (): boolean => {
      const { length } = validator.outcome.broken;
      if (step.kind === "source") validator.begin(module);
      else validator.check(pass, module);
      return validator.outcome.broken.length === length;
    };
    const value = term.term({ text: trace.lines.textOf(step.text), module, results });
    if (before === undefined) before = value;
    else if (value !== before)
      return { text: `${step.label} ${pass}: ${predicate} is ${String(value)} after it, ${String(before)} before\n`, code: 0 };
  }
  return { text: `no pass changes ${predicate}: it is ${String(before)} throughout\n`, code: 1 };
}
