/**
 * Finds what limits a kernel on a GPU, without one: the costs of a launch, how many programs an SM holds, the least time of each
 * resource, and what the kernel would gain by another choice. Every number says what it is: counted, estimated, or a range.
 */
import { type Rejected, rejected } from "../compile/source.js";
import { readInstruction } from "../explain/codegen/ptx-instruction.js";
import { headlineOf } from "../explain/headline.js";
import type { MmaFacts } from "../explain/instruction-facts.js";
import { amdGpuOf, archOf } from "../gpu/amd.js";
import { capabilityOf } from "../gpu/nvidia.js";
import {
  GPU_PRODUCTS,
  type GpuProduct,
  type Pipe,
  productCalled,
  productOf,
  type TensorKind,
  type UnitRates,
  unitOf,
} from "../gpu/products.js";
import { nearestText } from "../support/nearest.js";
import type { Trace } from "../trace/trace.js";
import { type Bound, boundsOf, type LatencyBound, latencyBound, programsOfBusiest, type Work } from "./bounds.js";
import { type Counts, countLaunch, type LoopCount, type SiteCost } from "./counts.js";
import { type LimitsLaunch, readyLaunch } from "./launch.js";
import { type Occupancy, occupancyOf, occupancyOfWaves } from "./occupancy.js";
import { ownersOfSites } from "./owners.js";
import { slotsOf, tensorKind } from "./pipes.js";
import { estimateRegisters } from "./registers.js";

/** A question for limits. */
export interface LimitsRequest extends LimitsLaunch {
  /** A name of `GPU_PRODUCTS`: `h100`; by default the best known product of the target. */
  readonly gpu?: string | undefined;
}

/** The cost of one op of TTGIR, or of a line where no op is known, in one program. */
export interface OpCost {
  /** `ttg.async_copy_global_to_local`; the PTX instruction where no op is known. */
  readonly name: string;
  /** Its id in the Trace; undefined where none is known. */
  readonly op: number | undefined;
  /** `kernel.py:12:8` */
  readonly source: string | undefined;
  /** The innermost loop that most of it is in, an index of `loops`. */
  readonly loop: number | undefined;
  /** PTX instructions: `16x cp.async.cg.shared.global`. */
  readonly instructions: string;
  readonly lines: readonly number[];
  readonly cost: Cost;
}

/** The costs of one program, or of a round of a loop. */
export interface Cost {
  /** Warp instructions of PTX. */
  readonly instructions: number;
  /** Sectors of global memory, of 32 bytes, that L1 is asked for. */
  readonly sectorsRead: number;
  readonly sectorsWritten: number;
  /** Wavefronts of shared memory, and how many there were without bank conflicts. */
  readonly wavefronts: number;
  readonly idealWavefronts: number;
  readonly tensorInstructions: number;
  readonly flops: Readonly<Partial<Record<TensorKind, number>>>;
  /** Machine instructions of warps by pipe, as they are estimated from PTX. */
  readonly pipes: Readonly<Partial<Record<Pipe, number>>>;
  readonly barriers: number;
  readonly waits: number;
}

/** A loop and the cost of one round of it, over all warps of a program. */
export interface LoopCost extends LoopCount {
  readonly perIteration: Cost;
}

/** The limits of a kernel in one launch on one GPU, as plain data. */
export interface Limits {
  readonly kind: "limits";
  readonly kernel: string;
  readonly gpu: Omit<GpuProduct, "sources">;
  readonly grid: readonly number[];
  readonly programs: number;
  readonly threads: number;
  readonly numCtas: number;
  readonly coverage: Counts["coverage"];
  readonly program: Cost;
  readonly loops: readonly LoopCost[];
  /** The ops that cost something, the dearest of the binding resource first. */
  readonly ops: readonly OpCost[];
  readonly traffic: Counts["traffic"];
  /** Undefined for an AMD GPU without LLVM: its code has no estimate of them. */
  readonly registers: { readonly count: number; readonly by: "ptxas" | "LLVM" | "estimate" } | undefined;
  readonly sharedBytes: number;
  readonly occupancy: Occupancy;
  readonly waves: {
    /** Programs that run at once, full waves and programs of the last one; how much of the GPU's time the last wave leaves unused. */
    readonly resident: number;
    readonly count: number;
    readonly last: number;
    readonly idle: number;
  };
  readonly bounds: readonly Bound[];
  /** The resource whose least time is longest, and the range of the whole. */
  readonly binding: string;
  readonly time: { readonly from: number; readonly to: number };
  /** Tensor-core and FMA operations, and the operations for each byte of DRAM. */
  readonly flops: number;
  readonly intensity: number;
  readonly latency: LatencyBound | undefined;
  readonly notModelled: readonly string[];
}

export const NOT_MODELLED: readonly string[] = [
  "waiting: dependent instructions, barriers, and loads that nothing hides, but for the loop's loads under latency",
  "which programs run together on an SM, and lines that L1 or L2 gives up before they are asked for again",
  "the clock under load (power, temperature), and data that is in L2 already when the kernel starts",
  "replays of requests, the instruction cache, TLBs, partitions of DRAM, and what the launch itself takes",
];

/** The limits of a Trace with its final code, for a launch. An argument or GPU that is not known, or code that cannot be followed, is `Rejected`. */
export function limitsOf(trace: Trace, request: LimitsRequest): Limits | Rejected {
  const gpu = productFor(trace, request.gpu);
  if ("kind" in gpu) return gpu;
  const { ptx = trace.artifacts.executable, machine } = trace.artifacts;
  if (ptx === undefined) return rejected(`'${trace.source.name}' has no final code, from which limits are counted`);
  const launch = readyLaunch(trace, request);
  if ("kind" in launch) return launch;
  const { shared: sharedBytes = 0 } = headlineOf(trace);
  const amd = amdGpuOf(archOf(gpu.target) ?? "");
  const registers: Limits["registers"] = machine
    ? { count: machine.registers, by: amd ? "LLVM" : "ptxas" }
    : amd
      ? undefined
      : { count: estimateRegisters(ptx) ?? 255, by: "estimate" };
  const [x, y, z] = launch.grid;
  const programs = x * y * z;
  const head = /^\s*\.reqntid\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?/m.exec(ptx);
  const threads = head ? [head[1], head[2], head[3]].reduce((n, part) => n * Number(part ?? 1), 1) : 32;
  const numCtas = trace.options["numCtas"] === undefined ? 1 : Number(trace.options["numCtas"]);
  const tensorColumns = Math.max(0, ...[...ptx.matchAll(/tcgen05\.alloc[^;]*,\s*(\d+)\s*;/g)].map(([, n]) => Number(n)));
  const occupancy = amd
    ? occupancyOfWaves(amd, threads, sharedBytes, machine?.wave && { registers: machine.registers, scalars: machine.wave.scalars })
    : occupancyOf({ capability: capabilityOf(gpu.target)!, threads, numCtas, registers: registers!.count, sharedBytes, tensorColumns });
  if (occupancy.ctasPerSm === 0)
    return rejected(
      `no program fits on ${unitOf(gpu).one} of the ${gpu.title}: ${occupancy.limits.find(({ ctas }) => ctas === 0)!.by}: ${occupancy.limits.find(({ ctas }) => ctas === 0)!.detail}`,
    );
  const resident = Math.floor((occupancy.ctasPerSm * gpu.sms) / numCtas);
  const counts = countLaunch(ptx, launch, sharedBytes, threads * numCtas, resident);
  if ("kind" in counts) return counts;
  return assemble(trace, gpu, launch.grid, counts, {
    registers,
    sharedBytes,
    occupancy,
    resident,
    programs,
  });
}

interface Placed {
  readonly registers: Limits["registers"];
  readonly sharedBytes: number;
  readonly occupancy: Occupancy;
  readonly resident: number;
  readonly programs: number;
}

function assemble(trace: Trace, gpu: GpuProduct, grid: readonly number[], counts: Counts, placed: Placed): Limits {
  const { registers, sharedBytes, occupancy, resident, programs } = placed;
  const { sites, coverage, traffic, threads, numCtas } = counts;
  const costs = (some: readonly SiteCost[]) => costOf(some, unitOf(gpu));
  const program = costs(sites);
  const loops = counts.loops.map((loop, i) => {
    const rounds = loop.iterations * loop.warps;
    const inside = sites.filter((site) => site.loop === i);
    return { ...loop, perIteration: scaled(costs(inside), rounds === 0 ? 0 : loop.warps / rounds) };
  });
  // L1 keeps what plain loads read for the programs that follow on its SM; copies to shared memory and stores pass it by.
  const passing = Math.min(
    traffic.program.read / 32,
    sites.reduce((sum, site) => sum + (passesL1(site) ? site.distinct : 0), 0),
  );
  const shared = Math.max(0, traffic.grid.read / 32 / programs - passing);
  const distinct = passing + shared + traffic.program.write / 32;
  const waves = { resident, count: Math.ceil(programs / resident), last: programs % resident || Math.min(programs, resident), idle: 0 };
  const perWave = waves.count * (traffic.wave.read + traffic.wave.write);
  const least = traffic.grid.read + Math.max(0, traffic.grid.write - gpu.l2Bytes);
  const work: Work = {
    programs,
    numCtas,
    tensor: program.flops,
    pipes: program.pipes,
    wavefronts: program.wavefronts,
    sectors: { distinct, all: program.sectorsRead + program.sectorsWritten },
    dram: { least, most: Math.max(least, Math.min(perWave, programs * 32 * (program.sectorsRead + program.sectorsWritten))) },
  };
  const bounds = boundsOf(work, gpu);
  const [first] = bounds;
  const tensorFlops = Object.values(program.flops).reduce((a, b) => a + b, 0);
  const flops = programs * (tensorFlops + 64 * (program.pipes.fma ?? 0));
  const share = programsOfBusiest(work, gpu) * gpu.sms;
  const { sources: _, ...record } = gpu;
  return {
    kind: "limits",
    kernel: headlineOf(trace).kernels[0] ?? trace.source.name,
    gpu: record,
    grid,
    programs,
    threads,
    numCtas,
    coverage,
    program,
    loops,
    ops: opsOf(trace, sites, costs, first?.resource),
    traffic,
    registers,
    sharedBytes,
    occupancy,
    waves: { ...waves, idle: 1 - (programs * numCtas) / (share * numCtas) },
    bounds,
    binding: first?.resource ?? "nothing",
    time: { from: first?.from ?? 0, to: bounds.reduce((sum, { to, estimated: guessed }) => sum + (guessed ? 0 : to), 0) },
    flops,
    intensity: flops / Math.max(least, 1),
    latency: latencyOf(sites, loops, work, Math.max(1, Math.floor(occupancy.ctasPerSm / numCtas)), gpu),
    notModelled: NOT_MODELLED,
  };
}

/** Whether a load is served by L2 each time: `cp.async` of 16 bytes, bulk copies, and loads that say so. */
const passesL1 = ({ direction, mnemonic }: SiteCost): boolean =>
  direction === "read" && /^cp\.async\.(?:cg|bulk)|^(?:atom|red)|^ld\..*(?:\.cg|\.cv|volatile|acquire|relaxed)/.test(mnemonic);

/** The record of the GPU, which must be one of the target's. */
function productFor(trace: Trace, name: string | undefined): GpuProduct | Rejected {
  const capability = capabilityOf(trace.target);
  const known = GPU_PRODUCTS.map((product) => product.name);
  if (name === undefined) {
    const product = productOf(trace.target ?? "");
    return product ?? rejected(`no GPU of ${trace.target ?? "this target"} has a record; those with one are ${known.join(", ")}`);
  }
  const product = productCalled(name);
  if (product === undefined) return rejected(`unknown GPU '${name}'${nearestText(name, known)}; known are ${known.join(", ")}`);
  // PTX before sm_90a runs on every later GPU.
  const has = capabilityOf(product.target);
  const runs =
    capability === undefined || has === undefined
      ? product.target === trace.target
      : has === capability || (has > capability && capability < 90);
  if (trace.target !== undefined && !runs)
    return rejected(`the ${product.title} is ${product.target}, and the code is compiled for ${trace.target}`);
  return product;
}

/** The costs of some instructions, as often as one program executes them; warps of 32 lanes were followed. */
function costOf(sites: readonly SiteCost[], { warpSize, isCounted, lanes }: UnitRates): Cost {
  const parts = warpSize / 32;
  const flops: Partial<Record<TensorKind, number>> = {};
  const pipes: Partial<Record<Pipe, number>> = {};
  const sum = {
    instructions: 0,
    sectorsRead: 0,
    sectorsWritten: 0,
    wavefronts: 0,
    idealWavefronts: 0,
    tensorInstructions: 0,
    barriers: 0,
    waits: 0,
  };
  for (const site of sites) {
    const { executions, mnemonic } = site;
    if (executions === 0) continue;
    sum.instructions += executions / parts;
    if (site.direction === "write") sum.sectorsWritten += site.sectors;
    else sum.sectorsRead += site.sectors;
    sum.wavefronts += isCounted ? site.wavefronts : site.idealWavefronts;
    sum.idealWavefronts += site.idealWavefronts;
    for (const [pipe, slots] of Object.entries(slotsOf(mnemonic)) as [Pipe, number][])
      if (isCounted || Object.hasOwn(lanes, pipe)) pipes[pipe] = (pipes[pipe] ?? 0) + slots * executions;
    const product = productOfSite(site);
    if (product) {
      sum.tensorInstructions += executions / parts;
      flops[product.kind] = (flops[product.kind] ?? 0) + (product.flops * executions) / parts;
    }
    const fact = BARRIER.exec(mnemonic);
    if (fact) sum.barriers += executions / parts;
    if (WAIT.test(mnemonic)) sum.waits += executions / parts;
  }
  return { ...sum, flops, pipes };
}
const BARRIER = /^(?:bar|barrier)\b|^mbarrier\.arrive/;
const WAIT = /wait/;

/** Operations of one execution by a warp: four warps share a wgmma, one thread issues a whole tcgen05.mma. */
function productOfSite({ text, product }: SiteCost): { readonly kind: TensorKind; readonly flops: number } | undefined {
  const mma = readInstruction(text)?.mma;
  if (!mma) return undefined;
  const [m, n, k] = product ? [product.m, product.n, product.k] : (mma.shape ?? [0, 0, 0]);
  const kind = mma.family === "mfma" ? kindOfMfma(mma.types) : tensorKind(product?.type ?? mma.types.a, mma.types.acc);
  return { kind, flops: (2 * m * n * k * (mma.blocks ?? 1)) / (mma.family === "wgmma" ? 4 : 1) };
}

/** A product of two formats is as fast as that of the wider one; fp6 is as fast as fp4. */
function kindOfMfma({ a, b, acc }: MmaFacts["types"]): TensorKind {
  const isNarrow = (type: string) => /^e(?:2m1|2m3|3m2)$/.test(type);
  if (isNarrow(a) && isNarrow(b)) return "fp4";
  if (a === "f32") return "f32";
  return tensorKind(isNarrow(a) ? b : a, acc);
}

function scaled(cost: Cost, by: number): Cost {
  const each = <T extends string>(all: Readonly<Partial<Record<T, number>>>) =>
    Object.fromEntries(Object.entries(all).map(([name, n]) => [name, (n as number) * by])) as Partial<Record<T, number>>;
  const { flops, pipes, ...numbers } = cost;
  return { ...(each(numbers) as Omit<Cost, "flops" | "pipes">), flops: each(flops), pipes: each(pipes) };
}

/** Instructions by the op that they come from, those first that cost most of the binding resource. */
function opsOf(
  trace: Trace,
  sites: readonly SiteCost[],
  costs: (sites: readonly SiteCost[]) => Cost,
  binding: string | undefined,
): readonly OpCost[] {
  const owners = ownersOfSites(trace);
  const groups = new Map<string, { readonly name: string; readonly op: number | undefined; readonly sites: SiteCost[] }>();
  for (const site of sites) {
    if (site.executions === 0 || !isCostly(site)) continue;
    const owner = owners(site);
    const key = owner.op === undefined ? `${site.source} ${owner.name}` : String(owner.op);
    const group = groups.get(key);
    if (group) group.sites.push(site);
    else groups.set(key, { ...owner, sites: [site] });
  }
  return [...groups.values()]
    .map(({ name, op, sites: own }) => {
      const kinds = new Map<string, number>();
      for (const { mnemonic } of own) kinds.set(mnemonic, (kinds.get(mnemonic) ?? 0) + 1);
      const deepest = own.reduce((a, b) => (b.executions > a.executions ? b : a));
      return {
        name,
        op,
        source: own.find(({ source }) => source !== undefined)?.source,
        loop: deepest.loop,
        instructions: [...kinds].map(([kind, n]) => `${n}x ${kind}`).join(", "),
        lines: own.map(({ line }) => line),
        cost: costs(own),
      };
    })
    .sort((a, b) => weight(b.cost, binding) - weight(a.cost, binding));
}

const isCostly = ({ requests, mnemonic }: SiteCost): boolean =>
  requests > 0 || /^(?:mma|wgmma\.mma|tcgen05\.mma|wave\.mfma|ex2|bar|shfl|redux)/.test(mnemonic);

/** The part of an op in the resource that binds. */
export function weight(cost: Cost, binding = ""): number {
  const sectors = cost.sectorsRead + cost.sectorsWritten;
  if (/^(?:tensor|matrix)/.test(binding)) return cost.tensorInstructions;
  if (binding === "shared memory" || binding === "LDS") return cost.wavefronts;
  if (binding === "DRAM" || binding.startsWith("L2")) return sectors;
  if (binding === "load/store units") return cost.pipes.lsu ?? 0;
  if (binding === "special functions") return cost.pipes.sfu ?? 0;
  return cost.instructions;
}

/** The loop that asks most of global memory ahead of its use. */
function latencyOf(
  sites: readonly SiteCost[],
  loops: readonly LoopCost[],
  work: Work,
  resident: number,
  gpu: GpuProduct,
): LatencyBound | undefined {
  let best: { readonly loop: LoopCost; readonly bytes: number; readonly index: number } | undefined;
  for (const [index, loop] of loops.entries()) {
    const bytes = 32 * loop.perIteration.sectorsRead;
    if (bytes > 0 && loop.iterations > 1 && bytes * loop.iterations > (best ? best.bytes * best.loop.iterations : 0))
      best = { loop, bytes, index };
  }
  if (!best) return undefined;
  const { loop, bytes, index } = best;
  // Copies before the loop fill the stages that are on their way when it begins.
  const isCopy = ({ mnemonic }: SiteCost) => mnemonic.startsWith("cp.async");
  const copies = sites.some((site) => site.loop === index && isCopy(site));
  const before = sites
    .filter((site) => site.loop === undefined && site.direction === "read" && isCopy(site))
    .reduce((sum, { sectors }) => sum + 32 * sectors, 0);
  const depth = copies ? Math.max(1, Math.round(before / bytes)) : 1;
  return latencyBound({ perIteration: bytes, depth, iterations: loop.iterations }, work, resident, gpu);
}
