/** How many programs an SM, or a compute unit, holds at once, by each of the things that it has for them. */
import type { AmdGpu } from "../gpu/amd.js";
import { SIMD_UNITS, type WaveLimit, waveOccupancy } from "../gpu/amd-occupancy.js";
import { type SmLimits, smLimits } from "../gpu/products.js";

/** A kernel's use of an SM. */
export interface Footing {
  readonly capability: number;
  /** Threads of a CTA, and CTAs of a program. */
  readonly threads: number;
  readonly numCtas: number;
  readonly registers: number;
  /** Bytes of shared memory of a CTA. */
  readonly sharedBytes: number;
  /** Columns of tensor memory of a CTA. */
  readonly tensorColumns: number;
}

/** CTAs of an SM by one thing. */
export interface OccupancyLimit {
  readonly by: "registers" | "shared memory" | "warps" | "CTAs" | "tensor memory" | WaveLimit["by"];
  readonly ctas: number;
  /** `128 registers a thread, 4 warps: 16384 of 65536`. */
  readonly detail: string;
}
/** The CTAs and warps of an SM at once, and what allows no more. */
export interface Occupancy {
  readonly ctasPerSm: number;
  readonly warpsPerSm: number;
  /** The share of the most warps that an SM can hold. */
  readonly share: number;
  readonly limits: readonly OccupancyLimit[];
  /** Those that allow no more than `ctasPerSm`. */
  readonly by: readonly OccupancyLimit["by"][];
}

const up = (n: number, unit: number): number => Math.ceil(n / unit) * unit;

/** The occupancy of a kernel; 0 CTAs where one does not fit. */
export function occupancyOf(footing: Footing): Occupancy {
  const sm = smLimits(footing.capability);
  const warps = Math.ceil(footing.threads / 32);
  const limits: OccupancyLimit[] = [
    registerLimit(footing, sm, warps),
    sharedLimit(footing, sm),
    { by: "warps", ctas: Math.floor(sm.warps / warps), detail: `${warps} warps of ${sm.warps}` },
    { by: "CTAs", ctas: sm.ctas, detail: `an SM holds ${sm.ctas}` },
    ...(footing.tensorColumns > 0
      ? [
          {
            by: "tensor memory" as const,
            ctas: Math.floor(sm.tensorColumns / footing.tensorColumns),
            detail: `${footing.tensorColumns} columns of ${sm.tensorColumns}`,
          },
        ]
      : []),
  ];
  const ctasPerSm = Math.min(...limits.map(({ ctas }) => ctas));
  const warpsPerSm = ctasPerSm * warps;
  return {
    ctasPerSm,
    warpsPerSm,
    share: warpsPerSm / sm.warps,
    limits,
    by: limits.filter(({ ctas }) => ctas === ctasPerSm).map(({ by }) => by),
  };
}

/** Registers are given to warps, each in one of the SM's four parts. */
function registerLimit({ registers }: Footing, sm: SmLimits, warps: number): OccupancyLimit {
  const ofWarp = up(Math.max(registers, 1) * 32, sm.registerUnit);
  const fitting = Math.floor(sm.registers / ofWarp / 4) * 4;
  return {
    by: "registers",
    ctas: Math.floor(fitting / warps),
    detail: `${registers} a thread: ${ofWarp * warps} of ${sm.registers} for ${warps} warps`,
  };
}

function sharedLimit({ sharedBytes }: Footing, sm: SmLimits): OccupancyLimit {
  const taken = up(sharedBytes + sm.sharedReserved, sm.sharedUnit);
  return {
    by: "shared memory",
    ctas: taken === 0 ? sm.ctas : Math.floor(sm.sharedBytes / taken),
    detail: `${taken} bytes of ${sm.sharedBytes}${sm.sharedReserved > 0 ? `, ${sm.sharedReserved} of them the system's` : ""}`,
  };
}

/** The occupancy of a compute unit. Where `machine` is not known, registers are left out. */
export function occupancyOfWaves(
  gpu: AmdGpu,
  threads: number,
  ldsBytes: number,
  machine: { readonly registers: number; readonly scalars: number } | undefined,
): Occupancy {
  const waves = Math.ceil(threads / gpu.warpSize);
  const known = waveOccupancy(gpu, { waves, vgprs: machine?.registers ?? 0, sgprs: machine?.scalars ?? 0, ldsBytes });
  const limits = known.limits
    .filter(({ by }) => machine !== undefined || by === "LDS" || by === "waves")
    .map(({ by, waves: ofSimd, detail }) => ({
      by,
      ctas:
        by !== "LDS"
          ? Math.floor((SIMD_UNITS * ofSimd) / waves)
          : ldsBytes === 0
            ? SIMD_UNITS * known.most
            : Math.floor(gpu.unit.ldsBytes / ldsBytes),
      detail,
    }));
  const ctasPerSm = Math.min(...limits.map(({ ctas }) => ctas));
  const warpsPerSm = ctasPerSm * waves;
  return {
    ctasPerSm,
    warpsPerSm,
    share: warpsPerSm / (SIMD_UNITS * known.most),
    limits,
    by: limits.filter(({ ctas }) => ctas === ctasPerSm).map(({ by }) => by),
  };
}
