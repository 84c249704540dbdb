/** How many waves of a kernel a SIMD unit of an AMD GPU holds at once, by each of the things that it has for them. */
import type { AmdGpu } from "./amd.js";

/** A kernel's use of a GPU. */
export interface WaveFooting {
  /** Waves of a workgroup. */
  readonly waves: number;
  /** VGPRs of a lane, AGPRs among them, and SGPRs of a wave. */
  readonly vgprs: number;
  readonly sgprs: number;
  /** Bytes of a workgroup. */
  readonly ldsBytes: number;
}
/** The waves that one thing allows. */
export interface WaveLimit {
  readonly by: "VGPRs" | "SGPRs" | "LDS" | "waves";
  readonly waves: number;
  /** `256 of 512 a lane`. */
  readonly detail: string;
}
export interface WaveOccupancy {
  /** Waves of a SIMD unit at once; of the four that share LDS, the one that has most. 0 where a workgroup does not fit. */
  readonly waves: number;
  readonly most: number;
  readonly limits: readonly WaveLimit[];
  /** Those that allow no more than `waves`. */
  readonly by: readonly WaveLimit["by"][];
}
/** SIMD units of a compute unit. */
export const SIMD_UNITS = 4;

export function waveOccupancy({ unit }: AmdGpu, { waves, vgprs, sgprs, ldsBytes }: WaveFooting): WaveOccupancy {
  const given = Math.ceil(Math.max(vgprs, 1) / unit.vgprsAtOnce) * unit.vgprsAtOnce;
  const workgroups = ldsBytes === 0 ? Infinity : Math.floor(unit.ldsBytes / ldsBytes);
  const limits: WaveLimit[] = [
    { by: "VGPRs", waves: Math.floor(unit.vgprs / given), detail: `${given} of ${unit.vgprs} a lane` },
    ...(unit.sgprs === undefined
      ? []
      : [{ by: "SGPRs" as const, waves: Math.floor(unit.sgprs / Math.max(sgprs, 1)), detail: `${sgprs} of ${unit.sgprs}` }]),
    {
      by: "LDS",
      waves: Math.ceil((workgroups * waves) / SIMD_UNITS),
      detail: `${ldsBytes} of ${unit.ldsBytes} bytes of a ${unit.name} for ${waves} wave${waves === 1 ? "" : "s"}`,
    },
    { by: "waves", waves: unit.waves, detail: `a SIMD unit holds ${unit.waves}` },
  ];
  const held = Math.min(...limits.map((limit) => limit.waves));
  return { waves: held, most: unit.waves, limits, by: limits.filter((limit) => limit.waves === held).map(({ by }) => by) };
}

/** `2 of 8 waves on a SIMD unit (VGPRs)`. */
export function occupancyText({ waves, most, by }: WaveOccupancy): string {
  const why = waves === most ? "" : ` (${by.join(" and ")})`;
  return `${waves} of ${most} waves on a SIMD unit${why}`;
}
