/** `#ttg.amd_mfma`: results of the matrix core instructions of AMD CDNA, over 64 lanes. Source: AMDMfmaEncodingAttr. */

import type { AmdMfmaParams } from "../encoding-params.js";
import { LinearLayout } from "../linear-layout.js";
import { standardOutDimNames } from "../standard-dims.js";
import { combineCtaCgaWithShape } from "./combine-cta-cga.js";
import { bool, CGA, cgaText, type Encoding, HAS_CGA, int, ints, list, tilesText, WARPS } from "./encoding.js";
import { getMatrixOrder } from "./matrix-order.js";

const WARP_SIZE = 64;

/** register, lane, warp, block -> dim0, dim1, ... */
export function amdMfmaToLinearLayout(shape: readonly number[], params: AmdMfmaParams): LinearLayout {
  const names = standardOutDimNames(shape.length);
  const m = shape.length - 2;
  const n = shape.length - 1;
  const dimM = names[m]!;
  const dimN = names[n]!;
  const [mDim = 1, nDim = 1] = params.instrShape;
  const height = params.elementBitWidth === 64 ? 1 : 4;
  const tiles = Math.trunc((mDim * nDim) / (WARP_SIZE * height));

  // Each lane holds `height` elements along one dimension, the lanes run along the other one first. Transposing swaps the two.
  const [tall, tallDim, wideDim] = params.isTransposed ? [mDim, dimN, dimM] : [nDim, dimM, dimN];
  const tile = LinearLayout.identity1D(height, "register", tallDim)
    .multiply(LinearLayout.identity1D(tall, "lane", wideDim))
    .multiply(LinearLayout.identity1D(WARP_SIZE / tall, "lane", tallDim))
    .multiply(LinearLayout.identity1D(tiles, "register", tallDim))
    .transposeOuts([dimN, dimM]);
  return combineCtaCgaWithShape(spreadAmdTiles(tile, shape, params, nDim), params.cga, shape);
}

/**
 * Spreads one warp's tile (out dims n, m) over tiles per warp and warps. The whole of n is covered before m goes on, because
 * the lowering of dots expects the tiles n-contiguous across the tensor; so this depends on the shape.
 */
export function spreadAmdTiles(
  tile: LinearLayout,
  shape: readonly number[],
  params: { readonly tilesPerWarp: readonly number[]; readonly warpsPerCTA: readonly number[] },
  nDim: number,
): LinearLayout {
  const m = shape.length - 2;
  const n = shape.length - 1;
  const [dimN = "", dimM = ""] = tile.outDimNames;
  const tilesM = params.tilesPerWarp[m]!;
  const tilesN = params.tilesPerWarp[n]!;
  const warpsM = params.warpsPerCTA[m]!;
  const warpsN = params.warpsPerCTA[n]!;
  const spread = tile
    .multiply(LinearLayout.identity1D(tilesN, "register", dimN))
    .multiply(LinearLayout.identity1D(warpsN, "warp", dimN))
    .multiply(LinearLayout.identity1D(Math.trunc(shape[n]! / (nDim * warpsN * tilesN)), "register", dimN))
    .multiply(LinearLayout.identity1D(tilesM, "register", dimM))
    .multiply(LinearLayout.identity1D(warpsM, "warp", dimM));
  if (shape.length !== 3) return spread;
  return spread.multiply(batch(params.warpsPerCTA[0]!));
}

/** The batch dimension (dim0) of a rank 3 tile, spread over `warps`. */
export function batch(warps: number): LinearLayout {
  return LinearLayout.identity1D(1, "register", "dim0")
    .multiply(LinearLayout.identity1D(1, "lane", "dim0"))
    .multiply(LinearLayout.identity1D(warps, "warp", "dim0"));
}

/** Upstream's complaints about the parameters. */
export function verifyAmdMfma({ version, instrShape, elementBitWidth }: AmdMfmaParams): string[] {
  if (version < 0 || version > 4) return ["version must be in the [0, 4] range"];
  const [m, n] = instrShape;
  if (m === undefined || n === undefined) return ["instrShape lacks M or N"];
  const valid = [
    [32, 32],
    [16, 16],
    [64, 4],
    [4, 64],
  ];
  if (!valid.some(([vm, vn]) => vm === m && vn === n)) return [`invalid (mDim, nDim) combination: (${m}, ${n})`];
  if (elementBitWidth !== 32 && elementBitWidth !== 64) return ["elementBitWidth must be 32 or 64"];
  return [];
}

export const AMD_MFMA: Encoding<AmdMfmaParams> = {
  kind: "amd_mfma",
  dialect: "ttg",
  group: "matrix instructions",
  what: "CDNA matrix cores",
  fields: [
    int("version", "1 gfx908, 2 gfx90a, 3 gfx942, 4 gfx950"),
    WARPS,
    ints("instrShape", "m, n, k"),
    bool("isTransposed", "rows and columns of the result swapped"),
    CGA,
    ints("tilesPerWarp", "tiles that a warp computes next to each other", "ones"),
    int("elementBitWidth", "bits of an element", "32"),
  ],
  text({ version, warpsPerCTA, instrShape, isTransposed, cga, tilesPerWarp, elementBitWidth }) {
    const head = `version = ${version}, warpsPerCTA = ${list(warpsPerCTA)}, instrShape = ${list(instrShape)}`;
    const width = elementBitWidth === 32 ? "" : `, elementBitWidth = ${elementBitWidth}`;
    return `{${head}, isTransposed = ${isTransposed}${cgaText(cga)}${tilesText(tilesPerWarp)}${width}}`;
  },
  verify: verifyAmdMfma,
  toLinearLayout: amdMfmaToLinearLayout,
  ...HAS_CGA,
  order: (_, rank) => getMatrixOrder(rank, true),
};
