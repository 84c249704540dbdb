/** The launch whose costs are asked for: the kernel's numbers, its arrays' shapes and its grid, all stated and none made up. */
import { type Rejected, rejected } from "../compile/source.js";
import { kernelOf } from "../dialects/builtin/function-op.js";
import { TensorDescType } from "../dialects/tt/types.js";
import { lastTtgirStep } from "../explain/codegen-facts.js";
import { sourceOf } from "../explain/validate-trace.js";
import { FloatType } from "../ir/builtin-types.js";
import { tensorMapForms } from "../simulate/host-tensor-maps.js";
import { launchArguments } from "../simulate/lowered.js";
import { bytesOf } from "../simulate/numbers/element.js";
import type { LaunchArgument } from "../simulate/ptx/run.js";
import { descriptorParts, integerProblem, planArguments } from "../simulate/tensor/arguments.js";
import { nearestText } from "../support/nearest.js";
import { readStep } from "../trace/step-module.js";
import type { Trace } from "../trace/trace.js";

export type Triple = readonly [number, number, number];

/** A launch as it is stated. */
export interface LimitsLaunch {
  /** Numbers of the kernel's arguments, by name or position. */
  readonly args: Readonly<Record<string, number>>;
  /** Shapes of arrays, outermost dimension first: needed for descriptors; others are then checked for accesses beyond their end. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  readonly grid: readonly number[];
  /** The arguments' names, where the Trace has lost them. */
  readonly names?: readonly string[] | undefined;
}

/** A launch as the final code takes it. */
export interface ReadyLaunch {
  readonly grid: Triple;
  readonly args: readonly LaunchArgument[];
  /** Names of the buffers by position, and their bytes where their shape is stated. */
  readonly buffers: readonly { readonly name: string; readonly bytes: number | undefined }[];
}

/** The arguments of a kernel for a launch. An argument that is missing, unknown or cannot have its number is an error. */
export function readyLaunch(trace: Trace, { args, shapes, grid, names: given }: LimitsLaunch): ReadyLaunch | Rejected {
  const source = sourceOf(trace);
  if (source.kind === "error") return source;
  const { module } = source;
  const names = given ?? source.names;
  const kernel = kernelOf(module)!;
  const types = kernel.regions[0]!.firstBlock!.args.map(({ type }) => type);
  const parts = descriptorParts(kernel);
  const scalars: Record<string, number> = {};
  for (const [written, value] of Object.entries(args)) {
    const at = names.includes(written) ? names.indexOf(written) : /^\d+$/.test(written) ? Number(written) : -1;
    const name = names[at];
    if (name === undefined)
      return rejected(`there is no argument '${written}'${nearestText(written, names)}; the kernel has ${names.join(", ")}`);
    const type = types[at]!;
    if (TensorDescType.is(type)) return rejected(`argument '${name}' is a descriptor, which has a shape and is no number`);
    const problem = parts.has(at) ? "follows from its descriptor" : integerProblem(kernel, at, value);
    if (problem !== undefined) return rejected(`argument '${name}' ${problem}`);
    if (!FloatType.is(type) && !Number.isInteger(value)) return rejected(`argument '${name}' is an integer, and ${value} is none`);
    scalars[name] = value;
  }
  for (const [written, shape] of Object.entries(shapes)) {
    if (!names.includes(written))
      return rejected(`there is no argument '${written}'${nearestText(written, names)}; the kernel has ${names.join(", ")}`);
    if (shape.length === 0 || shape.some((n) => !Number.isSafeInteger(n) || n < 1))
      return rejected(`the shape of '${written}' is ${shape.join(" x ")}: it needs whole numbers from 1 on`);
  }
  const plans = planArguments(module, kernel, { scalars, shapes, grid }, "whole", names);
  const missing: string[] = [];
  for (const [i, plan] of plans.entries()) {
    const { name } = plan;
    if (plan.kind === "scalar" && !parts.has(i) && scalars[name] === undefined && !FloatType.is(types[i])) missing.push(`--arg ${name}=N`);
    if (plan.kind !== "descriptor") continue;
    const given = shapes[name];
    if (given === undefined) missing.push(`--shape ${name}=${plan.shape.map(() => "N").join(",")}`);
    else if (given.length !== plan.strides.length && plan.shape.length !== given.length)
      return rejected(rankProblem(name, plan.shape.length, given));
  }
  if (missing.length > 0)
    return rejected(
      `the costs depend on ${missing.length === 1 ? "a number" : "numbers"} that ${missing.length === 1 ? "is" : "are"} not given: ${missing.join(" ")}`,
    );
  for (const [i, type] of types.entries()) {
    const given = shapes[names[i]!];
    if (given === undefined || !TensorDescType.is(type)) continue;
    const { length: rank } = type.params.blockType.params.shape;
    if (given.length !== rank) return rejected(rankProblem(names[i]!, rank, given));
  }
  const ttgir = lastTtgirStep(trace);
  const read = ttgir && readStep(trace, ttgir);
  const maps = (read?.module && tensorMapForms(read.module)) ?? new Map();
  const ready = launchArguments(plans, maps);
  if (ready === undefined) return rejected("a descriptor has no layout in the last TTGIR, so its copies are not known");
  const [x = 1, y = 1, z = 1] = grid;
  return {
    grid: [x, y, z],
    args: ready,
    buffers: plans.map((plan) => {
      const shape = shapes[plan.name];
      const bytes = plan.kind === "scalar" || shape === undefined ? undefined : shape.reduce((a, b) => a * b, bytesOf(plan.element));
      return { name: plan.name, bytes };
    }),
  };
}

const rankProblem = (name: string, rank: number, given: readonly number[]): string =>
  `descriptor '${name}' has ${rank} dimension${rank === 1 ? "" : "s"}, and its shape ${given.join(" x ")} has ${given.length}`;
