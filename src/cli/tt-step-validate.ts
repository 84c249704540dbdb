/** `tt-step --validate`: executes the IR after every pass that changed it, on the same memory. */
import type { Step, Trace } from "../compile/trace.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { sharedBytesOf } from "../simulate/llvm/translate.js";
import { argumentNames } from "../simulate/tensor/arguments.js";
import { kernelOf } from "../simulate/tensor/run.js";
import { isExecutable, type Validation, Validator, validationText } from "../simulate/validate.js";
import { parseModule } from "../syntax/parse.js";
import type { Io } from "./io.js";
import { readSimulationArgs, type SimulationArgs, simulationOptions } from "./simulation-args.js";
import type { Input } from "./tt-step-input.js";
import type { Shown } from "./tt-step-show.js";

/** Executes the steps of a Trace, compiled here or imported; `names` as `validatorFor` has them. */
export function validateTrace(
  trace: Trace,
  name: string,
  names: readonly string[] | undefined,
  args: SimulationArgs,
  io: Io,
): Shown | { readonly error: string } {
  const made = validatorFor(trace, name, names, args, io);
  if ("error" in made) return made;
  const { validator, source, report } = made;
  if (!source) return { error: `--validate executes TTIR and TTGIR; '${name}' holds no such kernel` };
  validator.begin(source);
  let sharedBytes: number | undefined;
  for (const step of trace.steps) {
    if (step.kind === "source" || step.parent !== undefined || !step.changed || !step.known) continue;
    // What a pass that failed left behind is no program.
    if (!step.verified) break;
    if (step.stage === "ptx") {
      if (step.flag === "ptx") validator.checkPtx(trace.lines.textOf(step.text), sharedBytes);
      continue;
    }
    const module = moduleOfStep(trace, step);
    if (!module) break;
    sharedBytes = sharedBytesOf(module) ?? sharedBytes;
    validator.check(step.run > 1 ? `${step.flag}#${step.run}` : step.flag, module);
  }
  if (trace.artifacts.ptx !== undefined) validator.checkPtx(trace.artifacts.ptx, sharedBytes);
  return { text: report + validationText(validator.outcome), code: exitCode(validator.outcome) };
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
  const read = readSimulationArgs(args);
  if ("error" in read) return read;
  const [first] = trace.steps;
  const source = first && moduleOfStep(trace, first);
  if (!source || !isExecutable(source)) return { validator: new Validator(), source: undefined, report: "" };
  const written = argumentNames(kernelOf(source)!, trace.lines.textOf(first.text));
  const options = simulationOptions(name, args, { module: source, names: names ?? written }, io);
  if ("error" in options) return options;
  return { validator: new Validator({ ...options, ...capabilityOf(trace) }), source, report: options.report };
}

/** The names of the kernel's arguments in an input that is compiled; to be called before passes change it. */
export function namesOfInput(input: Input): readonly string[] | undefined {
  const kernel = input.kind === "module" ? kernelOf(input.module) : undefined;
  return kernel && input.kind === "module" ? argumentNames(kernel, input.defaults ? "" : input.text) : undefined;
}
export const exitCode = ({ broken }: Validation): number => (broken.length > 0 ? 1 : 0);

/** The target that a Trace is made for. */
export function capabilityOf({ target }: Trace): { readonly capability?: number } {
  const found = /^cuda:(\d+)$/.exec(target ?? "");
  return found ? { capability: Number(found[1]) } : {};
}

/** The IR after a step, read again; its ops are at lines of that text. */
export function moduleOfStep(trace: Trace, step: Step): Operation | undefined {
  return parseModule(new Context(ALL_DIALECTS), `<after ${step.flag}>`, trace.lines.textOf(step.text))?.module;
}
