/** `tt-step run` on TTIR and TTGIR: arguments from launch.json or made up, and memory after the run. */

import { kernelOf } from "../dialects/builtin/function-op.js";
import { positionOfLocation } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import { coverageText, opCoverage } from "../simulate/coverage.js";
import type { Memory, StoredRun } from "../simulate/memory.js";
import { bytesOf } from "../simulate/numbers/element.js";
import {
  type ArgumentPlan,
  argumentNames,
  contiguous,
  descriptorParts,
  integerProblem,
  type Preconditions,
  partOf,
  planArguments,
} from "../simulate/tensor/arguments.js";
import { everyProgram, type RunResult, runningModule } from "../simulate/tensor/run.js";
import type { Work } from "../support/slices.js";
import type { Io } from "./io.js";
import type { LaunchFile, NamedArgument } from "./launch-file.js";
import { argumentNamed, programProblem, type SimulationArgs, simulationOptions } from "./simulation-args.js";

export interface IrRunArgs {
  readonly input: string;
  readonly kernel: string | undefined;
  readonly launch: LaunchFile | undefined;
  readonly simulation: SimulationArgs;
  /** The source text of the module, which may name arguments. */
  readonly text: string;
  readonly target: string;
  readonly checks: boolean;
  /** The grid that the launch in the input's own file states, for the numbers of the arguments. */
  readonly gridOf: ((numbers: ReadonlyMap<string, number>) => readonly number[] | undefined) | undefined;
}

/** The output of a run, printed and written to files. */
export interface IrRun {
  readonly memory: Memory;
  readonly stores: ReadonlyMap<string, readonly StoredRun[]>;
  readonly printed: string;
  readonly report: string;
  /** One for each line on standard error; whether any is an error. */
  readonly findings: readonly string[];
  readonly failed: boolean;
}

export function* runIr(module: Operation, args: IrRunArgs, io: Io): Work<IrRun | { readonly error: string }> {
  const kernel = kernelOf(module, args.kernel);
  // A launch.json states all.
  const stated = simulationOptions(
    args.launch ? undefined : args.input,
    args.simulation,
    { module, kernel: args.kernel, names: kernel && argumentNames(kernel, args.text) },
    io,
  );
  if ("error" in stated) return stated;
  const first = planArguments(module, kernel!, stated.preconditions, "cut", stated.names);
  const ofFile = stated.grid || args.launch ? undefined : args.gridOf?.(numbersOf(first));
  // Strides depend on the grid.
  const made = ofFile ? planArguments(module, kernel!, { ...stated.preconditions, grid: ofFile }, "cut", stated.names) : first;
  const plan = args.launch ? launched(kernel!, made, args.launch.args) : made;
  if ("error" in plan) return plan;
  const grid = stated.grid ?? args.launch?.grid ?? ofFile;
  const outside = grid && programProblem(stated.programs, grid);
  if (outside !== undefined) return { error: outside };
  const programs = stated.programs ?? (args.launch && grid ? everyProgram(grid) : undefined);
  const result = yield* runningModule(module, {
    ...(args.kernel === undefined ? {} : { kernel: args.kernel }),
    args: plan,
    ...(grid ? { grid } : {}),
    ...(programs ? { programs } : {}),
    seed: stated.seeds?.[0] ?? 0,
    target: args.target,
    ...(stated.limits ? { limits: stated.limits } : {}),
    checks: { arithmetic: args.checks },
  });
  const names = result.args.map((a) => a.name);
  return {
    memory: result.memory,
    stores: new Map(
      result.memory.buffers.flatMap(({ spec: { name } }) =>
        names.includes(name) || name.includes("[") ? [[name, result.memory.stores(name)] as const] : [],
      ),
    ),
    printed: result.printed.map((line) => `${line}\n`).join(""),
    report:
      stated.report + reportOf(module, result, ofFile !== undefined) + (args.launch ? "" : madeUp(kernel!, result, stated.preconditions)),
    findings: result.findings.map(({ kind, severity, message, op, program, times }) => {
      const position = op && positionOfLocation(op.ctx, op.locRef);
      const where = position ? `${position.file}:${position.line}:${position.column}` : args.input;
      return `${where}: ${severity === "error" ? "error" : "note"}: ${kind}: ${message}\n  ${op ? `at ${op.name}, ` : ""}program (${program.join(", ")})${times > 1 ? `, ${times} times` : ""}\n`;
    }),
    failed: result.findings.some((f) => f.severity === "error"),
  };
}

/**
 * Arguments of launch.json in place of those made up: by name where any name is the kernel's, else by position. A descriptor is one
 * array: its shape and strides need not be given, and have any names.
 */
function launched(
  kernel: Operation,
  made: readonly ArgumentPlan[],
  given: readonly NamedArgument[],
): ArgumentPlan[] | { readonly error: string } {
  const names = made.map(({ name }) => name);
  const parts = descriptorParts(kernel);
  const own = names.filter((_, i) => !parts.has(i));
  const strange = given.find(({ name }) => !names.includes(name));
  const positions = given.length === own.length ? own : names;
  const isUnknown = ({ name }: NamedArgument, i: number): boolean => positions[i] !== name && (names.includes(name) || !parts.has(i));
  const mixes = given.some(({ name }) => names.includes(name));
  if (strange && (given.length !== positions.length || (mixes && given.some(isUnknown))))
    return argumentNamed(strange.name, own, "launch.json") as { readonly error: string };
  const plan: ArgumentPlan[] = [];
  for (const [i, fallback] of made.entries()) {
    const name = names[i]!;
    const found = strange ? given[positions.indexOf(name)] : given.find((g) => g.name === name);
    const part = parts.get(i);
    const descriptor = part && plan[part.descriptor];
    if (!found && descriptor?.kind === "descriptor" && fallback.kind === "scalar") {
      const value = partOf(descriptor, part!);
      plan.push({ ...fallback, value: typeof fallback.value === "bigint" ? BigInt(value) : value });
      continue;
    }
    if (!found) return { error: `launch.json has no argument '${name}'` };
    const { argument, array } = found;
    if (argument.kind === "scalar") {
      if (fallback.kind !== "scalar") return { error: `argument '${name}' is an array in the kernel, a number in launch.json` };
      const problem = integerProblem(kernel, i, Number(argument.value));
      if (problem !== undefined) return { error: `launch.json: argument '${name}' ${problem}` };
      plan.push({ ...fallback, value: typeof fallback.value === "bigint" ? BigInt(argument.value) : Number(argument.value) });
      continue;
    }
    const { element, data, init } = argument.spec;
    if (fallback.kind === "scalar") return { error: `argument '${name}' is a number in the kernel, an array in launch.json` };
    if (fallback.kind === "descriptor") {
      const { shape = fallback.shape, strides = contiguous(shape) } = array ?? {};
      if (shape.length !== fallback.shape.length)
        return {
          error: `argument '${name}' is a descriptor of ${fallback.shape.length} dimensions, an array of ${shape.length} in launch.json`,
        };
      plan.push({ ...fallback, name: found.name, element, shape, strides, ...(data ? { data } : {}) });
    } else plan.push({ kind: "pointer", name: found.name, element, init, ...(data ? { data } : {}) });
  }
  return plan;
}

const numbersOf = (plan: readonly ArgumentPlan[]): ReadonlyMap<string, number> =>
  new Map(plan.flatMap((p) => (p.kind === "scalar" && Number.isSafeInteger(Number(p.value)) ? [[p.name, Number(p.value)] as const] : [])));

function reportOf(module: Operation, result: RunResult, isOfFile: boolean): string {
  const { programs, grid, args, steps } = result;
  const scalars = args.flatMap((a) => (a.kind === "scalar" ? [`${a.name}=${a.value}`] : []));
  return (
    `${programs.length} program${programs.length === 1 ? "" : "s"} of a grid of ${grid.join("x")}${isOfFile ? " (as the file launches it)" : ""}${scalars.length > 0 ? ` with ${scalars.join(" ")}` : ""}\n` +
    `${steps} steps; ${coverageText(opCoverage(module, [result]))}\n`
  );
}

/** The inputs that were neither stated nor given: numbers, and arrays as large as the kernel touched them. */
function madeUp(kernel: Operation, { args, memory }: RunResult, { scalars = {}, arrays = {} }: Preconditions): string {
  const parts = descriptorParts(kernel);
  const made = args.flatMap((arg, i) => {
    const { name } = arg;
    if (parts.has(i) || Object.hasOwn(scalars, name) || Object.hasOwn(arrays, name)) return [];
    if (arg.kind === "scalar") return [`${name} = ${arg.value}`];
    const shape = arg.kind === "descriptor" ? arg.shape : [Math.ceil(memory.touchedBytes(name) / bytesOf(arg.element))];
    return [`${name} ${arg.element}[${shape.join(", ")}]`];
  });
  return made.length > 0 ? `made up: ${made.join(", ")}\n` : "";
}
