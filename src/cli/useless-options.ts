/** Options that a command takes and that change nothing: what another option needs, or what is read before the input's first pass. */
import { stageOf } from "../compile/read-ir.js";
import type { ModuleSource, TraceSource } from "../library/sources.js";
import type { Stage } from "../library/trace.js";
import type { Io } from "./io.js";
import { dashed, type OptionTable } from "./options/option.js";
import { STEP } from "./options/step.js";
import { TRITON_OPTIONS } from "./options/triton.js";
import type { TtStepArgs } from "./tt-step-args.js";

/** The kinds of inputs, by the stage of their first pass. */
const INPUTS: Readonly<Record<Stage, string>> = { ttir: "TTIR", ttgir: "TTGIR", llir: "TTGIR", ptx: "LLVM dialect" };

/** Why an option of the compiler has no effect on a module; undefined where it has one. */
function uselessOn(name: string, { defaults }: ModuleSource, stage: Stage): string | undefined {
  const { lastRead } = OPTIONS[name] ?? {};
  if (name === "language" && defaults) return "a Python kernel says itself which language it is in";
  if (name === "language") return stage === "ptx" ? "the input is LLVM dialect, to which both languages are lowered" : undefined;
  if (name === "pessimistic-axis-info") return stage === "ptx" ? "the input is LLVM dialect, whose accesses are decided" : undefined;
  if (lastRead === "python") return defaults ? undefined : `the front end reads it, and the input is ${INPUTS[stage]}`;
  // The front end writes them into the module of a Gluon kernel; no pass pipelines its loops.
  if (lastRead === "ttgir" && defaults && name !== "num-stages") return undefined;
  return lastRead === "ttgir" && stage !== "ttir" ? `passes to TTGIR read it, and the input is ${INPUTS[stage]}` : undefined;
}
const OPTIONS: OptionTable = { ...STEP, ...TRITON_OPTIONS };

/** Notes about options that are taken and change nothing. `stage` is that of the first pass, `table` has the options of the command. */
export function uselessOptions(
  input: ModuleSource | TraceSource,
  names: Iterable<string>,
  {
    stage = input.kind === "module" ? stageOf(input.module) : "ptx",
    table = STEP,
  }: { readonly stage?: Stage; readonly table?: OptionTable } = {},
): string[] {
  const all = new Set(names);
  return [...all].flatMap((name) => {
    const why = input.kind === "module" ? uselessOn(name, input, stage) : undefined;
    if (why !== undefined) return [`--${name} has no effect: ${why}`];
    const { goesWith } = table[name] ?? {};
    return !goesWith || goesWith.some((other) => all.has(other))
      ? []
      : [`--${name} has no effect without ${goesWith.map(dashed).join(" or ")}`];
  });
}

/** Writes the notes about options that change nothing on an input; `from` is the command, or the command and the input. */
export function noteUseless(
  input: ModuleSource | TraceSource,
  { written }: Pick<TtStepArgs, "written">,
  io: Io,
  { from = "tt-step", table = STEP }: { readonly from?: string; readonly table?: OptionTable } = {},
): void {
  for (const note of uselessOptions(input, written.keys(), { table })) io.stderr.write(`${from}: note: ${note}\n`);
}
