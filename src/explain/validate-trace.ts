/** Executes the IR after every pass that changed it, on the same memory: a pass that changes results is at fault. */

import { defaultOptions } from "../backend/nvidia/options.js";
import { finishLowering, LOWERING } from "../compile/finish-lowering.js";
import { capabilityOf } from "../gpu/nvidia.js";
import { sharedBytesOf } from "../simulate/llvm/translate.js";
import { type Broken, isExecutable, otherKernel, type ValidateOptions, type Validation, Validator } from "../simulate/validate.js";
import { moduleOfStep, readStep } from "../trace/step-module.js";
import type { Step, Trace } from "../trace/trace.js";

/**
 * Runs the kernel after each pass of a Trace with arguments that are made up, and PTX where the Trace has it. `broken` of the result
 * names the passes that changed what is stored; `notExecuted` the steps that nothing is known of. An error where the first step is no
 * kernel of TTIR or TTGIR.
 */
export function validate(trace: Trace, options: ValidateOptions = {}): Validation | { readonly error: string } {
  const first = trace.steps[0] && readStep(trace, trace.steps[0]);
  if (!first?.module || !isExecutable(first.module)) return { error: first?.problem ?? "the source is no kernel of TTIR or TTGIR" };
  const validator = new Validator({ ...targetOf(trace), ...options });
  validator.begin(first.module);
  let sharedBytes: number | undefined;
  for (const step of trace.steps) {
    if (!step.verified) break;
    if (step.kind === "source" || step.parent !== undefined || !step.changed || !step.known) continue;
    const pass = step.run > 1 ? `${step.flag}#${step.run}` : step.flag;
    if (step.stage === "ptx") {
      if (pass === "ptx") validator.checkPtx(trace.lines.textOf(step.text), sharedBytes);
      continue;
    }
    const { module, problem } = readStep(trace, step);
    const other = module && otherKernel(first.module, module, pass);
    if (other !== undefined) return { error: other };
    if (problem !== undefined) validator.unreadable(pass, problem);
    else {
      sharedBytes = sharedBytesOf(module) ?? sharedBytes;
      validator.check(pass, module);
    }
  }
  if (trace.artifacts.ptx !== undefined) validator.checkPtx(trace.artifacts.ptx, sharedBytes);
  return narrowed(validator, trace);
}

/** The outcome, with the passes named that a difference seen first in lowered code comes from. */
export function narrowed(validator: Validator, trace: Trace): Validation {
  const { outcome } = validator;
  const broken = outcome.broken.map((b) => (b.hidden ? { ...b, suspects: suspectsOf(b, validator, trace) } : b));
  return { ...outcome, broken };
}

/**
 * Each step up to the one that differs is lowered by no more passes than it needs, and executed: the difference comes after the last
 * that is right and before the first that is wrong. Where the source itself is wrong so, those passes are at fault.
 */
function suspectsOf({ pass, suspects = [pass] }: Broken, validator: Validator, trace: Trace): readonly string[] {
  const { capability } = targetOf(trace);
  if (capability === undefined) return suspects;
  const target = { capability, options: { ...defaultOptions(capability), ...trace.options } };
  const steps = trace.steps.filter((s) => s.parent === undefined && s.known && (s.kind === "source" || s.changed));
  const nameOf = (step: Step) => (step.run > 1 ? `${step.flag}#${step.run}` : step.flag);
  const holds = (at: number): boolean | undefined => {
    const module = moduleOfStep(trace, steps[at]!);
    const done = new Set(steps.slice(1, at + 1).map((s) => s.flag));
    return module && finishLowering(module, target, done) ? validator.holds(module) : undefined;
  };
  const source = holds(0);
  let bad = steps.findIndex((s) => nameOf(s) === pass);
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
  const found = steps.slice(good + 1, bad + 1).map(nameOf);
  // Tensor by tensor their results are right, so it may as well be the lowering of what they made.
  return [...found, ...suspects.filter((name) => LOWERING.has(name) && !found.includes(name))];
}

/** The target that a Trace is made for. */
export function targetOf({ target }: Trace): { readonly capability?: number } {
  const capability = capabilityOf(target);
  return capability === undefined ? {} : { capability };
}
