/** `tt-step --against`: where our result first differs from a dump, from another input, or from itself under another option. */

import { artifactsOf } from "../backend/translate.js";
import { type Comparison, compareTraces } from "../diff/compare-traces.js";
import { unified } from "../diff/hunks.js";
import { ptxDiff } from "../diff/ptx-diff.js";
import { codegenStep } from "../explain/codegen-facts.js";
import { compareFacts, differenceTable, finalFacts } from "../explain/compare-facts.js";
import type { Stage } from "../trace/stage.js";
import type { Trace } from "../trace/trace.js";
import { EXIT, type Io } from "./io.js";
import { withMachineCode } from "./machine-code.js";
import { readCompilerSettings, type Setting, type TtStepArgs } from "./tt-step-args.js";
import { type Made, traceOf } from "./tt-step-compile.js";
import { diffText, usesColour } from "./tt-step-diff.js";
import { readInput } from "./tt-step-input.js";
import type { Input } from "./tt-step-ir-input.js";
import type { Shown } from "./tt-step-show.js";
import { uselessOptions } from "./useless-options.js";

export function against({ trace, compiled }: Made, input: Input, args: TtStepArgs, io: Io): Shown | { readonly error: string } {
  // Both sides have most diagnostics in common.
  const stderr: Io["stderr"] = { write: (text) => text === compiled?.rendered || io.stderr.write(text) };
  const other = otherTrace(input, args, firstStageOf(trace), { ...io, stderr });
  if ("error" in other) return other;
  const sides = sidesOf(trace, other.trace, args, io);
  const [before, after] = sides;
  const assembled = ({ name, trace }: Side): Side => ({ name, trace: withMachineCode(trace, io) });
  const facts = factsText([assembled(before), assembled(after)]);
  if (args.codegen) {
    const ptx = ptxText(before.trace, after.trace, usesColour(args, io));
    return { text: `${facts.text}${ptx}`, code: facts.differ || ptx.startsWith("---") ? EXIT.difference : EXIT.ok };
  }
  const comparison = compareTraces(after.trace, before.trace);
  return { text: `${facts.text}${comparisonText(comparison, sides, args, io)}`, code: comparison.first ? EXIT.difference : EXIT.ok };
}

interface Side {
  readonly name: string;
  readonly trace: Trace;
}
type Sides = readonly [before: Side, after: Side];

/** The difference leads from the input to what a setting makes of it, and from another input to this one. */
export function sidesOf(trace: Trace, other: Trace, { against, input }: Pick<TtStepArgs, "against" | "input">, io: Io): Sides {
  const settings = settingsIn(against!, io);
  const isVersion = settings?.every(([name]) => name === "triton") ?? false;
  const here = { name: isVersion ? `Triton ${trace.triton}` : input!, trace };
  const there = { name: isVersion ? `Triton ${other.triton}` : against!, trace: other };
  return settings ? [here, there] : [there, here];
}

/** A table of what the final codes are made of, where both Traces hold one. */
export function factsText([before, after]: Sides): { readonly text: string; readonly differ: boolean } {
  if (!codegenStep(before.trace) || !codegenStep(after.trace)) return { text: "", differ: false };
  const rows = differenceTable(compareFacts(finalFacts(before.trace), finalFacts(after.trace)));
  if (rows.length === 0) return { text: "final code: the same instructions, shared memory and conversions\n", differ: false };
  return { text: `final code, ${before.name} -> ${after.name}\n${rows.map((row) => `  ${row}\n`).join("")}`, differ: true };
}

/** The difference of the PTX, without renumbering. */
function ptxText(before: Trace, after: Trace, colour: boolean): string {
  const [a, b] = [before.artifacts.ptx, after.artifacts.ptx];
  if (a === undefined || b === undefined) return "there is no PTX to compare\n";
  const diff = ptxDiff(a, b);
  if (!diff) return "the PTX has too little in common for a comparison by lines\n";
  const text = unified(diff, diff.rows, colour);
  return text === "" ? "the same PTX, but for numbers of registers and labels\n" : `--- PTX\n+++ PTX\n${text}`;
}

export function otherTrace(input: Input, args: TtStepArgs, stage: Stage, io: Io): { readonly trace: Trace } | { readonly error: string } {
  const other = otherInput(input, args, stage, io);
  return "error" in other ? other : traceOf(other.input, other.args, io, artifactsOf);
}

/** The stage of the first pass. The module is lowered by now: the Trace says what it was. */
export const firstStageOf = ({ source }: Trace): Stage => source.kind as Stage;

/** The input that `--against` names, or the same with other settings; `stage` is that of the input's first pass. */
export function otherInput(
  input: Input,
  args: TtStepArgs,
  stage: Stage,
  io: Io,
): { readonly input: Exclude<Input, { kind: "error" }>; readonly args: TtStepArgs } | { readonly error: string } {
  const settings = settingsIn(args.against!, io);
  if (settings) {
    if (input.kind !== "module") return { error: `--against ${args.against} compiles the input again, which a dump cannot be` };
    const after = withSettings(args, settings);
    if ("error" in after) return after;
    const [useless] = uselessOptions(input, namesOf(settings), { stage });
    if (useless !== undefined) return { error: `--against ${args.against}: ${useless}` };
    return { input: compiledAs(input, after), args: after };
  }
  const other = readInput(args.against!, io, args);
  if (other.kind !== "error") return { input: other, args };
  if (other.rendered !== undefined) io.stderr.write(other.rendered);
  return { error: other.message ?? `'${args.against}' does not parse` };
}

/** A module that is compiled as the arguments say. */
function compiledAs(
  input: Extract<Input, { kind: "module" }>,
  { target, options, triton }: TtStepArgs,
): Extract<Input, { kind: "module" }> {
  return { ...input, request: { ...input.request, target, options, triton } };
}
/** The Trace of an input that was read for `--against OPTION=VALUE`, without what that changes: `args` are the others. */
export function traceWithout(
  input: Input,
  changed: readonly Setting[],
  args: TtStepArgs,
  stage: Stage,
  io: Io,
): ReturnType<typeof otherTrace> {
  if (input.kind !== "module") return { error: "it compiles the input again, which a dump cannot be" };
  const [useless] = uselessOptions(input, namesOf(changed), { stage });
  return useless === undefined ? traceOf(compiledAs(input, args), args, io, artifactsOf) : { error: useless };
}

/** The arguments with what `--against OPTION=VALUE` changes. */
export function withSettings<Args extends TtStepArgs>(args: Args, settings: readonly Setting[]): Args | { readonly error: string } {
  const given = readCompilerSettings(settings);
  if ("error" in given) return given;
  return {
    ...args,
    target: given.target ?? args.target,
    options: { ...args.options, ...given.options },
    triton: given.triton ?? args.triton,
  };
}

export const namesOf = (settings: readonly Setting[]): readonly string[] => settings.map(([name]) => name);

/** The settings of `target=cuda:89,num-warps=8`; undefined for a file. */
export function settingsIn(spec: string, io: Io): readonly Setting[] | undefined {
  if (!/^[a-z][\w-]*=/.test(spec) || isFile(spec, io)) return undefined;
  return spec.split(/,(?=[a-z][\w-]*=)/).map((setting): Setting => {
    const at = setting.indexOf("=");
    const value = setting.slice(at + 1);
    return [setting.slice(0, at), value === "true" ? true : value === "false" ? false : value];
  });
}
function isFile(path: string, io: Io): boolean {
  try {
    io.readFile(path);
    return true;
  } catch {
    return false;
  }
}

function comparisonText({ compared, first, onlyHere, onlyThere }: Comparison, [before, after]: Sides, args: TtStepArgs, io: Io): string {
  const only = [
    onlyThere.length > 0 ? `only in ${before.name}: ${onlyThere.join(", ")}\n` : "",
    onlyHere.length > 0 ? `only in ${after.name}: ${onlyHere.join(", ")}\n` : "",
  ].join("");
  if (!first) return `no difference: the IR was compared at ${compared} points\n${only}`;
  const { ours, trace } = first;
  const where = ours.kind === "source" ? "in the source" : `after ${ours.label} ${ours.flag}`;
  const [a, b] = trace.steps;
  const diff = diffText(trace, { ...a!, label: before.name }, { ...b!, label: after.name }, args, io);
  return `first difference ${where}\n${only}${diff}`;
}
