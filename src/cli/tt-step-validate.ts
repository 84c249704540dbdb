/** `tt-step --validate`: executes the IR after every pass that changed it, on the same memory. */
import type { Step, Trace } from "../compile/trace.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { sharedBytesOf } from "../simulate/llvm/translate.js";
import { isExecutable, type Validation, Validator, validationText } from "../simulate/validate.js";
import { parseModule } from "../syntax/parse.js";
import type { Io } from "./io.js";
import { type SimulationArgs, simulationOptions } from "./simulation-args.js";
import type { Shown } from "./tt-step-show.js";

/** Executes the steps of a Trace, compiled here or imported. */
export function validateTrace(trace: Trace, name: string, args: SimulationArgs, io: Io): Shown | { readonly error: string } {
  const options = simulationOptions(name, args, io);
  if ("error" in options) return options;
  const validator = new Validator({ ...options, ...capabilityOf(trace) });
  const [source] = trace.steps;
  const first = source && moduleOfStep(trace, source);
  if (!first || !isExecutable(first)) return { error: `--validate executes TTIR and TTGIR; '${name}' holds no such kernel` };
  validator.begin(first);
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
  return { text: options.report + validationText(validator.outcome), code: exitCode(validator.outcome) };
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
