/**
 * Counts what programs of a launch cost, while the final code is followed: branches and addresses are computed, data is not
 * (`simulate/ptx/address-slice.ts`). Few programs are followed as a whole; docs/limits.md says when the result is exact.
 */
import { type Rejected, rejected } from "../compile/source.js";
import type { Site } from "../simulate/ptx/findings.js";
import { type PtxLaunch, type PtxRun, runPtx } from "../simulate/ptx/run.js";
import { Beginnings, type Direction, sameShapes, Touches, unionOf } from "./footprint.js";
import type { ReadyLaunch, Triple } from "./launch.js";

/** One instruction of the final code, and its cost in one program: the mean over the programs that were followed. */
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
  /** Sectors of the first program that no other instruction of the same direction need fetch again: each counted once. */
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
  /** `all`: every program; `alike`: those that were followed cost the same; `sample`: they differ. */
  readonly kind: "all" | "alike" | "sample";
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
    /** Bytes of one program, of a wave of programs, and of the whole grid; each byte counts once. */
    readonly program: Traffic;
    readonly wave: Traffic;
    readonly grid: Traffic;
    /** Programs of the wave that is meant; programs whose first accesses are known; whether the rest follows from them. */
    readonly wavePrograms: number;
    readonly begun: number;
    readonly exact: boolean;
  };
}

/** Warp instructions after which no further program is followed as a whole. */
const STEPS = 200_000;
/** Programs that cost the same after which no other is followed. */
const ALIKE = 32;
const MOST_STEPS = 4_000_000;
const MOST_BEGUN = 1024;
/** Programs whose sectors are kept. */
const KEPT = 3;

const sizeOf = ([x, y, z]: Triple): number => x * y * z;
const placeOf = (index: number, [x, y]: Triple): Triple => [index % x, Math.floor(index / x) % y, Math.floor(index / (x * y))];

/** Counts a kernel's costs; `resident` says how many programs run at once, for traffic of a wave. */
export function countLaunch(ptx: string, launch: ReadyLaunch, sharedBytes: number, resident: number): Counts | Rejected {
  const total = sizeOf(launch.grid);
  const common = { grid: launch.grid, args: launch.args, sharedBytes, addressesOnly: true } as const;
  const touches: Map<Direction, Touches>[] = [];
  const order = spreadOrder(total);
  const ends: Totals[] = [];
  const run = runPtx(ptx, {
    ...common,
    programs: order.map((i) => placeOf(i, launch.grid)),
    limits: { maxSteps: MOST_STEPS },
    touched: (program, { index }, sector, kind, warp) => {
      if (program >= KEPT) return;
      const own = (touches[program] ??= new Map());
      for (const direction of kind === "atomic" ? (["read", "write"] as const) : [kind]) {
        let known = own.get(direction);
        if (!known) own.set(direction, (known = new Touches()));
        known.add(index, sector, warp);
      }
    },
    ended: (_program, sites) => {
      ends.push(totalsOf(sites));
      // One program says nothing of the others.
      return (ends.length > 1 && ends.at(-1)!.steps >= STEPS) || (ends.length >= ALIKE && coverageOf(ends, total).kind === "alike");
    },
  });
  const problem = problemOf(run);
  if (problem) return problem;
  const outside = outsideOf(launch, touches, run.sites);
  if (outside !== undefined) return rejected(outside);
  const followed = ends.length;
  const coverage = coverageOf(ends, total);
  return {
    threads: run.threads,
    numCtas: run.numCtas,
    coverage,
    sites: sitesOf(run, followed, touches[0]),
    loops: run.loops.map(({ depth, entries, iterations }) => ({
      depth,
      iterations: entries === 0 ? 0 : iterations / entries,
      warps: entries / followed,
    })),
    traffic: trafficOf(ptx, common, total, resident, touches, followed, coverage),
  };
}

/** First, last and middle program, then the middles of what lies between, at most as many as can be followed at all. */
function spreadOrder(total: number): number[] {
  const order = new Set([0, total - 1, total >> 1]);
  for (let parts = 4; order.size < Math.min(total, 4096) && parts <= 4 * 4096; parts *= 2)
    for (let i = 1; i < parts; i += 2) order.add(Math.floor((i * (total - 1)) / parts));
  if (total <= 4096) for (let i = 0; i < total; i++) order.add(i);
  return [...order];
}

interface Totals {
  readonly steps: number;
  readonly key: readonly number[];
}
/** Sums over all programs so far. */
function totalsOf(sites: readonly Site[]): Totals {
  const key = [0, 0, 0];
  let steps = 0;
  for (const { executions, sectors, wavefronts } of sites) {
    steps += executions;
    key[0]! += executions;
    key[1]! += sectors;
    key[2]! += wavefronts;
  }
  return { steps, key };
}

function coverageOf(ends: readonly Totals[], programs: number): Coverage {
  const own = ends.map(({ key }, i) => key.map((n, k) => n - (ends[i - 1]?.key[k] ?? 0)));
  const steps = own.map(([n]) => n!);
  const mean = steps.reduce((a, b) => a + b, 0) / steps.length;
  const deviation = Math.sqrt(steps.reduce((sum, n) => sum + (n - mean) ** 2, 0) / Math.max(steps.length - 1, 1));
  const alike = own.every((key) => key.every((n, k) => n === own[0]![k]));
  const kind = ends.length === programs ? "all" : alike ? "alike" : "sample";
  return {
    followed: ends.length,
    programs,
    kind,
    error: kind === "sample" ? deviation / Math.sqrt(steps.length) / mean : 0,
    spread: Math.max(...steps) / mean,
  };
}

function sitesOf(run: PtxRun, followed: number, touched: ReadonlyMap<Direction, Touches> | undefined): SiteCost[] {
  const loopOf = new Map<Site, number>();
  run.loops.forEach(({ sites }, i) => {
    for (const site of sites) loopOf.set(site, i);
  });
  const [reads, writes] = (["read", "write"] as const).map((direction) => touched?.get(direction)?.shapes());
  return run.sites.map((site) => {
    const { index, text, mnemonic, line, source, product } = site;
    const shape = reads?.get(index) ?? writes?.get(index);
    let distinct = 0;
    for (let i = 0; shape && i < shape.length; i += 2) distinct += shape[i + 1]! - shape[i]!;
    return {
      index,
      text,
      mnemonic,
      line,
      source,
      loop: loopOf.get(site),
      executions: site.executions / followed,
      requests: site.requests / followed,
      sectors: site.sectors / followed,
      lines: site.lines / followed,
      wavefronts: site.wavefronts / followed,
      idealWavefronts: site.idealWavefronts / followed,
      product,
      direction: reads?.has(index) ? "read" : writes?.has(index) ? "write" : undefined,
      distinct,
    };
  });
}

/** A run that did not come to its end has no counts. */
function problemOf(run: PtxRun): Rejected | undefined {
  const [diagnostic] = run.diagnostics;
  if (diagnostic) return rejected(`the final code cannot be read: ${diagnostic.message}`);
  const finding = run.findings.find(({ kind }) => ["limit", "deadlock", "not-modelled", "assert"].includes(kind));
  if (finding?.kind === "limit")
    return rejected(
      `one program takes more than ${MOST_STEPS} warp instructions: it is too long to be followed; smaller numbers or a smaller block make it shorter`,
    );
  return finding && rejected(`the final code cannot be followed: ${finding.message}${finding.site === "" ? "" : ` (${finding.site})`}`);
}

/** An access beyond the end of an array whose shape is stated. */
function outsideOf(
  { buffers, args }: ReadyLaunch,
  touches: readonly ReadonlyMap<Direction, Touches>[],
  sites: readonly Site[],
): string | undefined {
  const RANGE = 2 ** 36;
  for (const program of touches)
    for (const [direction, known] of program)
      for (const { site, low, high } of known.extents()) {
        const at = Math.floor((low * 32) / RANGE) - 1;
        const buffer = buffers[at];
        if (buffer?.bytes === undefined || args[at]?.kind !== "buffer") continue;
        const begin = (at + 1) * RANGE + RANGE / 2;
        const last = Math.ceil(buffer.bytes / 32);
        if (low * 32 >= begin && high < begin / 32 + last) continue;
        const { source, text } = sites.find(({ index }) => index === site)!;
        return `with these numbers and this grid the kernel ${direction}s beyond '${buffer.name}', which has ${buffer.bytes} bytes${source === undefined ? "" : `, at ${source}`}: ${text}`;
      }
  return undefined;
}

/** Sectors that the programs of a wave, and of the grid, touch together. */
function trafficOf(
  ptx: string,
  common: Omit<PtxLaunch, "programs">,
  total: number,
  resident: number,
  touches: readonly ReadonlyMap<Direction, Touches>[],
  followed: number,
  coverage: Coverage,
): Counts["traffic"] {
  const wavePrograms = Math.max(Math.min(resident, total), 1);
  const programs = begunOrder(total, wavePrograms, followed);
  const bases: Map<Direction, Beginnings>[] = programs.map(() => new Map());
  const loneWarp = touches.every((own) => [...own.values()].every(({ isLed }) => isLed));
  const run = runPtx(ptx, {
    ...common,
    programs: programs.map((i) => placeOf(i, common.grid)),
    fewIterations: loneWarp ? "first warp" : "all warps",
    limits: { maxSteps: MOST_STEPS },
    touched: (program, { index }, sector, kind, warp) => {
      for (const direction of kind === "atomic" ? (["read", "write"] as const) : [kind]) {
        let known = bases[program]!.get(direction);
        if (!known) bases[program]!.set(direction, (known = new Beginnings()));
        known.add(index, sector, warp);
      }
    },
  });
  const traffic = (direction: Direction): { program: number; wave: number; grid: number; exact: boolean } => {
    const kept = touches.map((own) => own.get(direction)?.shapes() ?? new Map<number, Float64Array>());
    const shapes = largest(kept);
    const own = bases.map((program) => program.get(direction)?.first ?? new Map<number, number>());
    const all = new Set(shapes.keys());
    const one = unionOf(shapes, [touches[0]?.get(direction)?.first ?? new Map()], all);
    const alike = kept.every((shape) => sameShapes(shape, kept[0]!)) && run.findings.length === 0;
    // Accesses whose beginnings all differ are each program's own; others are shared as far as the programs that were begun say.
    const owned = new Set([...all].filter((site) => new Set(own.flatMap((b) => b.get(site) ?? [])).size === own.length));
    const shared = new Set([...all].filter((site) => !owned.has(site)));
    const together = (count: number): number => {
      if (count <= own.length) return unionOf(shapes, own.slice(0, count), all) ?? 0;
      return (unionOf(shapes, own, shared) ?? 0) + ((unionOf(shapes, own, owned) ?? 0) * count) / own.length;
    };
    return {
      program: one ?? 0,
      wave: together(wavePrograms),
      grid: together(total),
      exact: own.length === total && alike && coverage.kind !== "sample",
    };
  };
  const [read, write] = [traffic("read"), traffic("write")];
  const both = (key: "program" | "wave" | "grid"): Traffic => ({ read: 32 * read[key], write: 32 * write[key] });
  return {
    program: both("program"),
    wave: both("wave"),
    grid: both("grid"),
    wavePrograms,
    begun: programs.length,
    exact: read.exact && write.exact,
  };
}

/** The programs of the first wave, then others spread over the grid. */
function begunOrder(total: number, wave: number, followed: number): number[] {
  const first = Array.from({ length: Math.min(wave, MOST_BEGUN) }, (_, i) => i);
  const most = Math.max(MOST_BEGUN, followed);
  if (total <= most) return Array.from({ length: total }, (_, i) => i);
  return [...new Set([...first, ...spreadOrder(total).slice(0, most - first.length)])];
}

/** The program that touches most, where programs at the grid's edges differ. */
function largest(kept: readonly ReadonlyMap<number, Float64Array>[]): ReadonlyMap<number, Float64Array> {
  const size = (shapes: ReadonlyMap<number, Float64Array>) =>
    [...shapes.values()].reduce((sum, runs) => runs.reduce((s, at, i) => s + (i & 1 ? at : -at), sum), 0);
  return kept.reduce((best, own) => (size(own) > size(best) ? own : best), kept[0] ?? new Map());
}
