/**
 * How much of a validation its seconds allow. Work is counted, so that the same input always gives the same text. It is counted in instructions
 * that one lane executes; each takes about a tenth of a microsecond.
 */

import type { PtxRun } from "./ptx/run.js";
import { DEFAULT_LIMITS } from "./tensor/machine.js";
import type { RunResult } from "./tensor/run.js";

/** The default of `--seconds`. */
export const DEFAULT_SECONDS = 20;
const UNITS_PER_SECOND = 10_000_000;
const UNITS_PER_STEP = 150;
const UNITS_PER_PAGE = 500;

export const workOf = ({ steps, memory }: Pick<RunResult, "steps"> & { readonly memory: Pick<RunResult["memory"], "numPages"> }): number =>
  UNITS_PER_STEP * steps + UNITS_PER_PAGE * memory.numPages;
export const workOfThreads = ({ laneInstructions, memory }: PtxRun): number => laneInstructions + UNITS_PER_PAGE * memory.numPages;
/** Computing the bounds of a run takes so many times the run. */
const BOUNDS = 5;
/** Threads take about so many times what the tensor level takes. */
export const THREADS = 3;

/** More steps than that a result of a pass does not take that does what the source does in `steps`: it does not end. */
export const mostSteps = (steps: number): number => Math.min(DEFAULT_LIMITS.maxSteps, 50 * steps + MIN_STEPS);
/** The same at the level of threads, in instructions of warps. */
export const mostWarpSteps = (source: RunResult): number => Math.ceil((200 * workOf(source) + UNITS_PER_SECOND) / 32);

/** Results of passes that are to be executed: all of them, where they are not counted. */
export interface Results {
  readonly tritonIr: number;
  readonly lowered: number;
}
/** The standard pipelines have about as many. */
const USUAL: Results = { tritonIr: 20, lowered: 10 };

/** A quarter is for finding launches, a half for Triton IR, and the rest for lowered code. */
export class Budget {
  readonly #units: number;
  readonly #left: { tritonIr: number; lowered: number };
  /** Launches that there was no time to try. */
  launchesLeftOut = 0;
  #spent = 0;

  constructor(
    seconds: number,
    readonly results?: Results,
  ) {
    this.#units = seconds * UNITS_PER_SECOND;
    this.#left = { ...(results ?? USUAL) };
  }

  spend(units: number): void {
    this.#spent += units;
  }
  spendBounds(run: RunResult): void {
    this.spend(BOUNDS * workOf(run));
  }

  /** Whether there is time to try another launch. */
  get mayTry(): boolean {
    return this.#spent < this.#units / 4;
  }
  /** The most steps of one run of the source. */
  get mostSteps(): number {
    return Math.min(DEFAULT_LIMITS.maxSteps, Math.max(MIN_STEPS, Math.floor(this.#units / 8 / UNITS_PER_STEP)));
  }
  /** The units that may go into one execution of each result in Triton IR; at the level of threads, into what is left of them. */
  share(level: keyof Results): number {
    const until = level === "lowered" ? this.#units : (3 * this.#units) / 4;
    const runs = level === "lowered" ? this.#left.lowered : this.#left.tritonIr + BOUNDS;
    return Math.max(0, until - this.#spent) / Math.max(1, runs);
  }

  /** Whether the next result, which takes so long, is to be executed: where there is no time for all it is each second, third..., and the last. */
  isDue(level: keyof Results, units: number): boolean {
    const left = this.#left[level]--;
    if (!this.results || left <= 1) return true;
    const affordable = Math.max(1, Math.floor((this.share(level) * left) / Math.max(1, units)));
    return (left - 1) % Math.max(1, Math.ceil(left / affordable)) === 0;
  }
}
/** So much can always be run. */
const MIN_STEPS = 20_000;
