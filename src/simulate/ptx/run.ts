/** Executes PTX text: some programs of a grid, one after the other, over a memory that keeps what they stored. */
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { SourceBuffer } from "../../diagnostics/source.js";
import { parsePtx } from "../../ptx/parse.js";
import { within } from "../../support/limits.js";
import { finished, type Work } from "../../support/slices.js";
import { type BufferSpec, Memory, MemoryLimit, type StoredRun } from "../memory.js";
import type { AccessKind } from "./access.js";
import { type Slice, sliceAddresses } from "./address-slice.js";
import { compileProgram, FIRST_GLOBAL_ID } from "./compile.js";
import { type Finding, Findings, type Site, Stop } from "./findings.js";
import { GlobalOrder } from "./global-order.js";
import { exitsOf, type Loop, latchesOf, loopsOf } from "./loops.js";
import { type Budget, type FollowedLoops, runAsLanes, runCluster } from "./machine.js";
import type { KernelParameter, PtxProgram } from "./program.js";
import { SharedMemory } from "./shared-memory.js";
import { type HostTensorMap, writeTensorMap } from "./tensor-map.js";
import { TensorMemory } from "./tensor-memory.js";
import type { Cta, LanesOfPrograms } from "./warp.js";

/** A kernel argument: a buffer, whose id in memory is its position among the arguments, a tensor map of one, or a number. */
export type LaunchArgument =
  | { readonly kind: "buffer"; readonly spec: BufferSpec }
  | { readonly kind: "tensor-map"; readonly spec: BufferSpec; readonly map: HostTensorMap }
  | { readonly kind: "scalar"; readonly value: number | bigint };

type Triple = readonly [number, number, number];

export interface PtxLaunch {
  /** By default the first entry. */
  readonly kernel?: string;
  readonly grid: Triple;
  /** In the kernel's order; scratch pointers that Triton appends may be left out. */
  readonly args: readonly LaunchArgument[];
  /** Which programs of the grid; by default all, x fastest. */
  readonly programs?: readonly Triple[];
  readonly seed?: number;
  /** The memory of another run: what that has not touched of the arguments is out of bounds. */
  readonly within?: Memory;
  /** Bytes of dynamic shared memory; by default the most that a CTA can have. */
  readonly sharedBytes?: number;
  /** Threads of a CTA where the text has no .reqntid. */
  readonly threads?: Triple;
  readonly limits?: { readonly maxSteps?: number; readonly maxBytes?: number };
  /** Races, reads of unwritten shared memory, early reads; on by default. */
  readonly checks?: boolean;
  /** Sectors, lines and wavefronts of memory requests; on by default. */
  readonly facts?: boolean;
  /** Only branches, barriers and addresses are computed, and memory accesses counted: `stores` is of no use then. Without checks. */
  readonly addressesOnly?: boolean;
  /** Single threads are followed, of 32 programs at once: for how programs differ. Only with `addressesOnly`. */
  readonly asLanes?: ThreadsOfPrograms;
  /** Hears of each 32-byte sector of global memory that a request touches; `program` is the index among `programs`. */
  readonly touched?: (program: number, site: Site, sector: number, kind: AccessKind, warp: number) => void;
  /** Called when a program has ended, with its index among `programs` and counts over all so far; the others do not run where it returns true. */
  readonly ended?: (program: number, sites: readonly Site[], loops: readonly Loop[]) => boolean;
}

/** Threads to follow of each program, by their numbers in the cluster. `program` is the index among `programs`. */
export interface ThreadsOfPrograms {
  readonly threads: readonly number[];
  /** Hears of each access of global memory; each loop is left at the second test that could leave it. */
  readonly accessed?: (program: number, thread: number, site: Site, address: number, bytes: number, kind: AccessKind) => void;
  /** Hears how often a thread came to the header of each loop; without `accessed`, loops run to their end. */
  readonly rounds?: (program: number, thread: number, loop: number, times: number) => void;
}

export interface PtxRun {
  /** Errors in the text; if there are any, nothing ran. */
  readonly diagnostics: readonly Diagnostic[];
  readonly source: SourceBuffer;
  readonly memory: Memory;
  /** Final stores by argument name, buffers of pointer tables included. */
  readonly stores: ReadonlyMap<string, readonly StoredRun[]>;
  readonly findings: readonly Finding[];
  /** By buffer: a load that found what an atomic of another warp had stored, with nothing that orders the two. */
  readonly metAtomics: GlobalOrder["metAtomics"];
  /** Every instruction with its counts; `executions` is 0 where none was active. */
  readonly sites: readonly Site[];
  /** The rest of the program with `addressesOnly`. */
  readonly slice: Slice | undefined;
  /** The loops of the kernel with their innermost instructions; only with `addressesOnly`. */
  readonly loops: readonly RunLoop[];
  /** Threads of a CTA, and CTAs of a program. */
  readonly threads: number;
  readonly numCtas: number;
  /** The text that the kernel printed. */
  readonly printed: string;
  /** Warp instructions, and lanes over all of them. */
  readonly warpInstructions: number;
  readonly laneInstructions: number;
}

/** A loop, and the instructions in it that are in no loop within. */
export interface RunLoop extends Pick<Loop, "depth" | "entries" | "iterations"> {
  readonly sites: readonly Site[];
}

/** 227 KiB: what a CTA can have on sm_90; a kernel's own need is in its metadata. */
const MOST_SHARED = 232448;
const DEFAULT_STEPS = 200_000_000;

/** Executes the kernel of a PTX text. */
export function runPtx(text: string, launch: PtxLaunch, file?: string): PtxRun {
  return finished(runningPtx(text, launch, file));
}

/** `runPtx`, program by program. */
export function* runningPtx(text: string, launch: PtxLaunch, file?: string): Work<PtxRun> {
  const { module, source, diagnostics } = parsePtx(text, file);
  const memory = new Memory(launch.seed ?? 0, launch.limits?.maxBytes, launch.within);
  const compiled = diagnostics.length > 0 ? undefined : compileProgram(module, source, launch.kernel);
  if (compiled === undefined || "error" in compiled) {
    const problems = compiled === undefined ? diagnostics : [launchProblem(compiled.error, source)];
    return { ...notRun(source, memory), diagnostics: problems };
  }
  const problem = checkArguments(compiled, launch);
  if (problem !== undefined) return { ...notRun(source, memory), diagnostics: [launchProblem(problem, source)] };
  return yield* execute(compiled, launch, memory, source);
}

const notRun = (source: SourceBuffer, memory: Memory): PtxRun => ({
  diagnostics: [],
  source,
  memory,
  stores: new Map(),
  findings: [],
  metAtomics: new Map(),
  sites: [],
  slice: undefined,
  loops: [],
  threads: 0,
  numCtas: 0,
  printed: "",
  warpInstructions: 0,
  laneInstructions: 0,
});

const launchProblem = (message: string, source: SourceBuffer): Diagnostic => ({
  severity: "error",
  code: "ptx.launch",
  message,
  position: { file: source.file, line: 1, column: 1 },
  notes: [],
});

function checkArguments({ params, threads }: PtxProgram, launch: PtxLaunch): string | undefined {
  if (launch.args.length > params.length) return `${launch.args.length} arguments for a kernel of ${params.length}`;
  // The two addresses at the end are Triton's scratch memory, whether the text calls them pointers or not.
  const isScratch = (p: KernelParameter) => p.isPointer || (p.type === "u64" && params.indexOf(p) >= params.length - 2);
  const missing = params.slice(launch.args.length).find((p) => !isScratch(p));
  if (missing !== undefined) return `no argument for '${missing.name}' (.${missing.type})`;
  if (threads === undefined && launch.threads === undefined) return "the kernel has no .reqntid: the number of threads must be given";
  return undefined;
}

function* execute(program: PtxProgram, launch: PtxLaunch, memory: Memory, source: SourceBuffer): Work<PtxRun> {
  const findings = new Findings();
  const tooLarge = allocationProblem(program, launch);
  if (tooLarge !== undefined) {
    findings.add("limit", undefined, tooLarge);
    return { ...notRun(source, memory), findings: findings.all, sites: program.sites };
  }
  const params = packArguments(program.params, program.paramBytes, launch.args, memory);
  program.globals.forEach(({ name, bytes }, i) => memory.addBuffer({ name, element: "i8", data: bytes }, FIRST_GLOBAL_ID + i));
  const block = program.threads ?? launch.threads!;
  const { numCtas } = program;
  const numWarps = numCtas * Math.ceil((block[0] * block[1] * block[2]) / 32);
  const sharedBytes = program.staticShared + (program.usesDynamicShared ? (launch.sharedBytes ?? MOST_SHARED) : 0);
  const cluster: Cta[] = [];
  let id: Triple = [0, 0, 0];
  let at = 0;
  let printed = "";
  const { addressesOnly = false, asLanes, touched, ended } = launch;
  const checks = (launch.checks ?? true) && !addressesOnly;
  const loops = addressesOnly ? loopsOf(program.kernel.blocks) : [];
  const exits = asLanes?.accessed ? exitsOf(program.kernel.blocks, loops) : undefined;
  const followed = addressesOnly ? { loops, exits } : undefined;
  const slice = addressesOnly ? sliceAddresses(program, asLanes && (asLanes.accessed ? "accesses" : "branches")) : undefined;
  const order = checks ? new GlobalOrder(memory, findings, program.sites) : undefined;
  for (let rank = 0; rank < numCtas; rank++) {
    const { sites, sharedGranule: granule, lanesInStep } = program;
    const shared = new SharedMemory({ bytes: sharedBytes, granule, numWarps, numCtas, rank, lanesInStep, findings, sites, checks });
    cluster.push({
      memory,
      shared,
      tensorMemory: new TensorMemory(shared, findings, sites),
      rank,
      cluster,
      findings,
      order,
      sites: program.sites,
      params,
      get id() {
        return id;
      },
      grid: launch.grid,
      block,
      facts: launch.facts ?? true,
      touched: touched && ((site, sector, kind, warp) => touched(at, site, sector, kind, warp)),
      data: slice?.data ?? true,
      print: (text) => {
        printed += text;
      },
    });
  }
  const limit = launch.limits?.maxSteps ?? DEFAULT_STEPS;
  const budget: Budget = { steps: limit, limit };
  try {
    const [x, y, z] = launch.grid;
    const of = launch.programs?.length ?? x * y * z;
    let done = 0;
    if (asLanes) {
      const programs = launch.programs ?? [...allPrograms(launch.grid)];
      for (; done < of; done += 32) {
        if (yield { what: "programs", done, of }) break;
        lanesOfPrograms(program, cluster, asLanes, programs.slice(done, done + 32), done, budget, followed!);
      }
    } else
      for (id of launch.programs ?? allPrograms(launch.grid)) {
        if (yield { what: "programs", done, of }) break;
        at = done++;
        findings.program = id;
        order?.begin(id, of - done);
        for (const { shared, tensorMemory } of cluster) {
          shared.reset();
          tensorMemory.reset();
        }
        runCluster(program, cluster, budget, followed);
        if (ended) {
          countSites(program, loops);
          if (ended(at, program.sites, loops)) break;
        }
      }
  } catch (error) {
    if (error instanceof MemoryLimit) findings.add("limit", undefined, error.message, "memory");
    else if (!(error instanceof Stop)) throw error;
  }
  countSites(program, loops);
  const laneInstructions = program.sites.reduce((sum, { lanes }) => sum + lanes, 0);
  const stores = new Map(
    memory.buffers
      .filter((b) => b.id < FIRST_GLOBAL_ID && !b.spec.name.startsWith("#"))
      .map(({ spec }) => [spec.name, memory.stores(spec.name)]),
  );
  return {
    diagnostics: [],
    source,
    memory,
    stores,
    findings: findings.all,
    metAtomics: order?.metAtomics ?? new Map(),
    sites: program.sites,
    slice,
    threads: block[0] * block[1] * block[2],
    numCtas,
    loops: loops.map((loop) => ({ ...loop, sites: innermost(loop, loops).flatMap((b) => program.kernel.blocks[b]!.sites) })),
    printed,
    warpInstructions: limit - Math.max(budget.steps, 0),
    laneInstructions,
  };
}

/** Follows threads of up to 32 programs, the first of which is number `first`. */
function lanesOfPrograms(
  program: PtxProgram,
  cluster: readonly Cta[],
  { threads, accessed, rounds }: ThreadsOfPrograms,
  programs: readonly Triple[],
  first: number,
  budget: Budget,
  followed: FollowedLoops,
): void {
  for (const thread of threads) {
    const counts = new Int32Array(32 * followed.loops.length);
    const lanes: LanesOfPrograms = {
      programs,
      lane: (thread % blockSize(cluster[0]!)) & 31,
      accessed: (lane, site, address, bytes, kind) => accessed?.(first + lane, thread, site, address, bytes, kind),
      rounds: counts,
    };
    runAsLanes(program, cluster, thread, lanes, budget, followed);
    if (rounds) counts.forEach((times, i) => (i & 31) < programs.length && rounds(first + (i & 31), thread, i >> 5, times));
  }
}
const blockSize = ({ block: [x, y, z] }: Cta): number => x * y * z;

const MOST_THREADS = 1024;
const MOST_LOCAL = 2 ** 28;

/** Why a CTA of the program is larger than the simulator follows. */
function allocationProblem(program: PtxProgram, { threads, sharedBytes = 0 }: PtxLaunch): string | undefined {
  const [x, y, z] = program.threads ?? threads!;
  const count = x * y * z;
  if (count > MOST_THREADS) return `a CTA of ${count} threads: GPUs have at most ${MOST_THREADS}`;
  if (sharedBytes > MOST_LOCAL) return `${sharedBytes} bytes of shared memory are more than the simulator allocates`;
  if (program.localBytes * count > MOST_LOCAL)
    return `${program.localBytes} bytes of local memory for each of ${count} threads are more than the simulator allocates`;
  return program.tooLarge;
}

function* allPrograms([x, y, z]: Triple): Iterable<Triple> {
  within("programs", x * y * z);
  for (let k = 0; k < z; k++) for (let j = 0; j < y; j++) for (let i = 0; i < x; i++) yield [i, j, k];
}

/** The parameter space as words. Scratch pointers left out are buffers of zeros. */
function packArguments(params: readonly KernelParameter[], bytes: number, args: readonly LaunchArgument[], memory: Memory): Int32Array {
  const words = new Int32Array(((bytes + 7) & ~7) / 4 + 2);
  const view = new DataView(words.buffer);
  params.forEach((param, i) => {
    const arg: LaunchArgument = args[i] ?? { kind: "buffer", spec: { name: `#scratch ${i}`, element: "i8", init: { kind: "zeros" } } };
    if (arg.kind === "tensor-map")
      new Uint8Array(words.buffer, param.offset, param.bytes).set(
        writeTensorMap(arg.map, memory.addBuffer(arg.spec, i)).subarray(0, param.bytes),
      );
    else if (arg.kind === "buffer") view.setBigUint64(param.offset, BigInt(memory.addBuffer(arg.spec, i)), true);
    else if (param.type === "f32") view.setFloat32(param.offset, Number(arg.value), true);
    else if (param.type === "f64") view.setFloat64(param.offset, Number(arg.value), true);
    else {
      const value = BigInt.asUintN(64, BigInt(typeof arg.value === "number" ? Math.trunc(arg.value) : arg.value));
      for (let b = 0; b < param.bytes && b < 8; b++) view.setUint8(param.offset + b, Number((value >> BigInt(8 * b)) & 255n));
    }
  });
  return words;
}

/** The blocks of a loop that are in no loop within it. */
const innermost = ({ blocks, depth }: Loop, loops: readonly Loop[]): number[] =>
  [...blocks].filter((b) => !loops.some((other) => other.depth > depth && other.blocks.has(b)));

/** Adds to sites what was counted by block, as unguarded instructions are. */
function countSites(program: PtxProgram, loops: readonly Loop[]): void {
  for (const loop of loops) for (const { executions } of latchesOf(loop, program.kernel.blocks)) loop.iterations += executions;
  for (const { blocks } of new Set([program.kernel, ...program.functions()]))
    for (const block of blocks) {
      const { sites, guards, executions, lanes } = block;
      sites.forEach((site, i) => {
        if (guards[i]! >= 0) return;
        site.executions += executions;
        site.lanes += lanes;
      });
      block.executions = block.lanes = 0;
    }
}
