/** `tt-step INPUT... --against OPTION=VALUE`: what kernels become with another option or version of Triton, side by side, the most changed first. */
import { paired } from "../diff/pair-steps.js";
import { compareFacts, type FactDifference, type FinalFacts, finalFacts } from "../explain/compare-facts.js";
import type { Choices } from "../frontend/specialize.js";
import { compile } from "../library/compile.js";
import { failureOf } from "../node/failure.js";
import { refText, remarkMessage } from "../pass/remark.js";
import type { Work } from "../support/slices.js";
import { tritonOrDefault } from "../support/triton-version.js";
import type { Step, Trace } from "../trace/trace.js";
import { EXIT, type Io, watched } from "./io.js";
import { junitFile } from "./junit.js";
import { withMachineCode } from "./machine-code.js";
import type { StepValues } from "./options/step.js";
import { namesOf, settingsIn, withSettings } from "./tt-step-against.js";
import type { TtStepArgs } from "./tt-step-args.js";
import { everywhere } from "./tt-step-compile.js";
import { readInput } from "./tt-step-input.js";
import { usage } from "./tt-step-output.js";
import { uselessOptions } from "./useless-options.js";

/** An input, and which of several kernels in it. */
interface Case {
  readonly input: string;
  readonly kernel?: string;
}
const nameOf = ({ input, kernel }: Case): string => (kernel === undefined ? input : `${input}: ${kernel}`);

/** How a kernel changes. */
interface Row extends Case {
  readonly status: "same" | "different" | "error";
  /** How many instructions of memory, tensor cores, shuffles and barriers come or go. */
  readonly changed: number;
  readonly facts: readonly FactDifference[];
  /** The first pass after which there are other ops (`source` for the front end), and how many there are of each: `arith.negf 0 -> 1`. */
  readonly first?: string;
  readonly ops: readonly string[];
  /** Remarks of that pass that the other version does not make. */
  readonly reasons: readonly string[];
  /** Why each side is not compiled; undefined for a side that is. */
  readonly errors?: readonly (string | undefined)[];
  /** The versions of Triton that the sides are compiled as: those of the command line, the file's comment or Python's environment. */
  readonly versions?: Names;
  readonly ms: number;
}
type Names = readonly [before: string, after: string];
/** One side of the comparison: how inputs are compiled for it. */
interface Side {
  readonly args: TtStepArgs;
  /** Names of the options in which it is unlike the other side. */
  readonly changes: readonly string[];
}
type Sides = readonly [before: Side, after: Side];

/** The report on all inputs. The sides are the command line's own options, and those with what `--against` changes. */
export async function againstAll(
  words: readonly string[],
  given: TtStepArgs & { readonly against: string; readonly format: StepValues["format"] },
  io: Io,
): Promise<number> {
  const settings = settingsIn(given.against, io);
  if (!settings) return usage(io, `with several inputs --against compares options: OPTION=VALUE, not '${given.against}'`);
  const after = withSettings(given, settings);
  if ("error" in after) return usage(io, after.error);
  if (words.length === 0) return usage(io, "expects input files. Try: tt-step --help");
  const isVersion = settings.every(([name]) => name === "triton");
  const sides: Sides = [
    { args: given, changes: [] },
    { args: after, changes: namesOf(settings) },
  ];
  const { value: rows, interrupted } = await watched(rowsOf(words, given, sides, io), io);
  const sorted = [...rows].sort((a, b) => rank(b) - rank(a) || (nameOf(a) < nameOf(b) ? -1 : 1));
  const names: Names = isVersion ? [versionsOf(rows, given, 0), versionsOf(rows, after, 1)] : ["as given", given.against];
  io.stdout.write(report(isVersion ? sorted : sorted.map(({ versions: _, ...row }) => row), names, given.format ?? "md"));
  if (interrupted) {
    io.stderr.write(`tt-step: interrupted after ${new Set(rows.map(({ input }) => input)).size} of ${words.length} inputs\n`);
    return EXIT.interrupted;
  }
  if (rows.some(({ status }) => status === "error")) return EXIT.badInput;
  return rows.some(({ status }) => status === "different") ? EXIT.difference : EXIT.ok;
}

/** The versions of Triton on one side of all rows; that of the arguments where nothing was compiled. */
function versionsOf(rows: readonly Row[], { triton }: TtStepArgs, side: 0 | 1): string {
  const found = [...new Set(rows.flatMap(({ versions }) => (versions ? [versions[side]] : [])))].sort();
  return found.length > 0 ? found.join(" or ") : `Triton ${tritonOrDefault(triton).name}`;
}

/** Kernels that do not compile come first. */
const rank = ({ status, changed, facts }: Row): number => (status === "error" ? Infinity : status === "same" ? -1 : changed + facts.length);

/** The kernels of a file with several: those whose arguments are stated, or all where they are guessed. */
function kernelsOf(input: string, args: TtStepArgs, io: Io): readonly Case[] {
  if (args.python.kernel !== undefined) return [{ input }];
  const items = choicesOf(input, args, io);
  const taken = items.some(({ isStated }) => isStated) ? items.filter(({ isStated }) => isStated) : args.python.guess ? items : [];
  return taken.length === 0 ? [{ input }] : taken.map(({ given: { kernel } }) => ({ input, kernel: kernel! }));
}
function choicesOf(input: string, args: TtStepArgs, io: Io): Choices["items"] {
  try {
    const read = readInput(input, io, { ...args, debugInfo: false });
    return read.kind === "error" && read.choices?.title === "kernels" ? read.choices.items : [];
  } catch (error) {
    // It is reported where the kernel is compiled.
    if (failureOf(error).isBug) throw error;
    return [];
  }
}

function* rowsOf(inputs: readonly string[], given: TtStepArgs, sides: Sides, io: Io): Work<readonly Row[]> {
  const rows: Row[] = [];
  for (const [done, input] of inputs.entries())
    for (const one of kernelsOf(input, given, io)) {
      if (yield { what: "compare", done, of: inputs.length }) return rows;
      const began = io.clock();
      const row = guarded(one, sides, io);
      rows.push({ ...row, ms: io.clock() - began });
    }
  return rows;
}

function guarded(input: Case, [from, to]: Sides, io: Io): Omit<Row, "ms"> {
  const [before, after] = [traceBy(from, input, io), traceBy(to, input, io)];
  if (!("error" in before || "error" in after)) {
    const versions: Names = [`Triton ${before.trace.triton}`, `Triton ${after.trace.triton}`];
    return { ...rowOf(input, before.trace, after.trace), versions };
  }
  const errors = [before, after].map((side) => ("error" in side ? side.error : undefined));
  return { ...input, status: "error", changed: 0, facts: [], ops: [], reasons: [], errors };
}

function rowOf(input: Case, before: Trace, after: Trace): Omit<Row, "ms"> {
  const [was, is] = [before, after].map((trace) => withShortNames(finalFacts(trace))) as [FinalFacts, FinalFacts];
  const facts = compareFacts(was, is);
  const found = firstOtherOps(before, after);
  if (!found)
    return {
      ...input,
      status: facts.length > 0 ? "different" : "same",
      changed: instructionsChanged(was, is),
      facts,
      ops: [],
      reasons: [],
    };
  const [theirs, ours] = found.steps;
  const first = ours.kind === "source" ? "source" : `${ours.label} ${ours.flag}`;
  const known = new Set(remarksOf(theirs));
  const reasons = [...new Set(remarksOf(ours))].filter((text) => !known.has(text));
  return { ...input, status: "different", changed: instructionsChanged(was, is), facts, first, ops: found.ops, reasons };
}

/** The first step after which the two have not the same ops; names, types and order make no difference. */
function firstOtherOps(
  before: Trace,
  after: Trace,
): { readonly steps: readonly [Step, Step]; readonly ops: readonly string[] } | undefined {
  const top = ({ steps }: Trace): readonly Step[] =>
    steps.filter(({ parent, kind, stage }) => parent === undefined && kind !== "internal" && stage !== "ptx");
  for (const steps of paired(top(before), top(after), (a, b) => a.flag === b.flag)) {
    const [was, is] = [opsOf(before, steps[0]), opsOf(after, steps[1])];
    const names = [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name));
    if (names.length > 0) return { steps, ops: names.sort().map((name) => `${name} ${was.get(name) ?? 0} -> ${is.get(name) ?? 0}`) };
  }
  return undefined;
}
function opsOf({ lines }: Trace, { text }: Step): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines.linesOf(text)) {
    const name = OP.exec(line)?.[1];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  // Newer LLVM's name of the same op.
  const barriers = counts.get("nvvm.barrier0");
  if (barriers !== undefined) counts.set("nvvm.barrier", barriers);
  counts.delete("nvvm.barrier0");
  return counts;
}
/** The name of the op that a line begins with. Constants are left out: where they are is of no consequence. */
const OP = /^ *(?:%[^=]*= )?"?(?!arith\.constant|llvm\.mlir)([a-z_]+\.[a-z][\w.]*)/;

const remarksOf = ({ remarks }: Step): readonly string[] => remarks.map((remark) => remarkMessage(remark, refText));

/** `shared::cta` is the longer name of `shared`. */
function withShortNames(facts: FinalFacts): FinalFacts {
  const counts = Object.entries(facts.instructions).map(([name, count]) => [name.replace("shared::cta", "shared"), count] as const);
  return { ...facts, instructions: Object.fromEntries(counts) };
}
function instructionsChanged(was: FinalFacts, is: FinalFacts): number {
  let total = 0;
  for (const kind of ["instructions", "mma"] as const)
    for (const name of new Set([...Object.keys(was[kind]), ...Object.keys(is[kind])]))
      total += Math.abs((was[kind][name] ?? 0) - (is[kind][name] ?? 0));
  return total;
}

function traceBy(side: Side, input: Case, io: Io): { readonly trace: Trace } | { readonly error: string } {
  try {
    return compiledBy(side, input, io);
  } catch (error) {
    const { text, isBug } = failureOf(error);
    if (isBug) throw error;
    return { error: text };
  }
}
function compiledBy({ args, changes }: Side, { input, kernel }: Case, io: Io): ReturnType<typeof traceBy> {
  const python = kernel === undefined ? args.python : { ...args.python, kernel };
  const read = readInput(input, io, { ...args, python, debugInfo: false });
  if (read.kind === "error") return { error: (read.rendered ?? read.message ?? "does not parse").trimEnd() };
  if (read.kind === "imported") return { error: "it is a dump, which cannot be compiled again" };
  const [useless] = uselessOptions(read, changes);
  if (useless !== undefined) return { error: useless };
  const compiled = compile(read, { ...everywhere(args, io), artifacts: ["ptx", "instructions"] });
  if (compiled.kind === "error") return { error: (compiled.rendered ?? compiled.message!).trimEnd() };
  const { trace, ok, failed } = compiled;
  return ok ? { trace: withMachineCode(trace, io) } : { error: `pass '${failed?.flag}' failed` };
}

// --- reports -------------------------------------------------------------------------------------

/** Why a row is not compiled; the side is named where the other one is, or has another reason. */
function errorText(errors: NonNullable<Row["errors"]>, names: Names): string {
  if (errors[0] === errors[1]) return errors[0]!;
  return errors.flatMap((error, i) => (error === undefined ? [] : [`${names[i]}: ${error}`])).join("\n");
}

function report(rows: readonly Row[], names: Names, format: NonNullable<StepValues["format"]>): string {
  const [from, to] = names;
  if (format === "json") {
    const kernels = rows.map(({ ms: _, errors, versions: [from, to] = [undefined, undefined], ...row }) =>
      errors ? { ...row, error: errorText(errors, names) } : { ...row, from, to },
    );
    return `${JSON.stringify({ from, to, kernels }, null, 1)}\n`;
  }
  if (format === "md") return markdown(rows, names);
  return junitFile(
    "tt-step --against",
    rows.map((row) => ({
      name: nameOf(row),
      file: row.input,
      ms: row.ms,
      failure:
        row.status === "same"
          ? undefined
          : row.status === "error"
            ? { tag: "error", message: "does not compile", text: errorText(row.errors!, names) }
            : {
                tag: "failure",
                message: headline(row),
                text: row.facts.map(({ what, before, after }) => `${what}  ${before} -> ${after}`).join("\n"),
              },
    })),
  );
}

const headline = ({ first, changed }: Row): string => {
  const where =
    first === undefined ? "the same ops after every pass" : `other ops first ${first === "source" ? "in the source" : `after ${first}`}`;
  return `${where}; ${changed} instruction${changed === 1 ? "" : "s"} changed`;
};

/** So many ops are listed; JSON has all. */
const MOST_OPS = 8;
const listed = (ops: readonly string[]): string =>
  `${ops.slice(0, MOST_OPS).join(", ")}${ops.length > MOST_OPS ? `, and ${ops.length - MOST_OPS} more` : ""}`;

function markdown(rows: readonly Row[], names: Names): string {
  const count = (status: Row["status"]) => rows.filter((row) => row.status === status).length;
  const parts = (["different", "same", "error"] as const).flatMap((status) =>
    count(status) > 0 ? [`${count(status)} ${status}${status === "error" && count(status) > 1 ? "s" : ""}`] : [],
  );
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const sections = rows
    .filter(({ status }) => status !== "same")
    .map((row) => {
      if (row.status === "error") return `## ${nameOf(row)}\n\n\`\`\`\n${errorText(row.errors!, names)}\n\`\`\`\n`;
      const [from, to] = row.versions ?? names;
      const table =
        row.facts.length === 0
          ? "The final code has the same instructions, shared memory and conversions.\n"
          : `| | ${from} | ${to} |\n|---|---|---|\n${row.facts.map(({ what, before, after }) => `| ${what} | ${cell(before)} | ${cell(after)} |\n`).join("")}`;
      const reasons = row.reasons.map((text) => `- ${text}\n`).join("");
      const ops = row.ops.length === 0 ? "" : `\nOps after that pass: ${listed(row.ops)}\n`;
      return `## ${nameOf(row)}\n\n${headline(row)}\n\n${table}${ops}${reasons === "" ? "" : `\nOnly ${to} says of that pass:\n\n${reasons}`}`;
    });
  const same = rows.filter(({ status }) => status === "same").map((row) => `- ${nameOf(row)}\n`);
  const unchanged = same.length === 0 ? [] : [`## The same after every pass\n\n${same.join("")}`];
  return [`# ${names.join(" to ")}: ${parts.join(", ")}\n`, ...sections, ...unchanged].join("\n");
}
