/** The least time that each resource of a GPU needs for a launch, and what that says of the whole. */

import { type GpuProduct, type Pipe, type TensorKind, unitOf } from "../gpu/products.js";
import { COUNTED } from "./pipes.js";

/** Work of one program on an SM, and of the launch on memory. */
export interface Work {
  readonly programs: number;
  /** CTAs of a program: each takes an SM's resources of its own. */
  readonly numCtas: number;
  /** Floating-point operations of tensor cores by kind, of one program. */
  readonly tensor: Readonly<Partial<Record<TensorKind, number>>>;
  /** Warp instructions of one program by pipe. */
  readonly pipes: Readonly<Partial<Record<Pipe, number>>>;
  /** Wavefronts of shared memory, and sectors that L1 asks L2 for in a program: at least, and without any reuse in L1. */
  readonly wavefronts: number;
  readonly sectors: { readonly distinct: number; readonly all: number };
  /** Bytes between DRAM and L2: each byte of the grid once, and each byte of each wave once. */
  readonly dram: { readonly least: number; readonly most: number };
}

/** The time of a resource, in seconds: what it needs at least, and what it needs where nothing is reused beyond a wave at the base clock. */
export interface Bound {
  readonly resource: string;
  readonly from: number;
  readonly to: number;
  /** `17.2 GB at 3350 GB/s`. */
  readonly detail: string;
  /** Whether its work is estimated from PTX: it binds nothing then. */
  readonly estimated: boolean;
}

/** The most programs that one SM has to run, if they are spread evenly. */
export const programsOfBusiest = ({ programs, numCtas }: Pick<Work, "programs" | "numCtas">, { sms }: GpuProduct): number =>
  Math.ceil((programs * numCtas) / sms) / numCtas;

/** The bounds of a launch, longest first. Resources that it does not use have none. */
export function boundsOf(work: Work, gpu: GpuProduct): readonly Bound[] {
  const clock = gpu.boostMhz * 1e6;
  const base = (gpu.baseMhz ?? gpu.boostMhz) * 1e6;
  const share = programsOfBusiest(work, gpu);
  const unit = unitOf(gpu);
  const bounds: Bound[] = [];
  const add = (resource: string, from: number, to: number, detail: string, estimated = false) => {
    if (from > 0 || to > 0) bounds.push({ resource, from, to, detail, estimated });
  };
  /** On the SM that has most to do. */
  const onSm = (resource: string, amount: number, rate: number, what: string, most = amount, estimated = false) =>
    add(
      resource,
      (amount * share) / rate / clock,
      (most * share) / rate / base,
      `${number(amount)} ${what} a program at ${rate} a clock, ${share} program${share === 1 ? "" : "s"} on the busiest ${unit.name}`,
      estimated,
    );
  add(
    "DRAM",
    work.dram.least / gpu.dramBytesPerSecond,
    work.dram.most / gpu.dramBytesPerSecond,
    `${bytes(work.dram.least)}${work.dram.most > work.dram.least * 1.01 ? ` to ${bytes(work.dram.most)}` : ""} at ${number(gpu.dramBytesPerSecond / 1e9)} GB/s`,
  );
  const total = 32 * work.sectors.distinct * work.programs;
  if (gpu.l2BytesPerClock !== undefined)
    add(
      "L2",
      total / gpu.l2BytesPerClock / clock,
      (32 * work.sectors.all * work.programs) / gpu.l2BytesPerClock / base,
      `${bytes(total)} at ${gpu.l2BytesPerClock} bytes a clock`,
    );
  if (unit.portBytes !== undefined)
    onSm(`L2 port of ${unit.one}`, 32 * work.sectors.distinct, unit.portBytes, "bytes", 32 * work.sectors.all);
  onSm(unit.shared, work.wavefronts, unit.sharedBytes / WAVEFRONT_BYTES, "wavefronts");
  for (const [kind, flops] of Object.entries(work.tensor) as [TensorKind, number][]) {
    const rate = gpu.tensor[kind];
    if (rate === undefined) continue;
    onSm(`${unit.matrix}, ${kind}`, flops, rate, "operations");
  }
  const lanes = (pipe: Pipe) => 32 * (work.pipes[pipe] ?? 0);
  for (const [pipe, rate] of Object.entries(unit.lanes) as [keyof typeof PIPES, number][])
    onSm(PIPES[pipe], lanes(pipe), rate, "lanes", lanes(pipe), !unit.isCounted || !COUNTED.has(pipe));
  const { issues } = unit;
  if (issues === undefined) return sorted(bounds);
  const issued = (pipes: readonly Pipe[]) => pipes.reduce((sum, pipe) => sum + (work.pipes[pipe] ?? 0), 0);
  const all = Object.keys(work.pipes) as Pipe[];
  onSm("issue of what is counted", issued(all.filter((pipe) => COUNTED.has(pipe))), issues, "warp instructions");
  const issuedInAll = issued(all);
  onSm("instruction issue", issuedInAll, issues, "warp instructions", issuedInAll, true);
  return sorted(bounds);
}
const sorted = (bounds: Bound[]): readonly Bound[] => bounds.sort((a, b) => Number(a.estimated) - Number(b.estimated) || b.from - a.from);
/** Bytes of a wavefront, as it is counted. */
const WAVEFRONT_BYTES = 128;

const PIPES: Readonly<Record<Exclude<Pipe, "tensor">, string>> = {
  fma: "FMA pipe",
  imul: "integer multiplication",
  alu: "ALU pipe",
  half: "half-precision pipe",
  fp64: "FP64 pipe",
  sfu: "special functions",
  lsu: "load/store units",
  branch: "branches and barriers",
};

/** The pipelined loop against the latency of memory (Little's law). */
export interface LatencyBound {
  /** Bytes that an SM has on their way, and that it would need to keep its share of DRAM's bandwidth busy. */
  readonly inFlight: number;
  readonly needed: number;
  /** Bytes that one program asks for in a round of the loop, and rounds that are on their way at once. */
  readonly perIteration: number;
  readonly depth: number;
  /** Seconds that the launch takes at least if memory is asked no earlier. */
  readonly seconds: number;
}

/** The time of a loop that asks `perIteration` bytes `depth` rounds ahead, with `resident` programs on an SM. */
export function latencyBound(
  { perIteration, depth, iterations }: { readonly perIteration: number; readonly depth: number; readonly iterations: number },
  work: Pick<Work, "programs" | "numCtas">,
  resident: number,
  gpu: GpuProduct,
): LatencyBound | undefined {
  if (gpu.dramLatencyClocks === undefined) return undefined;
  const latency = gpu.dramLatencyClocks / (gpu.boostMhz * 1e6);
  const rounds = Math.ceil(work.programs / Math.max(resident * gpu.sms, 1)) * iterations;
  return {
    inFlight: perIteration * depth * resident,
    needed: (gpu.dramBytesPerSecond / gpu.sms) * latency,
    perIteration,
    depth,
    seconds: (rounds / Math.max(depth, 1)) * latency,
  };
}

/** `4.19 million`, `128`. */
export function number(n: number): string {
  if (n >= 1e9) return `${(n / 1e9).toPrecision(3)} billion`;
  if (n >= 1e6) return `${(n / 1e6).toPrecision(3)} million`;
  return Number.isInteger(n) ? String(n) : n >= 100 ? n.toFixed(0) : n.toPrecision(3);
}

/** `33.6 MB`: 10^6 bytes. */
export function bytes(n: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  let value = n;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${unit === 0 ? Math.round(value) : value.toPrecision(3)} ${units[unit]!}`;
}

/** `12.3 us`. */
export function duration(seconds: number): string {
  if (seconds === 0) return "0";
  const [value, unit] =
    seconds >= 1
      ? [seconds, "s"]
      : seconds >= 1e-3
        ? [seconds * 1e3, "ms"]
        : seconds >= 1e-6
          ? [seconds * 1e6, "us"]
          : [seconds * 1e9, "ns"];
  return `${value.toPrecision(3)} ${unit}`;
}
