/**
 * The launches on which validation compares stages: sizes with which masks cut and loops go round several times, twice, once and not at
 * all; and values that tell signed from unsigned, and what is ordered, rounded or ignored from what is not.
 */
import { argumentAttr, kernelOf } from "../dialects/builtin/function-op.js";
import { intOf } from "../ir/builtin-attrs.js";
import type { Operation } from "../ir/operation.js";
import { Budget, DEFAULT_SECONDS, workOf } from "./budget.js";
import { type ArgumentPlan, type Fit, type MadeUp, type Preconditions, planArguments } from "./tensor/arguments.js";
import { nonFinite } from "./tensor/compare.js";
import { type RunOptions, type RunResult, runModule } from "./tensor/run.js";

export interface LaunchOptions extends Omit<RunOptions, "args" | "seed" | "preconditions" | "fit"> {
  readonly seeds?: readonly number[];
  readonly preconditions?: Preconditions;
  /** The arguments' names, where the IR has lost them. */
  readonly names?: readonly string[];
}

/** One way to start the kernel. */
export interface Chosen {
  readonly seed: number;
  readonly args: readonly ArgumentPlan[];
  /** The run of the source in this launch. */
  readonly run: RunResult;
  /** Kinds of findings that do not count. */
  readonly ignore: ReadonlySet<string>;
  /** Whether lowered code, which takes longest, is run so where the budget allows it. */
  readonly lowered: boolean;
}

/** `ran` hears of each run that was needed to find out. Where `budget` has no time for all, there are fewer programs and launches. */
export function chooseLaunches(
  module: Operation,
  options: LaunchOptions,
  ran: () => void,
  budget: Budget = new Budget(DEFAULT_SECONDS),
): Chosen[] {
  const kernel = kernelOf(module, options.kernel)!;
  const [seed = 0, ...others] = options.seeds ?? [0, 1];
  const stated = options.grid ? { ...options.preconditions, grid: options.grid } : options.preconditions;
  const plan = (fit: Fit, made: MadeUp) => planArguments(module, kernel, stated, fit, options.names, made).map(leastAligned(kernel));
  const runs = new Map<string, RunResult>();
  const limits = { maxSteps: budget.mostSteps, ...options.limits };
  let programs = options.programs ?? options.preconditions?.programs;
  const tried = (args: readonly ArgumentPlan[], by = seed): RunResult => {
    const key = `${by} ${textOf(args)}`;
    const known = runs.get(key);
    if (known) return known;
    ran();
    const run = runModule(module, { ...options, ...(programs ? { programs } : {}), limits, args, seed: by });
    budget.spend(workOf(run));
    runs.set(key, run);
    return run;
  };
  const isSoundRun = ({ findings }: RunResult): boolean => !findings.some(isFault) && !(refusesZero && findings.some(isDivision));
  const sound = (args: readonly ArgumentPlan[], by = seed): RunResult | undefined => {
    const run = tried(args, by);
    return isSoundRun(run) ? run : undefined;
  };
  const ways = (
    [
      ["cut", WIDE],
      ["cut", TAME],
      ["whole", TAME],
    ] as const
  ).map(([fit, made]) => ({ fit, made, args: plan(fit, made) }));
  const distinct = ways.filter(({ args }, i) => !ways.slice(0, i).some((known) => same(known.args, args)));
  const probe = tried(distinct[0]!.args);
  const affordable = isStopped(probe) ? 1 : Math.floor((budget.share("tritonIr") * probe.programs.length) / workOf(probe));
  if (programs === undefined && affordable < probe.programs.length) {
    programs = evenly(probe.programs, Math.max(1, affordable));
    runs.clear();
  }
  // A quotient by zero is not defined, but masked lanes may compute one: launches without are taken where there are some.
  let refusesZero = true;
  let chosen = distinct.find(({ args }) => sound(args));
  refusesZero = chosen !== undefined;
  chosen ??= distinct.find(({ args }) => sound(args)) ?? distinct.at(-1)!;
  const { fit, made, args } = chosen;
  const run = tried(args);
  const isSound = isSoundRun(run);
  const { integers } = made;
  const launches: Chosen[] = [{ seed, args, run, ignore: ignoredOf(run), lowered: true }];
  // Where the kernel itself goes wrong in every way, that is all there is to say.
  const edges = isSound ? plan(fit, { integers, floats: "edges" }) : args;
  for (const s of others) {
    if (!budget.mayTry) {
      budget.launchesLeftOut++;
      continue;
    }
    const edged = same(edges, args) ? undefined : sound(edges, s);
    const other = edged ?? tried(args, s);
    launches.push({ seed: s, args: edged ? edges : args, run: other, ignore: ignoredOf(other), lowered: false });
  }
  if (!isSound) return launches;

  const add = (more: readonly ArgumentPlan[]): void => {
    if (launches.some((known) => same(known.args, more))) return;
    if (!budget.mayTry) return void budget.launchesLeftOut++;
    const run = sound(more);
    if (run) launches.push({ seed, args: more, run, ignore: ignoredOf(run), lowered: true });
  };
  if (fit === "cut") {
    add(plan("short", { integers, floats: "edges" }));
    const rates = RATES.map((floats) => plan("two", { integers, floats }));
    // As many as the kernel's own result can take.
    const rate = rates.find((more) => {
      const run = budget.mayTry ? sound(more) : undefined;
      return run && nonFinite(run) <= MOST_NON_FINITE;
    });
    add(rate ?? plan("two", { integers, floats: "edges" }));
  }
  add(plan("empty", { integers, floats: "random" }));
  return launches;
}

/**
 * Addresses that are multiples of what the kernel is compiled for and of no more, so that code that takes more for granted goes wrong. At
 * least 16 bytes, as allocations are: sources may promise that of a pointer by hints of their own.
 */
const leastAligned =
  (kernel: Operation) =>
  (arg: ArgumentPlan, i: number): ArgumentPlan => {
    if (arg.kind !== "pointer") return arg;
    const stated = intOf(argumentAttr(kernel, i, "tt.divisibility")) ?? 1;
    return { ...arg, alignment: Math.max(16, stated & -stated) };
  };

/** So many of `items`, from the first to the last. */
export const evenly = <T>(items: readonly T[], count: number): readonly T[] =>
  Array.from({ length: count }, (_, i) => items[Math.round((i * (items.length - 1)) / Math.max(count - 1, 1))]!);

/** Whether a run was stopped before its end: what it would have stored is not known. */
export const isStopped = ({ findings }: RunResult): boolean => findings.some(({ kind }) => kind === "limit");

/** Whether a finding leaves the results undefined, so that stages need not agree on them. */
const isFault = ({ severity, kind }: RunResult["findings"][number]): boolean => severity === "error" || kind === "store-conflict";
const isDivision = ({ kind }: RunResult["findings"][number]): boolean => kind === "division-by-zero";
const WIDE: MadeUp = { integers: "wide", floats: "random" };
const TAME: MadeUp = { integers: "random", floats: "random" };
/** One in so many values is infinite or NaN. */
const RATES = [8, 128, 4096] as const;
/** The largest share of stored values that may be infinite or NaN. */
const MOST_NON_FINITE = 0.5;
/** A loop without rounds may leave shared or tensor memory unfilled that is read later; if such a value is stored, the comparison shows it. */
const ignoredOf = ({ skippedLoop }: RunResult): ReadonlySet<string> => new Set(skippedLoop ? ["unwritten-shared"] : []);

/** The same for launches that pass the same numbers, and arrays of the same values. */
const textOf = (args: readonly ArgumentPlan[]): string =>
  args
    .map((arg) => (arg.kind === "scalar" ? String(arg.value) : JSON.stringify([arg.init, arg.kind === "descriptor" ? arg.shape : []])))
    .join();
const same = (a: readonly ArgumentPlan[], b: readonly ArgumentPlan[]): boolean => textOf(a) === textOf(b);
