/**
 * The launches that validation holds stages to: sizes with which masks cut and loops go round several times, twice, once and not at
 * all; and values that tell signed from unsigned, and what is ordered, rounded or ignored from what is not.
 */
import type { Operation } from "../ir/operation.js";
import { type ArgumentPlan, type Fit, type MadeUp, type Preconditions, planArguments } from "./tensor/arguments.js";
import { nonFinite } from "./tensor/compare.js";
import { kernelOf, type RunOptions, type RunResult, runModule } from "./tensor/run.js";

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
  /** Kinds of findings that do not count. */
  readonly ignore: ReadonlySet<string>;
  /** Whether lowered code, which takes longest, is run so. */
  readonly lowered: boolean;
}

/** `ran` hears of each run that was needed to find out. */
export function chooseLaunches(module: Operation, options: LaunchOptions, ran: () => void): Chosen[] {
  const kernel = kernelOf(module, options.kernel)!;
  const [seed = 0, ...others] = options.seeds ?? [0, 1];
  const plan = (fit: Fit, made: MadeUp) => planArguments(module, kernel, options.preconditions, fit, options.names, made);
  const tried = (args: readonly ArgumentPlan[], by = seed): RunResult => {
    ran();
    return runModule(module, { ...options, args, seed: by });
  };
  const isSound = (args: readonly ArgumentPlan[], by = seed): boolean => !tried(args, by).findings.some(isFault);
  const ways: [Fit, MadeUp][] = [
    ["cut", WIDE],
    ["cut", TAME],
    ["whole", TAME],
  ];
  const plans = ways.map(([f, made]) => plan(f, made));
  const found = plans.findIndex((args, i) => !plans.slice(0, i).some((known) => same(known, args)) && isSound(args));
  const [fit, { integers }] = ways.at(found)!;
  const args = plans.at(found)!;
  const launches: Chosen[] = [{ seed, args, ignore: NOTHING, lowered: true }];
  // Where the kernel itself goes wrong in every way, that is all there is to say.
  const edges = found < 0 ? args : plan(fit, { integers, floats: "edges" });
  for (const s of others)
    launches.push({ seed: s, args: !same(edges, args) && isSound(edges, s) ? edges : args, ignore: NOTHING, lowered: false });
  if (found < 0) return launches;

  const add = (more: readonly ArgumentPlan[], ignore = NOTHING): void => {
    if (!launches.some((known) => same(known.args, more)) && isSound(more)) launches.push({ seed, args: more, ignore, lowered: true });
  };
  if (fit === "cut") {
    add(plan("short", { integers, floats: "edges" }));
    const rates = RATES.map((floats) => plan("two", { integers, floats }));
    // As many as the kernel's own result can take.
    const rate = rates.find((more) => {
      const run = tried(more);
      return !run.findings.some(isFault) && nonFinite(run) <= MOST_NON_FINITE;
    });
    add(rate ?? plan("two", { integers, floats: "edges" }));
  }
  add(plan("empty", { integers, floats: "random" }), NEVER_FILLED);
  return launches;
}

/** What no stage need agree on. */
const isFault = ({ severity, kind }: RunResult["findings"][number]): boolean => severity === "error" || kind === "store-conflict";
const WIDE: MadeUp = { integers: "wide", floats: "random" };
const TAME: MadeUp = { integers: "random", floats: "random" };
/** One in so many values is infinite or NaN. */
const RATES = [8, 128, 4096] as const;
/** Of what is stored. */
const MOST_NON_FINITE = 0.5;
const NOTHING: ReadonlySet<string> = new Set();
/** What loops would have filled may be read when they do not turn; whether it is stored anywhere is seen. */
const NEVER_FILLED: ReadonlySet<string> = new Set(["unwritten-shared"]);

/** Whether two launches pass the same numbers, and arrays of the same values. */
function same(a: readonly ArgumentPlan[], b: readonly ArgumentPlan[]): boolean {
  const text = (args: readonly ArgumentPlan[]) =>
    args
      .map((arg) => (arg.kind === "scalar" ? String(arg.value) : JSON.stringify([arg.init, arg.kind === "descriptor" ? arg.shape : []])))
      .join();
  return text(a) === text(b);
}
