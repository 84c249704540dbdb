/** `#ttg.amd_wmma`: results of the matrix instructions of AMD RDNA, 16x16 over 32 lanes. Source: AMDWmmaEncodingAttr. */

import type { AmdWmmaParams } from "../encoding-params.js";
import { LinearLayout } from "../linear-layout.js";
import { standardOutDimNames } from "../standard-dims.js";
import { batch, spreadAmdTiles } from "./amd-mfma.js";
import { combineCtaCgaWithShape } from "./combine-cta-cga.js";
import { bool, CGA, cgaText, type Encoding, HAS_CGA, int, ints, list, tilesText, WARPS } from "./encoding.js";
import { getMatrixOrder } from "./matrix-order.js";

/** register, lane, warp, block -> dim0, dim1, ... */
export function amdWmmaToLinearLayout(shape: readonly number[], params: AmdWmmaParams): LinearLayout {
  const names = standardOutDimNames(shape.length);
  const [fast = 0, slow = 0] = getMatrixOrder(shape.length, !params.isTransposed);
  const lanes = [
    [1, 0],
    [2, 0],
    [4, 0],
    [8, 0],
  ];
  // Along the slow dimension: version 1 alternates the two halves of the warp, later versions give each half 8 in a row.
  const isTall = params.instrShape[0] === 32;
  const registers =
    params.version === 1
      ? [
          [0, 2],
          [0, 4],
          [0, 8],
        ]
      : [[0, 1], [0, 2], [0, 4], ...(isTall ? [[0, 16]] : [])];
  const half = params.version === 1 ? [0, 1] : [0, 8];
  const tile = LinearLayout.fromBases(
    [
      ["register", registers],
      ["lane", [...lanes, half]],
    ],
    [names[fast]!, names[slow]!],
  ).transposeOuts([names[shape.length - 1]!, names[shape.length - 2]!]);
  if (params.ctaLayout) {
    const batched = shape.length === 3 ? tile.multiply(batch(1)) : tile;
    const spread = batched.transposeOuts(names).multiply(params.ctaLayout);
    return combineCtaCgaWithShape(spread.transposeOuts(getMatrixOrder(shape.length, true).map((d) => names[d]!)), params.cga, shape);
  }
  return combineCtaCgaWithShape(spreadAmdTiles(tile, shape, params, params.instrShape[1] ?? 16), params.cga, shape);
}

/** Upstream's complaints about the parameters. */
export function verifyAmdWmma({ version, instrShape, ctaLayout }: AmdWmmaParams): string[] {
  if (version < 1 || version > 3) return ["WMMA version must be in the [1, 3] range"];
  const valid: Record<number, readonly string[]> = {
    1: ["16,16,16"],
    2: ["16,16,16", "16,16,32"],
    3: ["16,16,4", "16,16,32", "16,16,64", "16,16,128", ...(ctaLayout ? ["32,16,64", "32,16,128"] : [])],
  };
  return valid[version]!.includes(instrShape.join()) ? [] : [`invalid WMMA v${version} instruction shape`];
}

/** `register = [[0, 1]]`: in dims without bases are left out. */
const setBasesText = (layout: LinearLayout): string =>
  layout
    .getBases()
    .filter(([, bases]) => bases.length > 0)
    .map(([dim, bases]) => `${dim} = [${bases.map(list).join(", ")}]`)
    .join(", ");

export const AMD_WMMA: Encoding<AmdWmmaParams> = {
  kind: "amd_wmma",
  dialect: "ttg",
  group: "matrix instructions",
  what: "RDNA matrix cores",
  fields: [
    int("version", "1 gfx11, 2 gfx12, 3 gfx1250"),
    bool("isTranspose", "rows and columns of the result swapped"),
    WARPS,
    CGA,
    ints("tilesPerWarp", "tiles that a warp computes next to each other", "ones"),
    ints("instrShape", "m, n, k", "[16, 16, 16]"),
  ],
  text({ version, isTransposed, warpsPerCTA, cga, ctaLayout, tilesPerWarp, instrShape }) {
    const kind = `version = ${version}, isTranspose = ${isTransposed}`;
    const instr = instrShape.join() === "16,16,16" ? "" : `, instrShape = ${list(instrShape)}`;
    if (ctaLayout) return `{${kind}, ctaLayout = {${setBasesText(ctaLayout)}}${cgaText(cga)}${instr}}`;
    return `{${kind}, warpsPerCTA = ${list(warpsPerCTA)}${cgaText(cga)}${tilesText(tilesPerWarp)}${instr}}`;
  },
  verify: verifyAmdWmma,
  toLinearLayout: amdWmmaToLinearLayout,
  ...HAS_CGA,
  order: (_, rank) => getMatrixOrder(rank, true),
  computesEqualElements: true,
};
