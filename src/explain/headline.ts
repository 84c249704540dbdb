/** The kernel in a line: name, target, and the numbers that its launch depends on. */
import { amdGpuOf, archOf } from "../gpu/amd.js";
import { occupancyText, type WaveOccupancy, waveOccupancy } from "../gpu/amd-occupancy.js";
import { memo } from "../support/memo.js";
import { DEFAULT_TRITON } from "../support/triton-version.js";
import type { MachineCode, Step, Trace } from "../trace/trace.js";

/** A kernel in a line: its name, target and sizes. */
export interface Headline {
  readonly kernels: readonly string[];
  /** `cuda:80`; undefined where the Trace does not say, as the numbers are. */
  readonly target: string | undefined;
  /** `3.8`: the Triton that is followed, where it is not the default. */
  readonly triton: string | undefined;
  readonly warps: number | undefined;
  readonly stages: number | undefined;
  readonly ctas: number | undefined;
  /** Bytes of shared memory of a CTA. */
  readonly shared: number | undefined;
  /** Registers of a thread, and AMD's of a wave; undefined where no assembler ran. */
  readonly registers: number | undefined;
  readonly scalars: number | undefined;
  readonly accumulators: number | undefined;
  /** The waves of an AMD GPU's SIMD unit; undefined where no assembler ran. */
  readonly occupancy: WaveOccupancy | undefined;
}

/** Functions and module attributes come early. */
const FIRST_LINES = 20_000;

/** The headline of a Trace. */
export const headlineOf = memo((trace: Trace): Headline => {
  const text = (step: Step | undefined, most: number) =>
    step ? [...step.text.lines.subarray(0, most)].map((n) => trace.lines.line(n)) : [];
  const kernelsOf = (step: Step) => text(step, FIRST_LINES).flatMap((line) => publicFunction(line) ?? []);
  // The first step of a log may be a pass on a function that the kernel calls.
  let kernels: readonly string[] = [];
  for (const step of trace.steps) if ((kernels = kernelsOf(step)).length > 0) break;
  const last = trace.steps.findLast((s) => s.known && s.text.lines.length > 0 && s.stage !== "ptx");
  const module = text(last, FIRST_LINES).find((line) => /^\s*module\b/.test(line)) ?? "";
  const attribute = (name: string): number | undefined => {
    const found = new RegExp(`\\b${name}"? = (\\d+)`).exec(module)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const option = (name: string): number | undefined => (typeof trace.options[name] === "number" ? trace.options[name] : undefined);
  const warps = option("numWarps") ?? attribute("num-warps");
  // A cache folder has it in the kernel's metadata alone: its TTGIR is older than the allocation.
  const shared = attribute("ttg.shared") ?? option("shared");
  const { machine } = trace.artifacts;
  return {
    kernels,
    target: trace.target,
    triton: trace.triton === DEFAULT_TRITON.name ? undefined : trace.triton,
    warps,
    stages: option("numStages") ?? option("num_stages"),
    ctas: option("numCtas") ?? attribute("num-ctas"),
    shared,
    registers: machine?.registers,
    scalars: machine?.wave?.scalars,
    accumulators: machine?.wave?.accumulators,
    occupancy: machine && occupancyOnAmd(machine, trace.target, warps, shared),
  };
});

/** The waves of a SIMD unit with LLVM's code of a kernel; undefined where something of it is not known. */
export function occupancyOnAmd(
  { registers, wave }: MachineCode,
  target: string | undefined,
  waves: number | undefined,
  shared = 0,
): WaveOccupancy | undefined {
  const gpu = amdGpuOf(archOf(target) ?? "");
  if (!gpu || !wave || waves === undefined) return undefined;
  return waveOccupancy(gpu, { waves, vgprs: registers, sgprs: wave.scalars, ldsBytes: shared + wave.lds });
}

/** `matmul_kernel on cuda:80, Triton 3.8: 4 warps, 3 stages, 49152 bytes of shared memory`. */
export function headlineText(line: Headline): string {
  const { kernels, target, triton, warps, stages, ctas, shared, registers, scalars, accumulators, occupancy } = line;
  const parts = [
    warps === undefined ? [] : [`${warps} warp${warps === 1 ? "" : "s"}`],
    stages === undefined ? [] : [`${stages} stage${stages === 1 ? "" : "s"}`],
    ctas === undefined || ctas === 1 ? [] : [`${ctas} CTAs`],
    shared === undefined ? [] : [shared === 0 ? "no shared memory" : `${shared} bytes of shared memory`],
    registers === undefined ? [] : [`${registers} registers a thread${accumulators ? ` (${accumulators} of them AGPRs)` : ""}`],
    scalars === undefined ? [] : [`${scalars} SGPRs a wave`],
    occupancy === undefined ? [] : [occupancyText(occupancy)],
  ].flat();
  const name = kernels.length === 0 ? "a module without a public function" : kernels.join(", ");
  const where = `${target === undefined ? "" : ` on ${target}`}${triton === undefined ? "" : `, Triton ${triton}`}`;
  return `${name}${where}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`;
}

/** The name of the function that a line of IR or PTX begins, where others may call it. Without a visibility a function is public. */
export function publicFunction(line: string): string | undefined {
  if (line.includes(".entry")) return /^\s*\.visible \.entry ([\w$.]+)/.exec(line)?.[1];
  if (!line.includes("func")) return undefined;
  return /^\s*(?:tt\.func|func\.func|func|llvm\.func)\s+(?!private\b|internal\b)(?:\w+\s+)*@"?([\w.$]+).*\{$/.exec(line)?.[1];
}
