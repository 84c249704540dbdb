/** Arguments of commands that execute a kernel: what is stated of its arguments, on the command line and beside the input. */
import { kernelOf } from "../dialects/builtin/function-op.js";
import { TensorDescType } from "../dialects/tt/types.js";
import { FloatType, IntegerType } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import { argumentNames, defaultGrid, descriptorParts, integerProblem, type Preconditions } from "../simulate/tensor/arguments.js";
import type { ValidateOptions } from "../simulate/validate.js";
import { nearest } from "../support/nearest.js";
import { printable } from "../support/utf8.js";
import type { Io } from "./io.js";
import { NOTHING_STATED, preconditionsBeside, preconditionsText } from "./preconditions-file.js";

type Triple = readonly [number, number, number];

/** The options of an execution on the command line. */
export interface SimulationArgs {
  /** The values of numeric arguments, by name or position. */
  readonly values: ReadonlyMap<string, number>;
  readonly grid: Triple | undefined;
  readonly programs: readonly Triple[] | undefined;
  readonly seeds: readonly number[] | undefined;
  readonly maxSteps: number | undefined;
  /** Findings that are otherwise notes set exit code 1 or 2. */
  readonly strict: boolean;
  /** How long a step of lowered code may take in validation. */
  readonly seconds: number | undefined;
  /** Validation runs lowered code on every program of the grid. */
  readonly allPrograms: boolean;
}

/** Nothing is said. */
export const NO_SIMULATION: SimulationArgs = {
  values: new Map(),
  grid: undefined,
  programs: undefined,
  seeds: undefined,
  maxSteps: undefined,
  strict: false,
  seconds: undefined,
  allPrograms: false,
};

/** The first of some programs that is not in the grid, as one line. */
export function programProblem(programs: readonly (readonly number[])[] | undefined, grid: readonly number[]): string | undefined {
  const outside = programs?.find((place) => place.some((n, axis) => n >= (grid[axis] ?? 1)));
  return outside && `program (${outside.join(", ")}) lies outside the grid of ${grid.join("x")}; --grid says how large it is`;
}

/** Finds an argument by name or position, among the arguments in `among`. The error is one line. */
export function argumentNamed(written: string, among: readonly string[], where: string): string | { readonly error: string } {
  // Names in IR are bytes.
  const given = printable(written);
  if (among.includes(given)) return given;
  const position = /^\d+$/.test(given) ? among[Number(given)] : undefined;
  if (position !== undefined) return position;
  const near = nearest(given, among);
  const known = among.length > 0 ? `the kernel's arguments are ${among.join(", ")}` : "the kernel has no arguments";
  return { error: `${where}: there is no argument '${given}'${near ? `; did you mean '${near}'?` : ""} (${known})` };
}

/** `report` says what was stated beside the input. */
export interface SimulationOptions extends ValidateOptions {
  readonly preconditions: Preconditions;
  readonly report: string;
}

/**
 * Reads the preconditions of a kernel of `module` from the command line and from `args.json` beside the input. The error is one line.
 * Where `input` is undefined the command line is all. `names` are those of the kernel's arguments in the source, which the module may have lost.
 */
export function simulationOptions(
  input: string | undefined,
  args: SimulationArgs,
  {
    module,
    kernel: wanted,
    names: given,
  }: { readonly module: Operation; readonly kernel?: string | undefined; readonly names?: readonly string[] | undefined },
  io: Io,
): SimulationOptions | { readonly error: string } {
  const beside = input === undefined ? NOTHING_STATED : preconditionsBeside(input, io);
  if ("error" in beside) return beside;
  const stated = beside.preconditions;
  const kernel = kernelOf(module, wanted);
  if (!kernel) return { error: wanted === undefined ? "there is no public function to run" : `there is no function '${wanted}'` };
  const names = given ?? argumentNames(kernel);
  const scalars: Record<string, number> = { ...stated.scalars };
  for (const [where, numbers] of [[`'${beside.path}'`, Object.entries(stated.scalars ?? {})] as const, ["--arg", args.values] as const])
    for (const [text, value] of numbers) {
      const name = argumentNamed(text, names, where);
      if (typeof name !== "string") return name;
      const problem = scalarProblem(kernel, names.indexOf(name), value);
      if (problem !== undefined) return { error: `${where}: argument '${name}' ${problem}` };
      delete scalars[text];
      scalars[name] = value;
    }
  for (const text of Object.keys(stated.arrays ?? {})) {
    const name = argumentNamed(text, names, `'${beside.path}'`);
    if (typeof name !== "string") return name;
    const { type } = kernel.regions[0]!.firstBlock!.args[names.indexOf(name)]!;
    if (IntegerType.is(type) || FloatType.is(type)) return { error: `'${beside.path}': argument '${name}' is a number, not an array` };
  }
  const grid = args.grid ?? stated.grid;
  const programs = args.programs ?? stated.programs;
  const outside = programProblem(programs, grid ?? defaultGrid(module));
  if (outside !== undefined) return { error: outside };
  return {
    preconditions: { ...stated, scalars },
    names,
    report: preconditionsText(beside),
    ...(wanted === undefined ? {} : { kernel: wanted }),
    ...(grid ? { grid } : {}),
    ...(programs ? { programs } : {}),
    ...(args.seeds ? { seeds: args.seeds } : {}),
    ...(args.maxSteps === undefined ? {} : { limits: { maxSteps: args.maxSteps } }),
    ...(args.seconds === undefined ? {} : { seconds: args.seconds }),
  };
}

/** Why an argument cannot have this number. */
function scalarProblem(kernel: Operation, index: number, value: number): string | undefined {
  const { type } = kernel.regions[0]!.firstBlock!.args[index]!;
  if (TensorDescType.is(type)) return "is a descriptor, not a number";
  if (descriptorParts(kernel).has(index)) return "follows from its descriptor";
  if (FloatType.is(type)) return undefined;
  if (!IntegerType.is(type)) return "is a pointer, not a number";
  if (!Number.isInteger(value)) return `is an integer, not ${value}`;
  return (
    integerProblem(kernel, index, value) ?? (Number.isSafeInteger(value) ? undefined : `cannot be given exactly: ${value} is beyond 2^53`)
  );
}
