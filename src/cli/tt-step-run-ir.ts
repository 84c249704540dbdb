/** `tt-step run` on TTIR and TTGIR: arguments from launch.json or made up, and what the run left behind. */

import { positionOfLocation } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import { coverageText, opCoverage } from "../simulate/coverage.js";
import type { Memory, StoredRun } from "../simulate/memory.js";
import { type ArgumentPlan, argumentName, planArguments } from "../simulate/tensor/arguments.js";
import { kernelOf, type RunResult, runModule } from "../simulate/tensor/run.js";
import type { Io } from "./io.js";
import type { NamedArgument } from "./launch-file.js";
import { preconditionsBeside, preconditionsText } from "./preconditions-file.js";

export interface IrRunArgs {
  readonly input: string;
  readonly kernel: string | undefined;
  readonly launch: { readonly grid: readonly number[]; readonly args: readonly NamedArgument[] } | undefined;
  readonly values: ReadonlyMap<string, number>;
  /** When given. */
  readonly grid: readonly number[] | undefined;
  readonly programs: readonly (readonly number[])[] | undefined;
  readonly seed: number;
  readonly maxSteps: number | undefined;
  readonly checks: boolean;
}

/** What is printed and written of a run. */
export interface IrRun {
  readonly memory: Memory;
  readonly stores: ReadonlyMap<string, readonly StoredRun[]>;
  readonly printed: string;
  readonly report: string;
  /** One for each line on standard error; whether any is an error. */
  readonly findings: readonly string[];
  readonly failed: boolean;
}

export function runIr(module: Operation, args: IrRunArgs, io: Io): IrRun | { readonly error: string } {
  const kernel = kernelOf(module, args.kernel);
  if (!kernel) return { error: args.kernel === undefined ? "there is no public function to run" : `there is no function '${args.kernel}'` };
  const beside = preconditionsBeside(args.input, io);
  if ("error" in beside) return beside;
  const stated = beside.preconditions;
  const scalars: Record<string, number> = { ...stated.scalars };
  for (const [name, value] of args.values) scalars[/^\d+$/.test(name) ? argumentName(kernel, Number(name)) : name] = value;
  const made = planArguments(module, kernel, { ...stated, scalars });
  const plan = args.launch ? launched(kernel, made, args.launch.args) : made;
  if ("error" in plan) return plan;
  const grid = args.grid ?? args.launch?.grid ?? stated.grid;
  const programs = args.programs ?? (args.launch && grid ? everyProgram(grid) : stated.programs);
  const result = runModule(module, {
    ...(args.kernel === undefined ? {} : { kernel: args.kernel }),
    args: plan,
    ...(grid ? { grid } : {}),
    ...(programs ? { programs } : {}),
    seed: args.seed,
    ...(args.maxSteps === undefined ? {} : { limits: { maxSteps: args.maxSteps } }),
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
    report: preconditionsText(beside) + reportOf(module, result),
    findings: result.findings.map(({ kind, severity, message, op, program, times }) => {
      const position = op && positionOfLocation(op.ctx, op.locRef);
      const where = position ? `${position.file}:${position.line}:${position.column}` : args.input;
      return `${where}: ${severity === "error" ? "error" : "note"}: ${kind}: ${message}\n  ${op ? `at ${op.name}, ` : ""}program (${program.join(", ")})${times > 1 ? `, ${times} times` : ""}\n`;
    }),
    failed: result.findings.some((f) => f.severity === "error"),
  };
}

/** Arguments of launch.json in place of those made up: by name where all names are the kernel's, else by position. */
function launched(
  kernel: Operation,
  made: readonly ArgumentPlan[],
  given: readonly NamedArgument[],
): ArgumentPlan[] | { readonly error: string } {
  const names = made.map((_, i) => argumentName(kernel, i));
  const byName = given.every(({ name }) => names.includes(name));
  if (given.length < made.length && !byName) return { error: `the kernel has ${made.length} arguments, launch.json ${given.length}` };
  const plan: ArgumentPlan[] = [];
  for (const [i, fallback] of made.entries()) {
    const found = byName ? given.find(({ name }) => name === names[i]) : given[i];
    if (!found) return { error: `launch.json has no argument '${names[i]}'` };
    const { name, argument, array } = found;
    if (argument.kind === "scalar") {
      if (fallback.kind !== "scalar") return { error: `argument '${name}' is an array in the kernel, a number in launch.json` };
      plan.push({ ...fallback, value: typeof fallback.value === "bigint" ? BigInt(argument.value) : Number(argument.value) });
      continue;
    }
    const { element, data, init } = argument.spec;
    if (fallback.kind === "scalar") return { error: `argument '${name}' is a number in the kernel, an array in launch.json` };
    if (fallback.kind === "descriptor") {
      const shape = array?.shape ?? fallback.shape;
      const strides = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
      plan.push({ ...fallback, name, element, shape, strides, ...(data ? { data } : {}) });
    } else plan.push({ kind: "pointer", name, element, init, ...(data ? { data } : {}) });
  }
  return plan;
}

function everyProgram([x = 1, y = 1, z = 1]: readonly number[]): number[][] {
  const all: number[][] = [];
  for (let k = 0; k < z; k++) for (let j = 0; j < y; j++) for (let i = 0; i < x; i++) all.push([i, j, k]);
  return all;
}

function reportOf(module: Operation, result: RunResult): string {
  const { programs, grid, args, steps } = result;
  const scalars = args.flatMap((a) => (a.kind === "scalar" ? [`${a.name}=${a.value}`] : []));
  return (
    `${programs.length} programs of a grid of ${grid.join("x")}${scalars.length > 0 ? ` with ${scalars.join(" ")}` : ""}\n` +
    `${steps} steps; ${coverageText(opCoverage(module, [result]))}\n`
  );
}
