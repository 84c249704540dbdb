/**
 * Counts what programs of a launch cost, while the final code is followed: branches and addresses are computed, data is not
 * (`simulate/ptx/address-slice.ts`). One program of each kind is followed as a whole; docs/limits.md says when the result is exact.
 */
import { type Rejected, rejected } from "../compile/source.js";
import type { Site } from "../simulate/ptx/findings.js";
import { type PtxRun, runPtx } from "../simulate/ptx/run.js";
import { type Direction, type Runs, SectorSet, sizeOfRuns, Touches } from "./footprint.js";
import { type Kinds, kindsOf } from "./kinds.js";
import type { ReadyLaunch, Triple } from "./launch.js";

/** One instruction of the final code, and its cost in one program: the mean over the programs. */
export interface SiteCost {
  readonly index: number;
  readonly text: string;
  readonly mnemonic: string;
  /** Line of the PTX, and `kernel.py:12:8`. */
  readonly line: number;
  readonly source: string | undefined;
  /** The innermost loop that it is in, an index of `Counts.loops`. */
  readonly loop: number | undefined;
  /** Times that a warp executed it. */
  readonly executions: number;
  readonly requests: number;
  readonly sectors: number;
  readonly lines: number;
  readonly wavefronts: number;
  readonly idealWavefronts: number;
  readonly product: Site["product"];
  /** Whether it reads or writes global memory. */
  readonly direction: Direction | undefined;
  /** Sectors that it touches, each counted once. */
  readonly distinct: number;
}

/** A loop of the kernel. */
export interface LoopCount {
  readonly depth: number;
  /** Rounds of a warp that enters it, and warps of a program that do. */
  readonly iterations: number;
  readonly warps: number;
}

/** Bytes of global memory that differ, by direction. */
export interface Traffic {
  readonly read: number;
  readonly write: number;
}

/** The programs that were followed, and what they say of the others. */
export interface Coverage {
  readonly followed: number;
  readonly programs: number;
  /**
   * `all`: every program was followed; `kinds`: one of each kind was; `alike`: those that were followed cost the same, but others were not
   * looked at; `sample`: they differ.
   */
  readonly kind: "all" | "kinds" | "alike" | "sample";
  /** Kinds of programs, and threads of each program that decided its kind; 0 where kinds are not known. */
  readonly kinds: number;
  readonly threads: number;
  /** Programs that were looked at, followed or not. */
  readonly looked: number;
  /** Standard error of the mean number of warp instructions of a program, relative to it; 0 unless it is a sample. */
  readonly error: number;
  /** The most that a followed program cost relative to the mean. */
  readonly spread: number;
}

export interface Counts {
  readonly threads: number;
  readonly numCtas: number;
  readonly coverage: Coverage;
  readonly sites: readonly SiteCost[];
  readonly loops: readonly LoopCount[];
  readonly traffic: {
    /** Bytes of one program (of the commonest kind), of a wave of programs, and of the whole grid; each byte counts once. */
    readonly program: Traffic;
    readonly wave: Traffic;
    readonly grid: Traffic;
    /** Programs of the wave that is meant; programs whose accesses are known; whether these are all of the grid. */
    readonly wavePrograms: number;
    readonly known: number;
    readonly exact: boolean;
  };
}

/** Warp instructions after which no further program is followed as a whole: where kinds are known, and where not. */
const STEPS_OF_KINDS = 1_500_000;
const STEPS = 200_000;
/** Programs that cost the same after which no other is followed, where kinds are not known. */
const ALIKE = 32;
const MOST_STEPS = 20_000_000;
/** Programs that are looked at. */
const MOST_LOOKED = 1 << 17;
/** Runs of sectors that are put together. */
const MOST_RUNS = 20_000_000;

const sizeOf = ([x, y, z]: Triple): number => x * y * z;
const placeOf = (index: number, [x, y]: Triple): Triple => [index % x, Math.floor(index / x) % y, Math.floor(index / (x * y))];

/** Counts a kernel's costs. `threads` are those of a program, `resident` the programs that run at once. */
export function countLaunch(ptx: string, launch: ReadyLaunch, sharedBytes: number, threads: number, resident: number): Counts | Rejected {
  const { grid } = launch;
  const total = sizeOf(grid);
  const common = { grid, args: launch.args, sharedBytes, addressesOnly: true } as const;
  const all = lookedAt(total, resident).map((i) => placeOf(i, grid));
  const kinds = kindsOf(ptx, common, all, threads);
  const looked = kinds ? all : spreadOrder(total).map((i) => placeOf(i, grid));
  const order = kinds ? ofEachKind(kinds) : [...looked.keys()];
  const followed: Followed[] = [];
  let steps = 0;
  let before: Sums | undefined;
  const touches = new Map<Direction, Touches>();
  const run = runPtx(ptx, {
    ...common,
    programs: order.map((at) => looked[at]!),
    limits: { maxSteps: MOST_STEPS },
    touched: (_program, { index }, sector, kind) => {
      for (const direction of kind === "atomic" ? (["read", "write"] as const) : [kind]) {
        let known = touches.get(direction);
        if (!known) touches.set(direction, (known = new Touches()));
        known.add(index, sector);
      }
    },
    ended: (i, sites, loops) => {
      const sums = sumsOf(sites, loops);
      followed.push(followedProgram(order[i]!, sums, before, touches));
      before = sums;
      touches.clear();
      steps = sums.steps;
      if (kinds) return steps >= STEPS_OF_KINDS;
      // One program says nothing of the others.
      return followed.length > 1 && (steps >= STEPS || (followed.length >= ALIKE && areAlike(followed)));
    },
  });
  const problem = problemOf(run, followed.length);
  if (problem) return problem;
  if (kinds) shareWeights(followed, kinds);
  const coverage = coverageOf(followed, total, looked.length, kinds);
  const outside = outsideOf(launch, followed, kinds, run.sites);
  if (outside !== undefined) return rejected(outside);
  return {
    threads: run.threads,
    numCtas: run.numCtas,
    coverage,
    sites: sitesOf(run, followed),
    loops: run.loops.map(({ depth }, i) => {
      const warps = mean(followed, ({ loops }) => loops[2 * i]!);
      return { depth, iterations: warps === 0 ? 0 : mean(followed, ({ loops }) => loops[2 * i + 1]!) / warps, warps };
    }),
    traffic: trafficOf(followed, kinds, looked.length, total, Math.max(Math.min(resident, total), 1), coverage),
  };
}

/** All programs, or the first wave and others spread over the grid, ascending. */
function lookedAt(total: number, wave: number): readonly number[] {
  const all = Array.from({ length: Math.min(total, MOST_LOOKED) }, (_, i) => i);
  if (total <= MOST_LOOKED) return all;
  const first = Math.min(wave, MOST_LOOKED >> 1);
  const step = (total - first - 1) / (MOST_LOOKED - first - 1);
  return all.map((i) => (i < first ? i : Math.round(first + (i - first) * step)));
}

/** One program of each kind, the commonest first; of that kind also the last, as a check. */
function ofEachKind({ members }: Kinds): number[] {
  const [first, ...others] = members.toSorted((a, b) => b.length - a.length);
  return [...new Set([first![0]!, first!.at(-1)!, ...others.map(([program]) => program!)])];
}

/** First, last and middle program, then the middles of what lies between, at most as many as can be followed at all. */
function spreadOrder(total: number): number[] {
  const most = Math.min(total, 4096);
  const order = new Set([0, total - 1, total >> 1]);
  for (let parts = 4; order.size < most && parts <= 4 * 4096; parts *= 2)
    for (let i = 1; i < parts && order.size < most; i += 2) order.add(Math.floor((i * (total - 1)) / parts));
  if (total <= 4096) for (let i = 0; i < total; i++) order.add(i);
  return [...order];
}

/** The counts of each instruction, in the order of `Sums.costs`. */
const FIELDS = ["executions", "requests", "sectors", "lines", "wavefronts", "idealWavefronts"] as const;

/** Counts over all programs so far: `FIELDS` of each site; entries and rounds of each loop. */
interface Sums {
  readonly steps: number;
  readonly costs: Float64Array;
  readonly loops: Float64Array;
}
/** A program that was followed as a whole. */
interface Followed extends Sums {
  /** Its position among the programs that were looked at. */
  readonly position: number;
  /** How many programs it speaks for. */
  weight: number;
  readonly runs: ReadonlyMap<Direction, ReadonlyMap<number, Runs>>;
}

function sumsOf(sites: readonly Site[], loops: readonly { readonly entries: number; readonly iterations: number }[]): Sums {
  const costs = Float64Array.from(sites.flatMap((site) => FIELDS.map((field) => site[field])));
  return {
    steps: sites.reduce((sum, { executions }) => sum + executions, 0),
    costs,
    loops: Float64Array.from(loops.flatMap(({ entries, iterations }) => [entries, iterations])),
  };
}

function followedProgram(position: number, now: Sums, before: Sums | undefined, touches: ReadonlyMap<Direction, Touches>): Followed {
  return {
    position,
    weight: 1,
    steps: now.steps - (before?.steps ?? 0),
    costs: now.costs.map((n, i) => n - (before?.costs[i] ?? 0)),
    loops: now.loops.map((n, i) => n - (before?.loops[i] ?? 0)),
    runs: new Map([...touches].map(([direction, known]) => [direction, known.runs()])),
  };
}

/** Each followed program speaks for its kind, together with the others of that kind. */
function shareWeights(followed: readonly Followed[], { kindOf, members }: Kinds): void {
  for (const program of followed) {
    const kind = kindOf[program.position]!;
    program.weight = members[kind]!.length / followed.filter(({ position }) => kindOf[position] === kind).length;
  }
}

const same = (a: Float64Array, b: Float64Array): boolean => a.length === b.length && a.every((n, i) => n === b[i]);
const areAlike = (followed: readonly Followed[]): boolean => followed.every(({ costs }) => same(costs, followed[0]!.costs));

/** The mean over the programs that the followed ones speak for. */
function mean(followed: readonly Followed[], value: (program: Followed) => number): number {
  let [sum, weight] = [0, 0];
  for (const program of followed) {
    sum += value(program) * program.weight;
    weight += program.weight;
  }
  return sum / weight;
}

function coverageOf(followed: readonly Followed[], programs: number, looked: number, kinds: Kinds | undefined): Coverage {
  const average = mean(followed, ({ steps }) => steps);
  const covers = (known: Kinds): boolean => {
    const kindOf = ({ position }: Followed) => known.kindOf[position];
    const isEachKind = known.members.every((_, kind) => followed.some((program) => kindOf(program) === kind));
    // Two of the commonest kind were followed.
    return isEachKind && followed.every((a) => followed.every((b) => kindOf(a) !== kindOf(b) || isTranslated(a, b, known)));
  };
  const isRight = kinds !== undefined && covers(kinds);
  // Where one of each kind was followed, all that were looked at are known.
  const known = isRight ? looked : followed.length;
  const variance = mean(followed, ({ steps }) => (steps - average) ** 2) * (known / Math.max(known - 1, 1));
  const kind = followed.length === programs ? "all" : isRight && looked === programs ? "kinds" : areAlike(followed) ? "alike" : "sample";
  return {
    followed: followed.length,
    programs,
    kind,
    kinds: kinds?.members.length ?? 0,
    threads: kinds?.threads ?? 0,
    looked: known,
    error: kind === "sample" ? Math.sqrt(variance / known) / average : 0,
    spread: Math.max(...followed.map(({ steps }) => steps)) / average,
  };
}

/** Whether programs cost the same, and accesses of one are those of the other at other addresses. */
function isTranslated(a: Followed, b: Followed, { begins }: Kinds): boolean {
  const sector = (site: number, { position }: Followed) => Math.floor((begins.get(site)?.[position] ?? Number.NaN) / 32);
  return (
    same(a.costs, b.costs) &&
    [...a.runs].every(([direction, sites]) =>
      [...sites].every(([site, runs]) => {
        const others = b.runs.get(direction)?.get(site);
        const shift = sector(site, b) - sector(site, a);
        return others?.length === runs.length && runs.every((at, i) => at + shift === others[i]);
      }),
    )
  );
}

function sitesOf(run: PtxRun, followed: readonly Followed[]): SiteCost[] {
  const loopOf = new Map<Site, number>();
  run.loops.forEach(({ sites }, i) => {
    for (const site of sites) loopOf.set(site, i);
  });
  const touches = (direction: Direction, index: number) => followed.some(({ runs }) => runs.get(direction)?.has(index));
  return run.sites.map((site, at) => {
    const { index, text, mnemonic, line, source, product } = site;
    const direction = touches("read", index) ? "read" : touches("write", index) ? "write" : undefined;
    const costs = Object.fromEntries(FIELDS.map((field, i) => [field, mean(followed, (p) => p.costs[FIELDS.length * at + i]!)]));
    return {
      index,
      text,
      mnemonic,
      line,
      source,
      loop: loopOf.get(site),
      ...(costs as Record<(typeof FIELDS)[number], number>),
      product,
      direction,
      distinct: direction ? mean(followed, ({ runs }) => sizeOfRuns(runs.get(direction)?.get(index) ?? NO_RUNS)) : 0,
    };
  });
}
const NO_RUNS = new Float64Array(0);

/** A run that did not come to its end has no counts. */
function problemOf(run: PtxRun, followed: number): Rejected | undefined {
  const [diagnostic] = run.diagnostics;
  if (diagnostic) return rejected(`the final code cannot be read: ${diagnostic.message}`);
  const finding = run.findings.find(({ kind }) => ["limit", "deadlock", "not-modelled", "no-instruction", "assert"].includes(kind));
  // A program that is too long after others is left out.
  if (finding?.kind === "limit" && followed > 0) return undefined;
  if (finding?.kind === "limit")
    return rejected(
      `one program takes more than ${MOST_STEPS} warp instructions: it is too long to be followed; smaller numbers or a smaller block make it shorter`,
    );
  return finding && rejected(`the final code cannot be followed: ${finding.message}${finding.site === "" ? "" : ` (${finding.site})`}`);
}

/** The sectors of an access, and the first program (by its position among those that were looked at) that touches them. */
interface Access {
  readonly program: number;
  readonly site: number;
  readonly runs: Runs;
  /** By how many sectors its runs begin later. */
  readonly shift: number;
}

/** The accesses of programs, site by site, as far as those that were followed give them; those of a kind that begin in one sector come once. */
function* accessesOf(followed: readonly Followed[], kinds: Kinds | undefined, direction: Direction): Iterable<Access> {
  const own = (by: Followed): Iterable<[number, Runs]> => by.runs.get(direction) ?? [];
  if (kinds === undefined) {
    for (const by of followed) for (const [site, runs] of own(by)) yield { program: by.position, site, runs, shift: 0 };
    return;
  }
  for (const [kind, members] of kinds.members.entries()) {
    const by = followed.find(({ position }) => kinds.kindOf[position] === kind);
    if (by === undefined) continue;
    for (const [site, runs] of own(by)) {
      const begins = kinds.begins.get(site);
      if (begins === undefined) continue;
      const first = Math.floor(begins[by.position]! / 32);
      const shifts = new Set<number>();
      for (const program of members) {
        const shift = Math.floor(begins[program]! / 32) - first;
        if (Number.isNaN(shift) || shifts.has(shift)) continue;
        shifts.add(shift);
        yield { program, site, runs, shift };
      }
    }
  }
}

/** An access beyond the end of an array whose shape is stated. */
function outsideOf(
  { buffers, args }: ReadyLaunch,
  followed: readonly Followed[],
  kinds: Kinds | undefined,
  sites: readonly Site[],
): string | undefined {
  if (buffers.every(({ bytes }) => bytes === undefined)) return undefined;
  const RANGE = 2 ** 36 / 32;
  for (const direction of ["read", "write"] as const)
    for (const { site, runs, shift } of accessesOf(followed, kinds, direction)) {
      const [low, high] = [runs[0]! + shift, runs.at(-1)! + shift];
      const at = Math.floor(low / RANGE) - 1;
      const buffer = buffers[at];
      if (buffer?.bytes === undefined || args[at]?.kind !== "buffer") continue;
      const begin = (at + 1.5) * RANGE;
      if (low >= begin && high <= begin + Math.ceil(buffer.bytes / 32)) continue;
      const { source, text } = sites.find(({ index }) => index === site)!;
      return `with these numbers and this grid the kernel ${direction}s beyond '${buffer.name}', which has ${buffer.bytes} bytes${source === undefined ? "" : `, at ${source}`}: ${text}`;
    }
  return undefined;
}

/** Bytes that the programs of a wave, and of the grid, touch together. Where not all were looked at, those of the grid are estimated. */
function trafficOf(
  followed: readonly Followed[],
  kinds: Kinds | undefined,
  looked: number,
  total: number,
  wavePrograms: number,
  coverage: Coverage,
): Counts["traffic"] {
  let isWhole = true;
  const together = (direction: Direction, wanted: (site: number) => boolean) => {
    const [wave, grid] = [new SectorSet(), new SectorSet()];
    let runsLeft = MOST_RUNS;
    for (const { program, site, runs, shift } of accessesOf(followed, kinds, direction)) {
      if (!wanted(site)) continue;
      if ((runsLeft -= runs.length / 2) < 0) {
        isWhole = false;
        break;
      }
      for (const set of program < wavePrograms ? [wave, grid] : [grid])
        for (let i = 0; i < runs.length; i += 2) set.add(runs[i]! + shift, runs[i + 1]! + shift);
    }
    return { wave: 32 * wave.size, grid: 32 * grid.size };
  };
  const [one] = followed;
  const ofOne = (direction: Direction): number => {
    const set = new SectorSet();
    for (const runs of one!.runs.get(direction)?.values() ?? []) for (let i = 0; i < runs.length; i += 2) set.add(runs[i]!, runs[i + 1]!);
    return 32 * set.size;
  };
  // An access that begins elsewhere in each program is each program's own, and the programs that were not looked at have as many more.
  const known = kinds ? looked : followed.length;
  const isPart = known < total && kinds !== undefined;
  const owned = new Set(isPart ? [...kinds.begins].filter(([, begins]) => new Set(begins).size === looked).map(([site]) => site) : []);
  const traffic = (direction: Direction) => {
    const found = together(direction, () => true);
    const more = isPart ? (together(direction, (site) => owned.has(site)).grid / known) * (total - known) : 0;
    return { program: ofOne(direction), wave: found.wave, grid: found.grid + more };
  };
  const [read, write] = [traffic("read"), traffic("write")];
  const both = (key: "program" | "wave" | "grid"): Traffic => ({ read: read[key], write: write[key] });
  return {
    program: both("program"),
    wave: both("wave"),
    grid: both("grid"),
    wavePrograms,
    known,
    exact: known === total && isWhole && coverage.kind !== "sample" && coverage.kind !== "alike",
  };
}
