/** Limits as text for a terminal. */
import { type Pipe, type TensorKind, type UnitRates, unitOf } from "../gpu/products.js";
import { type Bound, bytes, duration, number } from "./bounds.js";
import type { Cost, Limits, OpCost } from "./limits.js";
import { rooflineText } from "./roofline.js";

/** Ops shown of each kernel. */
const SHOWN = 12;

/** `4 CTAs on an SM`. */
export function heldText(ctas: number, gpu: Limits["gpu"]): string {
  const { program, one } = unitOf(gpu);
  return `${ctas} ${program}s on ${one}`;
}

/** The whole report, in lines of plain text; `drawn` adds bars and the roofline. */
export function limitsText(limits: Limits, drawn = true): string {
  return `${[...head(limits), "", ...boundLines(limits, drawn), "", ...occupancyLines(limits), "", ...costLines(limits), "", ...opLines(limits), "", ...notModelled(limits)].join("\n")}\n`;
}

function head(limits: Limits): string[] {
  const { kernel, gpu, grid, programs, threads, numCtas, coverage } = limits;
  const cluster = numCtas > 1 ? `, clusters of ${numCtas}` : "";
  return [
    `${kernel} on ${gpu.title}: ${programs} program${programs === 1 ? "" : "s"} (${grid.join("x")}) of ${threads} threads${cluster}`,
    `bound by ${limits.binding}: ${duration(limits.time.from)} at least, ${duration(limits.time.to)} if nothing overlaps and nothing is reused beyond a wave`,
    coverageText(coverage),
  ];
}

/** How far counts of a few programs speak for all. */
export function coverageText({ followed, programs, kind, kinds, threads, looked, error, spread }: Limits["coverage"]): string {
  if (kind === "all") return `counts are exact: ${programs === 1 ? "the program was" : `all ${programs} programs were`} followed`;
  if (kind === "kinds")
    return `counts are of all ${programs} programs: ${kinds === 1 ? "one kind" : `${kinds} kinds`}, by ${threads} threads of each; ${followed} ${followed === 1 ? "was" : "were"} followed as a whole`;
  if (kind === "alike") return `counts are those of ${followed} of ${programs} programs, which cost the same; others may differ`;
  return `a sample: ${looked} of ${programs} programs${looked > followed ? ` (${kinds} kinds, ${followed} followed as a whole)` : ""}, which differ: standard error ${percent(error)}, the dearest ${spread.toFixed(2)} times the mean`;
}

function boundLines(limits: Limits, drawn: boolean): string[] {
  const { bounds, time, flops, intensity, latency, traffic } = limits;
  const [first] = bounds;
  const rowOf = ({ resource, from, to, detail }: Bound) => {
    const share = first === undefined || first.from === 0 ? 0 : Math.min(from / first.from, 1);
    return `  ${resource.padEnd(24)} ${duration(from).padStart(8)} ${drawn ? `${bar(share)} ` : ""}${to > from * 1.01 ? `to ${duration(to)}, ` : ""}${detail}`;
  };
  const estimated = bounds.filter((bound) => bound.estimated);
  const out = ["least time of each resource", ...bounds.filter((bound) => !bound.estimated).map(rowOf)];
  const { one, isCounted } = unitOf(limits.gpu);
  if (estimated.length > 0)
    out.push(
      isCounted
        ? "estimated from PTX, of which ptxas takes much out of loops: no bounds"
        : "estimated from the LLVM dialect, where LLVM joins multiplications and additions: no bounds",
      ...estimated.map(rowOf),
      "",
    );
  out.push(
    `  ${number(flops)} operations, ${number(intensity)} for each byte of DRAM; at the bound ${number(time.from === 0 ? 0 : flops / time.from / 1e12)} TFLOPS`,
  );
  if (latency) {
    const { inFlight, needed, perIteration, depth } = latency;
    out.push(
      `  the loop asks for ${bytes(perIteration)} a round, ${depth} round${depth === 1 ? "" : "s"} ahead: ${bytes(inFlight)} in flight on ${one}, of ${bytes(needed)} that keep DRAM busy; ${duration(latency.seconds)} of latency at least`,
    );
  }
  const { program, wave, grid, wavePrograms, exact, known } = traffic;
  const both = (t: { readonly read: number; readonly write: number }) => `${bytes(t.read)} read, ${bytes(t.write)} written`;
  out.push(
    `  each byte once: a program ${both(program)}; ${wavePrograms} together ${both(wave)}; the grid ${both(grid)}${exact ? "" : ` (from ${known} programs)`}`,
  );
  return drawn ? [...out, "", ...rooflineText(limits)] : out;
}

function occupancyLines({ occupancy, registers, waves, gpu, sharedBytes, numCtas }: Limits): string[] {
  const { ctasPerSm, warpsPerSm, share, by, limits } = occupancy;
  const unit = unitOf(gpu);
  const count =
    registers === undefined
      ? "registers are not known without LLVM, which may allow fewer"
      : registers.by === "estimate"
        ? `about ${registers.count} registers a thread (an estimate: see docs/limits.md)`
        : `${registers.count} registers a thread by ${registers.by}`;
  return [
    `occupancy: ${ctasPerSm} ${unit.program}${ctasPerSm === 1 ? "" : "s"} and ${warpsPerSm} ${unit.warps} on ${unit.one}, ${percent(share)} of its ${unit.warps}; limited by ${by.join(" and ")}`,
    `  ${count}, ${sharedBytes} bytes of ${unit.shared}`,
    ...limits.map(({ by: what, ctas, detail }) => `  ${what.padEnd(14)} ${String(ctas).padStart(3)} ${unit.program}s  ${detail}`),
    `  ${waves.count} wave${waves.count === 1 ? "" : "s"} of ${waves.resident} program${waves.resident === 1 ? "" : "s"}${numCtas > 1 ? ` (clusters of ${numCtas})` : ""} on ${gpu.sms} ${unit.name}s, ${waves.last} in the last; the ${unit.name}s are idle for ${percent(waves.idle)} of the time that the busiest works`,
  ];
}

function costLines({ program, loops, gpu }: Limits): string[] {
  const unit = unitOf(gpu);
  return [
    `one program, over all its ${unit.warps}`,
    ...costText(program, unit).map((line) => `  ${line}`),
    ...loops.flatMap(({ depth, iterations, warps, perIteration }) =>
      iterations === 0
        ? []
        : [
            `${"  ".repeat(depth - 1)}a round of the loop (${number(iterations)} rounds, ${number(warps / (unit.warpSize / 32))} ${unit.warps})`,
            ...costText(perIteration, unit).map((line) => `${"  ".repeat(depth)}${line}`),
          ],
    ),
  ];
}

function costText(cost: Cost, unit: UnitRates): string[] {
  const { sectorsRead, sectorsWritten, wavefronts, idealWavefronts, tensorInstructions, barriers, waits } = cost;
  const flops = (Object.entries(cost.flops) as [TensorKind, number][]).map(([kind, n]) => `${number(n)} ${kind}`);
  const pipes = (Object.entries(cost.pipes) as [Pipe, number][]).sort((a, b) => b[1] - a[1]).map(([pipe, n]) => `${pipe} ${number(n)}`);
  const conflicts = wavefronts > idealWavefronts ? ` (${number(idealWavefronts)} without bank conflicts)` : "";
  return [
    ...(sectorsRead + sectorsWritten > 0 ? [`global memory: ${number(sectorsRead)} sectors read, ${number(sectorsWritten)} written`] : []),
    ...(wavefronts > 0 ? [`${unit.shared}: ${number(wavefronts)} wavefronts${conflicts}`] : []),
    ...(tensorInstructions > 0 ? [`${unit.matrix}: ${number(tensorInstructions)} instructions, operations: ${flops.join(", ")}`] : []),
    ...(unit.isCounted ? [`issue slots (estimated from PTX): ${pipes.join(", ")}`] : []),
    ...(barriers + waits > 0 ? [`barriers: ${number(barriers)}, waits: ${number(waits)}`] : []),
  ];
}

function opLines({ ops }: Limits): string[] {
  const rows = ops
    .slice(0, SHOWN)
    .map((op) => `  ${placeOf(op).padEnd(24)} ${op.name.padEnd(34)} ${summary(op.cost)}${op.loop === undefined ? "" : ", in a loop"}`);
  return [
    "by op, in one program, the dearest of the binding resource first",
    ...rows,
    ...(ops.length > SHOWN ? [`  and ${ops.length - SHOWN} more (--json)`] : []),
  ];
}
const placeOf = ({ source }: OpCost): string => (source === undefined ? "" : source.slice(source.lastIndexOf("/") + 1));

/** `128 sectors, 64 wavefronts`. */
export function summary({
  sectorsRead,
  sectorsWritten,
  wavefronts,
  idealWavefronts,
  tensorInstructions,
  instructions,
  pipes,
}: Cost): string {
  const parts = [
    ...(sectorsRead > 0 ? [`${number(sectorsRead)} sectors read`] : []),
    ...(sectorsWritten > 0 ? [`${number(sectorsWritten)} sectors written`] : []),
    ...(wavefronts > 0
      ? [`${number(wavefronts)} wavefronts${wavefronts > idealWavefronts ? ` (${number(idealWavefronts)} without conflicts)` : ""}`]
      : []),
    ...(tensorInstructions > 0 ? [`${number(tensorInstructions)} tensor-core instructions`] : []),
    ...((pipes.sfu ?? 0) > 0 ? [`${number(pipes.sfu!)} special functions`] : []),
  ];
  return parts.length > 0 ? parts.join(", ") : `${number(instructions)} instructions`;
}

const notModelled = ({ notModelled: list }: Limits): string[] => ["not modelled", ...list.map((line) => `  ${line}`)];

const WIDTH = 20;
const bar = (share: number): string => "█".repeat(Math.round(share * WIDTH)).padEnd(WIDTH);
export const percent = (share: number): string => `${(100 * share).toFixed(share !== 0 && share < 0.1 ? 1 : 0)} %`;
