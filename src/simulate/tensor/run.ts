/** Runs a kernel of a module at tensor level, over some programs of its grid. */

import { kernelOf } from "../../dialects/builtin/function-op.js";
import { signlessBlockType } from "../../dialects/tt/types.js";
import { TARGET } from "../../dialects/ttg/num-warps.js";
import { gpuCalled } from "../../gpu/gpu.js";
import { stringOf } from "../../ir/builtin-attrs.js";
import type { FloatKind } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { symbolName } from "../../ir/symbol-table.js";
import { Bug } from "../../support/assert.js";
import { LimitError, within } from "../../support/limits.js";
import { finished, type Work } from "../../support/slices.js";
import { Memory, MemoryLimit } from "../memory.js";
import { type ArgumentPlan, bufferOf, defaultGrid, type Fit, type Preconditions, planArguments } from "./arguments.js";
import { Bounds } from "./bounds.js";
import { axisInfoCheck } from "./check-axis-info.js";
import { type elementOfType, floatElement, intElement, POINTER } from "./elements.js";
import type { Finding } from "./findings.js";
import type { TensorDesc } from "./global-block.js";
import { enter, type Instruction, Program } from "./instructions.js";
import { type Checks, DEFAULT_LIMITS, type Limits, Machine, Stop, type StoreEvent } from "./machine.js";
import { RULES } from "./rules/index.js";
import { SharedState } from "./shared-memory.js";
import { rawOfNumber, scalar, tensorSpec, type Val } from "./value.js";

/** How a kernel is run on the CPU; without options its arguments and grid are made up. */
export interface RunOptions {
  /** The kernel's name; by default the first public function. */
  readonly kernel?: string;
  /** Arguments in the kernel's order; made up when absent. */
  readonly args?: readonly ArgumentPlan[];
  readonly preconditions?: Preconditions;
  readonly fit?: Fit;
  readonly grid?: readonly number[];
  /** Which programs run, one after the other on the same memory. */
  readonly programs?: readonly (readonly number[])[];
  readonly seed?: number;
  /** The memory of another run: what that has not touched of the arguments is out of bounds. */
  readonly within?: Memory;
  /** Whose conversions are meant where targets differ, `cuda:90`; by default the module's own target, else cuda:80. */
  readonly target?: string | undefined;
  readonly limits?: Partial<Limits>;
  readonly checks?: Checks;
  /** Hears what the values leave open. */
  readonly bounds?: Bounds;
}

/** The results of a run. */
export interface RunResult {
  readonly kernel: string;
  readonly memory: Memory;
  readonly args: readonly ArgumentPlan[];
  readonly stores: readonly StoreEvent[];
  /** Error bounds of the stored values, by address. The first call computes them: it runs the module again, as it is at that time. */
  readonly bounds: () => ReadonlyMap<number, number>;
  readonly findings: readonly Finding[];
  /** Buffers that were stored and loaded in one program, with no barrier between. */
  readonly open: ReadonlySet<string>;
  /** Loads and stores whose elements the same program stored over with no barrier between, with their buffers. */
  readonly overwritten: ReadonlyMap<Operation, string>;
  readonly printed: readonly string[];
  readonly grid: readonly number[];
  readonly programs: readonly (readonly number[])[];
  readonly steps: number;
  /** Whether a loop had no round. */
  readonly skippedLoop: boolean;
  /** Every op that was reached or lies beside one that was; how often it ran, for how many lanes where it has a mask, and where it branched to. */
  readonly coverage: readonly Pick<Instruction, "op" | "count" | "lanes" | "taken">[];
}

/** Runs a kernel. A fault while it runs is a finding; a module without the kernel is a Bug of the caller. */
export function runModule(module: Operation, options: RunOptions = {}): RunResult {
  return finished(runningModule(module, options));
}

/** `runModule`, program by program. */
export function* runningModule(module: Operation, options: RunOptions = {}): Work<RunResult> {
  const kernel = kernelOf(module, options.kernel);
  if (!kernel) throw new Bug(`no kernel ${options.kernel ?? ""} to run`);
  const args = options.args ?? planArguments(module, kernel, options.preconditions, options.fit);
  const seed = options.seed ?? 0;
  const grid = options.grid ?? options.preconditions?.grid ?? defaultGrid(module);
  const programs = options.programs ?? options.preconditions?.programs ?? samplePrograms(grid);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const memory = new Memory(seed, undefined, options.within);
  const machine = new Machine(
    memory,
    limits,
    options.checks ?? {},
    seed,
    gpuCalled(options.target ?? stringOf(module.attr(TARGET)) ?? "") ?? gpuCalled("cuda:80")!,
  );
  machine.bounds = options.bounds;
  machine.onResult = options.checks?.axisInfo ? axisInfoCheck(module, machine.findings) : options.checks?.observe;
  machine.grid = [0, 1, 2].map((axis) => grid[axis] ?? 1);
  const code = new Program(module, RULES);
  const values = args.map((arg, i) => argumentValue(memory, arg, kernel.regions[0]!.firstBlock!.args[i]!.type, i));
  const isGluon = module.ctx.language === "gluon";
  let known: ReadonlyMap<number, number> | undefined;
  try {
    const entry = code.block(kernel.regions[0]!.firstBlock!);
    for (const [done, program] of programs.entries()) {
      if (yield { what: "programs", done, of: programs.length }) break;
      machine.order.left = programs.length - done - 1;
      machine.run(
        program,
        new SharedState(machine.findings, limits, machine.bounds, isGluon, isGluon && !module.ctx.triton.fencesForReads),
        () => enter(machine, entry, [], values, () => machine.pop(), true),
      );
    }
  } catch (error) {
    if (error instanceof Stop) machine.findings.add(error.kind, error.op, error.message);
    else if (error instanceof MemoryLimit || error instanceof LimitError)
      machine.findings.add("limit", undefined, error.message.replace(/^limit: /, ""));
    else throw error;
  }
  return {
    kernel: symbolName(kernel) ?? "",
    memory,
    args,
    stores: machine.stores,
    bounds: () => {
      if (known) return known;
      const bounds = new Bounds();
      // An op is executed again for each of its operands.
      const maxSteps = 16 * limits.maxSteps;
      runModule(module, { ...options, args, grid, programs, checks: {}, limits: { ...limits, maxSteps }, bounds });
      return (known = bounds.stored);
    },
    findings: machine.findings.all,
    open: machine.order.open,
    overwritten: machine.order.overwritten,
    printed: machine.printed,
    grid: machine.grid,
    programs,
    steps: machine.steps,
    skippedLoop: machine.skippedLoop,
    coverage: code.instructions,
  };
}

function argumentValue(memory: Memory, plan: ArgumentPlan, type: Parameters<typeof elementOfType>[0], position: number): Val {
  if (plan.kind === "scalar") {
    const { element } = tensorSpec(type);
    return scalar(element, rawOfNumber(element, plan.value));
  }
  const base = memory.addBuffer(bufferOf(plan), position);
  if (plan.kind === "pointer") return scalar(POINTER, base);
  const { element } = plan;
  const kept = element.startsWith("i") ? intElement(Number(element.slice(1))) : floatElement(element as FloatKind);
  const desc: TensorDesc = {
    form: "tensor-desc",
    base,
    shape: plan.shape,
    strides: plan.strides,
    block: signlessBlockType(type).params.shape,
    element: kept,
    padding: "zero",
  };
  return desc;
}

/** All of a grid, x fastest. */
export function everyProgram([x = 1, y = 1, z = 1]: readonly number[]): number[][] {
  within("programs", x * y * z);
  const all: number[][] = [];
  for (let k = 0; k < z; k++) for (let j = 0; j < y; j++) for (let i = 0; i < x; i++) all.push([i, j, k]);
  return all;
}

/** The corners of the grid, and what lies between, up to four programs. */
export function samplePrograms(grid: readonly number[]): number[][] {
  const [x = 1, y = 1, z = 1] = grid;
  const corners = [0, x - 1].flatMap((i) => [0, y - 1].flatMap((j) => [0, z - 1].map((k) => [i, j, k])));
  const middle = [x >> 1, y >> 1, z >> 1];
  const seen = new Set<string>();
  const distinct = [...corners, middle].filter((p) => !seen.has(p.join()) && seen.add(p.join()));
  if (distinct.length <= 4) return distinct;
  return [0, distinct.length >> 1, distinct.length - 2, distinct.length - 1].map((i) => distinct[i]!);
}
