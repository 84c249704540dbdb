/**
 * Compiles and validates kernels on request of `run.ts`, in a process of its own: bundled with a fault, or without.
 * With the places of faults as its argument it says which of them a compilation passes.
 */

import { createHash } from "node:crypto";
import type { Session } from "node:inspector";
import { defaultOptions } from "../../backend/targets.js";
import { artifactsOf } from "../../backend/translate.js";
import { NO_SIMULATION } from "../../cli/simulation-args.js";
import { validateTrace } from "../../cli/tt-step-validate.js";
import { compile } from "../../compile/compile.js";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { archOf } from "../../gpu/amd.js";
import { intOf } from "../../ir/builtin-attrs.js";
import { Context } from "../../ir/context.js";
import { parseModule } from "../../syntax/parse.js";
import { runName, type Trace } from "../../trace/trace.js";
import { cpuLimit, cpuMs } from "../cpu-time.js";
import { memoryIo } from "../memory-io.js";
import { type Kernel, readKernels } from "./cases.js";
import type { Reply, Request, Step } from "./worker-messages.js";

const kernels = readKernels();
const places = JSON.parse(process.argv[2] ?? "null") as readonly number[] | null;
/** Passed when the compiler was loaded, and so by every kernel. */
const passedAtLoad = places ? reachedPlaces() : [];

const limit = cpuLimit();
process.on("message", (request: Request) => {
  limit(request.limitMs);
  process.send!(reply(request));
  limit(Infinity);
});

function reply({ kernel: name, target, sound }: Request): Reply {
  const kernel = kernels.get(name)!;
  const start = cpuMs();
  if (places) reachedPlaces();
  const compiled = compileKernel(kernel, target);
  const compileMs = cpuMs() - start;
  const { steps, trace, failed } = compiled;
  const base: Reply = {
    steps,
    compileMs,
    validateMs: 0,
    ...(failed === undefined ? {} : { failed }),
    ...(places ? { reached: [...new Set([...passedAtLoad, ...reachedPlaces()])] } : {}),
  };
  if (!trace || failed !== undefined || !sound || sound.at(-1)?.[1] === steps.at(-1)![1]) return base;
  const validation = validate(trace, kernel);
  return { ...base, validation, validateMs: cpuMs() - start - compileMs };
}

function compileKernel({ name, text, options, triton, from }: Kernel, target: string): { steps: Step[]; trace?: Trace; failed?: string } {
  const ctx = new Context(ALL_DIALECTS);
  try {
    const { module } = parseModule(ctx, `${name}.${from ?? "ttir"}`, text)!;
    const numWarps = intOf(module.attr("ttg.num-warps"));
    const { trace, failed } = compile(name, module, {
      target,
      options: { ...defaultOptions(target), ...(numWarps && { numWarps }), ...options },
      ...(from && { from }),
      version: triton,
      debugInfo: true,
      artifacts: ["ptx"],
      translate: artifactsOf,
      remarks: false,
      clock: () => 0,
    });
    const steps: Step[] = [];
    for (const step of trace.steps)
      if (step.parent === undefined)
        steps.push([runName(step), step.changed || !steps.length ? hashOf(trace.lines.textOf(step.text)) : steps.at(-1)![1]]);
    const { ptx } = trace.artifacts;
    // The launch must give as much shared memory as the module says, which the PTX does not.
    if (ptx !== undefined) steps.push(["ptx", hashOf(`${ptx}${intOf(module.attr("ttg.shared"))}`)]);
    const error = ctx.diagnostics.find((d) => d.severity === "error");
    const isWhole = !failed && (ptx !== undefined || archOf(target) !== undefined);
    if (isWhole) return { steps, trace };
    return { steps, trace, failed: `${failed?.reason ?? "ptx"}: ${failed?.flag ?? "no PTX"}: ${error?.message ?? "no diagnostic"}` };
  } catch (error) {
    return { steps: [], failed: `exception: ${(error as Error).message}` };
  }
}
const hashOf = (text: string): string => createHash("sha1").update(text).digest("base64url").slice(0, 8);

/** As `tt-step --validate` does it. */
function validate(trace: Trace, { name, preconditions }: Kernel): { readonly code: number; readonly text: string } {
  const io = memoryIo("", preconditions === undefined ? {} : { [`${name}.args.json`]: preconditions });
  try {
    const shown = validateTrace(trace, `${name}.ttir`, undefined, NO_SIMULATION, io);
    return "error" in shown ? { code: 2, text: shown.error } : { code: shown.code, text: shown.text };
  } catch (error) {
    return { code: 3, text: `exception: ${(error as Error).stack}` };
  }
}

/** Which of the places were passed since this was last asked. */
function reachedPlaces(): number[] {
  let functions: Range[][] = [];
  (globalThis as unknown as { coverage: Session }).coverage.post("Profiler.takePreciseCoverage", (_, taken) => {
    functions = taken.result.filter(({ url }) => url.endsWith("worker.cjs")).flatMap((s) => s.functions.map((f) => f.ranges));
  });
  return places!.flatMap((place, i) => {
    let innermost: Range | undefined;
    for (const [whole, ...parts] of functions)
      if (isIn(place, whole!))
        for (const range of [whole!, ...parts])
          if (isIn(place, range) && (!innermost || sizeOf(range) <= sizeOf(innermost))) innermost = range;
    return innermost && innermost.count > 0 ? [i] : [];
  });
}
interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}
function isIn(place: number, { startOffset, endOffset }: Range): boolean {
  return startOffset <= place && place < endOffset;
}
function sizeOf({ startOffset, endOffset }: Range): number {
  return endOffset - startOffset;
}
