/** `#ttg.amd_wmma`: results of the matrix instructions of AMD RDNA, 16x16 over 32 lanes. Source: AMDWmmaEncodingAttr. */
import type { AmdWmmaParams } from "../encoding-params.js";
import { LinearLayout } from "../linear-layout.js";
import { standardOutDimNames } from "../standard-dims.js";
import { spreadAmdTiles } from "./amd-mfma.js";
import { combineCtaCgaWithShape } from "./combine-cta-cga.js";
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
  const registers =
    params.version === 1
      ? [
          [0, 2],
          [0, 4],
          [0, 8],
        ]
      : [
          [0, 1],
          [0, 2],
          [0, 4],
        ];
  const half = params.version === 1 ? [0, 1] : [0, 8];
  const tile = LinearLayout.fromBases(
    [
      ["register", registers],
      ["lane", [...lanes, half]],
    ],
    [names[fast]!, names[slow]!],
  ).transposeOuts([names[shape.length - 1]!, names[shape.length - 2]!]);
  return combineCtaCgaWithShape(spreadAmdTiles(tile, shape, params, params.instrShape[1] ?? 16), params.cga, shape);
}

/** Upstream's complaints about the parameters. */
export function verifyAmdWmma({ version, instrShape }: AmdWmmaParams): string[] {
  if (version < 1 || version > 3) return ["WMMA version must be in the [1, 3] range"];
  const valid: Record<number, readonly string[]> = {
    1: ["16,16,16"],
    2: ["16,16,16", "16,16,32"],
    3: ["16,16,4", "16,16,32", "16,16,64", "16,16,128"],
  };
  return valid[version]!.includes(instrShape.join()) ? [] : [`invalid WMMA v${version} instruction shape`];
}
