/** Arguments of commands that execute a kernel: what is stated of its arguments, on the command line and beside the input. */
import { TensorDescType } from "../dialects/tt/types.js";
import { FloatType, IntegerType } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import { argumentNames, defaultGrid, descriptorParts, hintProblem, type Preconditions } from "../simulate/tensor/arguments.js";
import { kernelOf } from "../simulate/tensor/run.js";
import type { ValidateOptions } from "../simulate/validate.js";
import { nearest } from "../support/nearest.js";
import type { Io } from "./io.js";
import { preconditionsBeside, preconditionsText } from "./preconditions-file.js";

/** As given on the command line. */
export interface SimulationArgs {
  /** `NAME=VALUE` of scalar arguments. */
  readonly arg: readonly string[];
  /** `X,Y,Z` */
  readonly grid: string | undefined;
  readonly program: readonly string[];
  readonly seed: readonly string[];
  readonly maxSteps: string | undefined;
  /** Findings that are otherwise notes set exit code 1 or 2. */
  readonly strict?: boolean;
  /** How long a step of lowered code may take in validation. */
  readonly seconds?: string | undefined;
  /** Validation runs lowered code on every program of the grid. */
  readonly allPrograms?: boolean;
}

type Triple = readonly [number, number, number];

/** The preconditions and the launch that the arguments state. */
export interface ReadSimulationArgs {
  readonly values: ReadonlyMap<string, number>;
  readonly grid: Triple | undefined;
  readonly programs: readonly Triple[] | undefined;
  readonly seeds: readonly number[] | undefined;
  readonly maxSteps: number | undefined;
  readonly seconds: number | undefined;
}

/** Reads them; the error is one line. */
export function readSimulationArgs(args: SimulationArgs): ReadSimulationArgs | { readonly error: string } {
  const values = new Map<string, number>();
  for (const text of args.arg) {
    const [, name, value] = /^([^=]+)=(-?(?:[\d.]+(?:e[-+]?\d+)?|inf|nan))$/i.exec(text) ?? [];
    const number = Number(value?.replace(/inf/i, "Infinity"));
    if (name === undefined || (Number.isNaN(number) && !/nan/i.test(value!))) return { error: `--arg expects NAME=NUMBER, not '${text}'` };
    values.set(name, number);
  }
  const grid = args.grid === undefined ? undefined : triple(args.grid, 1);
  if (args.grid !== undefined && !grid) return { error: `--grid expects X,Y,Z, not '${args.grid}'` };
  if (grid?.some((n) => n < 1)) return { error: `--grid ${args.grid}: a grid has at least one program along each axis` };
  const programs: Triple[] = [];
  for (const text of args.program) {
    const place = triple(text, 0);
    if (!place) return { error: `--program expects X,Y,Z, not '${text}'` };
    programs.push(place);
  }
  const seeds = args.seed.map(Number);
  if (seeds.some((s) => !Number.isInteger(s))) return { error: `--seed expects an integer, not '${args.seed.join(" ")}'` };
  const maxSteps = args.maxSteps === undefined ? undefined : Number(args.maxSteps);
  if (maxSteps !== undefined && !(maxSteps > 0)) return { error: `--max-steps expects a number above 0, not '${args.maxSteps}'` };
  const seconds = args.seconds === undefined ? undefined : Number(args.seconds || Number.NaN);
  if (seconds !== undefined && !(seconds >= 0)) return { error: `--seconds expects a number from 0, not '${args.seconds}'` };
  return {
    values,
    grid,
    programs: programs.length > 0 ? programs : undefined,
    seeds: seeds.length > 0 ? seeds : undefined,
    maxSteps,
    seconds,
  };
}

/** Up to three numbers; those left out are `missing`: 1 of a grid, 0 of a program. */
function triple(text: string, missing: number): Triple | undefined {
  if (!/^\d+(?:[,x]\d+){0,2}$/.test(text)) return undefined;
  const [x = missing, y = missing, z = missing] = text.split(/[,x]/).map(Number);
  return [x, y, z];
}

/** The first of some programs that is not in the grid, as one line. */
export function programProblem(programs: readonly (readonly number[])[] | undefined, grid: readonly number[]): string | undefined {
  const outside = programs?.find((place) => place.some((n, axis) => n >= (grid[axis] ?? 1)));
  return outside && `program (${outside.join(", ")}) lies outside the grid of ${grid.join("x")}; --grid says how large it is`;
}

/** Finds an argument by name or position, among the arguments in `among`. The error is one line. */
export function argumentNamed(given: string, among: readonly string[], where: string): string | { readonly error: string } {
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
 * `names` are those of the kernel's arguments in the source, which the module may have lost.
 */
export function simulationOptions(
  input: string,
  args: SimulationArgs,
  { module, kernel: wanted, names: given }: { readonly module: Operation; readonly kernel?: string; readonly names?: readonly string[] },
  io: Io,
): SimulationOptions | { readonly error: string } {
  const beside = preconditionsBeside(input, io);
  if ("error" in beside) return beside;
  const read = readSimulationArgs(args);
  if ("error" in read) return read;
  const stated = beside.preconditions;
  const kernel = kernelOf(module, wanted);
  if (!kernel) return { error: wanted === undefined ? "there is no public function to run" : `there is no function '${wanted}'` };
  const names = given ?? argumentNames(kernel);
  const scalars: Record<string, number> = { ...stated.scalars };
  for (const [where, numbers] of [[`'${beside.path}'`, Object.entries(stated.scalars ?? {})] as const, ["--arg", read.values] as const])
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
  const grid = read.grid ?? stated.grid;
  const programs = read.programs ?? stated.programs;
  const outside = programProblem(programs, grid ?? defaultGrid(module));
  if (outside !== undefined) return { error: outside };
  return {
    preconditions: { ...stated, scalars },
    names,
    report: preconditionsText(beside),
    ...(wanted === undefined ? {} : { kernel: wanted }),
    ...(grid ? { grid } : {}),
    ...(programs ? { programs } : {}),
    ...(read.seeds ? { seeds: read.seeds } : {}),
    ...(read.maxSteps === undefined ? {} : { limits: { maxSteps: read.maxSteps } }),
    ...(read.seconds === undefined ? {} : { seconds: read.seconds }),
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
  return hintProblem(kernel, index, value);
}
