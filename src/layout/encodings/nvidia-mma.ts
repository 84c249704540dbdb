/**
 * `#ttg.nvidia_mma`: results of tensor core instructions. Version 2 is mma.sync, whose 16x8 tiles hold, in each of 8 rows, two
 * neighbouring elements in each of 4 lanes; version 3 is wgmma, the same tile over four warps. Source: NvidiaMmaEncodingAttr.
 */

import type { NvidiaMmaParams } from "../encoding-params.js";
import { LayoutError } from "../layout-error.js";
import { LinearLayout } from "../linear-layout.js";
import { identityStandardND, standardOutDimNames } from "../standard-dims.js";
import { combineCtaCgaWithShape } from "./combine-cta-cga.js";
import { CGA, cgaText, type Encoding, HAS_CGA, int, ints, list, WARPS } from "./encoding.js";
import { getMatrixOrder } from "./matrix-order.js";

export function isAmpere(params: NvidiaMmaParams): boolean {
  return params.versionMajor === 2;
}

/** Whether it is the accumulator of wgmma. */
export function isHopper(params: NvidiaMmaParams): boolean {
  return params.versionMajor === 3;
}

/** One m8n8k4, which takes fp64 only; Triton before 3.8 puts four or more together to a 16x8 tile. */
export function isSmallF64(params: NvidiaMmaParams): boolean {
  return isAmpere(params) && params.instrShape.at(-2) === 8;
}

/** register, lane, warp, block -> dim0, dim1, ... */
export function nvidiaMmaToLinearLayout(shape: readonly number[], params: NvidiaMmaParams): LinearLayout {
  const rank = shape.length;
  const tileShape = isAmpere(params) ? params.instrShape : params.instrShape.slice(0, 2);
  const order = getMatrixOrder(rank, true);
  const tile = nvidiaMmaTile(tileShape, 2, order, order);
  const warpOrder = getMatrixOrder(rank, !isHopper(params));
  const warps = identityStandardND("warp", params.warpsPerCTA, warpOrder).transposeOuts(tile.outDimNames);
  return combineCtaCgaWithShape(tile.multiply(warps), params.cga, shape);
}

/**
 * One warp's tile of an operand or result, out dims in `repOrder`: along the inner dimension `kWidth` registers, then 4 lanes;
 * along the outer one 8 lanes, then registers; then registers along the inner one. `order[0]` is the inner dimension.
 */
export function nvidiaMmaTile(
  tileShape: readonly number[],
  kWidth: number,
  order: readonly number[],
  repOrder: readonly number[],
): LinearLayout {
  const names = standardOutDimNames(repOrder.length);
  const inner = order[0]!;
  const outer = order[1]!;
  const m = tileShape[outer] ?? 0;
  const n = tileShape[inner] ?? 0;
  if (m < 8 || m % 8 !== 0 || n < kWidth * 4 || n % (kWidth * 4) !== 0)
    throw new LayoutError(`no mma tile has the shape ${m}x${n} with kWidth ${kWidth}`);
  const identity = (size: number, inDim: string, dim: number): LinearLayout => LinearLayout.identity1D(size, inDim, names[dim]!);
  return identityStandardND(
    "register",
    repOrder.map(() => 1),
    repOrder,
  )
    .multiply(identity(kWidth, "register", inner))
    .multiply(identity(4, "lane", inner))
    .multiply(identity(8, "lane", outer))
    .multiply(identity(m / 8, "register", outer))
    .multiply(identity(n / (kWidth * 4), "register", inner));
}

/** How often the instruction repeats along [batch, m or k, k or n] of operand `opIdx`; `bitwidth` of an element. */
export function nvidiaMmaRepForOperand(params: NvidiaMmaParams, shape: readonly number[], bitwidth: number, opIdx: number): number[] {
  const rank = shape.length;
  const warps = [...params.warpsPerCTA];
  warps[opIdx === 0 ? rank - 1 : rank - 2] = 1;
  const m = isSmallF64(params) ? 8 : 16;
  const k = (isAmpere(params) && bitwidth === 64 && m === 16 ? 4 * 256 : 4 * 64) / bitwidth;
  const tile = [...(rank === 3 ? [1] : []), ...(opIdx === 0 ? [m, k] : [k, 8])];
  const reps = shape.map((size, i) => Math.max(1, Math.trunc(size / (tile[i]! * warps[i]!))));
  return rank === 3 ? reps : [1, ...reps];
}

export const NVIDIA_MMA: Encoding<NvidiaMmaParams> = {
  kind: "nvidia_mma",
  dialect: "ttg",
  group: "matrix instructions",
  what: "mma (2), wgmma (3); version 1 (Volta) has no linear layout",
  fields: [
    int("versionMajor", "1 Volta, 2 Turing and Ampere, 3 Hopper"),
    int("versionMinor", "0, or 1 on Turing"),
    WARPS,
    CGA,
    ints("instrShape", "the instruction's m, n (and k)"),
  ],
  text({ versionMajor, versionMinor, warpsPerCTA, cga, instrShape }) {
    const version = `versionMajor = ${versionMajor}, versionMinor = ${versionMinor}`;
    return `{${version}, warpsPerCTA = ${list(warpsPerCTA)}${cgaText(cga)}, instrShape = ${list(instrShape)}}`;
  },
  toLinearLayout: nvidiaMmaToLinearLayout,
  ...HAS_CGA,
  order: (_, rank) => getMatrixOrder(rank, true),
};
