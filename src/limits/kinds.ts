/**
 * Sorts the programs of a grid into kinds that cost the same, so that one of each kind need be followed as a whole. A few threads of each
 * program are followed until every access of global memory has begun, 32 programs at once. Programs are of a kind where these threads make
 * the same accesses at the same distances from each other, from the same place in a sector on, and go round loops as often.
 */
import { type PtxLaunch, runPtx } from "../simulate/ptx/run.js";
import type { Triple } from "./launch.js";

/** Programs, by their position among those that were looked at. */
export interface Kinds {
  /** The kind of each program, and the programs of each kind, both in order. */
  readonly kindOf: readonly number[];
  readonly members: readonly (readonly number[])[];
  /** For each access (by its site's number) the byte where the first thread begins it; NaN for programs that do not make it. */
  readonly begins: ReadonlyMap<number, Float64Array>;
  /** How many threads of each program were followed. */
  readonly threads: number;
}

/** Above so many programs only four threads are followed: the first two, that in the middle and the last; above so many more, two. */
const FEW_THREADS = 1024;
const TWO_THREADS = 16_384;
const MOST_STEPS = 8_000_000;

/** The kinds of these programs; undefined where threads cannot be followed alone: their addresses depend on other threads. */
export function kindsOf(
  ptx: string,
  common: Omit<PtxLaunch, "programs" | "limits">,
  programs: readonly Triple[],
  threads: number,
): Kinds | undefined {
  const begins = new Map<number, Float64Array>();
  const [low, high] = [new Int32Array(programs.length), new Int32Array(programs.length)];
  const mix = (program: number, n: number): void => {
    low[program] = Math.imul(low[program]! ^ n, 0x9e3779b1) ^ (low[program]! >>> 15);
    high[program] = Math.imul(high[program]! + n, 0x85ebca6b) ^ (high[program]! >>> 13);
  };
  const asked = { ...common, programs, limits: { maxSteps: MOST_STEPS } };
  const follow = chosenThreads(threads, programs.length);
  const run = runPtx(ptx, {
    ...asked,
    asLanes: {
      threads: follow,
      accessed: (program, thread, { index }, address, bytes) => {
        let known = begins.get(index);
        if (!known) begins.set(index, (known = new Float64Array(programs.length).fill(Number.NaN)));
        if (Number.isNaN(known[program])) {
          known[program] = address;
          mix(program, address & 31);
        }
        const distance = address - known[program]!;
        mix(program, Math.imul(index, 0x27d4eb2f) ^ Math.imul(thread, 0x165667b1) ^ (bytes << 20) ^ (distance / 2 ** 32));
        mix(program, distance | 0);
      },
    },
  });
  if (run.findings.length > 0 || run.slice === undefined || run.slice.mixesThreads) return undefined;
  if (run.slice.choosesByProgram) {
    const rounds = runPtx(ptx, {
      ...asked,
      asLanes: {
        threads: Array.from({ length: Math.ceil(threads / 32) }, (_, warp) => 32 * warp),
        rounds: (program, _thread, _loop, times) => mix(program, times),
      },
    });
    if (rounds.findings.length > 0) return undefined;
  }
  const numbers = new Map<string, number>();
  const members: number[][] = [];
  const kindOf = programs.map((_, program) => {
    const key = `${low[program]} ${high[program]}`;
    const kind = numbers.get(key) ?? numbers.size;
    numbers.set(key, kind);
    (members[kind] ??= []).push(program);
    return kind;
  });
  return { kindOf, members, begins, threads: follow.length };
}

/** The first thread of each warp, those whose number has one bit, and the last; fewer for many programs. */
function chosenThreads(threads: number, programs: number): number[] {
  if (programs > TWO_THREADS) return [0, threads - 1];
  if (programs > FEW_THREADS) return [0, 1, threads >> 1, threads - 1];
  const chosen = new Set<number>();
  for (let thread = 0; thread < threads; thread += 32) chosen.add(thread);
  for (let thread = 1; thread < threads; thread *= 2) chosen.add(thread);
  return [...chosen.add(threads - 1)].sort((a, b) => a - b);
}
