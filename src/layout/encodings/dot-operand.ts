/** `#ttg.dot_op`: operands of a dot, as the encoding of its result asks for them. Source: DotOperandEncodingAttr. */

import type {
  AmdMfmaParams,
  AmdWmmaParams,
  BlockedParams,
  DistributedParams,
  DotOperandParams,
  NvidiaMmaParams,
} from "../encoding-params.js";
import { LayoutError } from "../layout-error.js";
import { LinearLayout } from "../linear-layout.js";
import { identityStandardND, standardOutDimNames } from "../standard-dims.js";
import { combineCtaCgaWithShape } from "./combine-cta-cga.js";
import { type Encoding, int } from "./encoding.js";
import { getMatrixOrder, getOrderForDotOperand, kDimOf } from "./matrix-order.js";
import { isAmpere, isHopper, isSmallF64, nvidiaMmaTile } from "./nvidia-mma.js";

/** register, lane, warp, block -> dim0, dim1, ... */
export function dotOperandToLinearLayout(shape: readonly number[], params: DotOperandParams): LinearLayout {
  switch (params.parent.kind) {
    case "blocked":
      return fmaDotToLinearLayout(shape, params, params.parent);
    case "nvidia_mma":
      return nvidiaDotToLinearLayout(shape, params, params.parent);
    case "amd_mfma":
      return mfmaDotToLinearLayout(shape, params, params.parent);
    case "amd_wmma":
      return wmmaDotToLinearLayout(shape, params, params.parent);
    default:
      throw new LayoutError(`ttg.dot_op unexpected parent layout: ${params.parent.kind}`);
  }
}

/** The operand for elements of `bitwidth` bits: under Ampere and Hopper parents a thread holds 32 bits along k. */
export function dotOperandFor(opIdx: number, parent: DistributedParams, bitwidth: number): DotOperandParams {
  const usesWidth = parent.kind === "nvidia_mma" && (isAmpere(parent) || isHopper(parent));
  return { kind: "dot_op", opIdx, parent, kWidth: usesWidth ? Math.max(Math.trunc(32 / bitwidth), 1) : 0 };
}

/** The CTAs of an operand: those of the result, all of which hold the whole of k. */
export function dotOperandCga(opIdx: number, parent: LinearLayout): LinearLayout {
  const rank = parent.getNumOutDims();
  const k = kDimOf(opIdx, rank);
  const bases = parent.getInDimBases("block").map((vector) => vector.map((c, d) => (d === k ? 0 : c)));
  const outDims = parent.getOutDims().map(([name, size], d) => [name, d === k ? 1 : size] as const);
  return LinearLayout.fromBases([["block", bases]], outDims);
}

/** Upstream's complaints about the parameters; `parentText` is the parent as printed. */
export function verifyDotOperand({ opIdx, parent, kWidth }: DotOperandParams, parentText: string): string[] {
  if (opIdx !== 0 && opIdx !== 1) return [`ttg.dot_op opIdx parameter can be 0 or 1, got: ${opIdx}`];
  switch (parent.kind) {
    case "nvidia_mma": {
      const usesWidth = isAmpere(parent) || isHopper(parent);
      if (kWidth !== 0 && !usesWidth) return ["ttg.dot_op kWidth parameter can only be non-zero for Ampere or Hopper MMA parent"];
      if (kWidth === 0 && usesWidth) return ["ttg.dot_op kWidth parameter is mandatory for Ampere or Hopper MMA parent"];
      if (opIdx !== 0 && isHopper(parent))
        return [
          "ttg.dot_op opIdx parameter must be 0 for Hopper MMA parent, since Hopper WGMMA only allows first operand to be in registers",
        ];
      return [];
    }
    case "amd_wmma":
      if (parent.version === 1 && ![8, 16].includes(kWidth))
        return ["ttg.dot_op kWidth parameter must be 8/16 for WMMA v1 (including packed cases for `scaled_dot`)"];
      if (parent.version === 2 && ![4, 8, 16].includes(kWidth))
        return ["ttg.dot_op kWidth parameter must be 4/8/16 for WMMA v2 (including packed cases for `scaled_dot`)"];
      if (parent.version === 3 && ![2, 8, 16].includes(kWidth)) return ["ttg.dot_op kWidth parameter must be 2/8/16 for WMMA v3"];
      return [];
    case "amd_mfma":
      return kWidth === 0 ? ["ttg.dot_op kWidth parameter is mandatory for MFMA parent"] : [];
    case "blocked":
      return kWidth !== 0 ? ["ttg.dot_op kWidth parameter is not supported when the parent is a blocked layout"] : [];
    default:
      return [`ttg.dot_op unexpected parent layout: ${parentText}`];
  }
}

/**
 * Lanes or warps of the result, for an operand: those that differ only in the dimension that the operand has k in hold the
 * same elements. With 2x2 warps, A's rows are held by warps 0 1 | 0 1 over 2 3 | 2 3, B's columns by 0 2 | 1 3.
 * `shape` is that of the result's box, `order` its order.
 */
export function broadcastedDotOperandLayout(shape: readonly number[], order: readonly number[], kDim: number, inDim: string): LinearLayout {
  const names = standardOutDimNames(shape.length);
  return order.reduce(
    (layout, d) => layout.multiply((d === kDim ? LinearLayout.zeros1D : LinearLayout.identity1D)(shape[d]!, inDim, names[d]!)),
    LinearLayout.empty(),
  );
}

/**
 * The scales of a dot of blocks done by mma.sync (sm_120), [M or N, groups along k]: a thread holds all groups of the rows that its
 * instructions take. `warpsPerCTA` is that of the result. Source: LinearLayoutConversions.cpp, getSM120DotScaledScaleLayout.
 */
export function dotScaledScaleLayout(
  shape: readonly number[],
  opIdx: number,
  warpsPerCTA: readonly number[],
  cga: LinearLayout,
): LinearLayout {
  const lanes = [opIdx === 0 ? 8 : 0, 0, 1, 2, 4].map((row) => [row, 0]);
  const [order, warps] = opIdx === 0 ? [[1, 0], warpsPerCTA] : [[0, 1], [...warpsPerCTA].reverse()];
  const ctaLayout = LinearLayout.identity1D(shape[1]!, "register", "dim1")
    .multiply(LinearLayout.fromBases([["lane", lanes]], ["dim0", "dim1"]))
    .multiply(broadcastedDotOperandLayout(warps, order, 1, "warp"));
  return combineCtaCgaWithShape(ctaLayout, cga, shape);
}

/** Under a blocked parent every thread holds the whole of k for its elements of the result. */
function fmaDotToLinearLayout(shape: readonly number[], { opIdx }: DotOperandParams, parent: BlockedParams): LinearLayout {
  const k = kDimOf(opIdx, shape.length);
  const { order } = parent;
  const threadSize = parent.sizePerThread.map((size, d) => (d === k ? shape[d]! : size));
  const ctaLayout = identityStandardND("register", threadSize, order)
    .multiply(broadcastedDotOperandLayout(parent.threadsPerWarp, order, k, "lane"))
    .multiply(broadcastedDotOperandLayout(parent.warpsPerCTA, order, k, "warp"));
  return combineCtaCgaWithShape(ctaLayout, dotOperandCga(opIdx, parent.cga), shape);
}

function nvidiaDotToLinearLayout(shape: readonly number[], { opIdx, kWidth }: DotOperandParams, parent: NvidiaMmaParams): LinearLayout {
  const rank = shape.length;
  const k = kDimOf(opIdx, rank);
  const tileShape = new Array<number>(rank).fill(1);
  const [m, kSize] = isSmallF64(parent) ? [8, kWidth * 4] : [16, kWidth * 8];
  tileShape[rank - 2] = opIdx === 0 ? m : kSize;
  tileShape[rank - 1] = opIdx === 0 ? kSize : 8;
  const order = getOrderForDotOperand(opIdx, rank, true);
  const tile = nvidiaMmaTile(tileShape, kWidth, order, order);
  const warps = broadcastedDotOperandLayout(parent.warpsPerCTA, getMatrixOrder(rank, !isHopper(parent)), k, "warp");
  return combineCtaCgaWithShape(tile.multiply(warps.transposeOuts(tile.outDimNames)), dotOperandCga(opIdx, parent.cga), shape);
}

function mfmaDotToLinearLayout(shape: readonly number[], { opIdx, kWidth }: DotOperandParams, parent: AmdMfmaParams): LinearLayout {
  const warpSize = 64;
  const rank = shape.length;
  const names = standardOutDimNames(rank);
  const [mDim = 1, nDim = 1] = parent.instrShape;
  const nonK = opIdx === 0 ? mDim : nDim;
  const order = getOrderForDotOperand(opIdx, rank, true);
  const dimK = names[order[0]!]!;
  const dimNonK = names[order[1]!]!;
  const kSize = shape[order[0]!]!;

  let tile = LinearLayout.identity1D(kWidth, "register", dimK)
    .multiply(LinearLayout.identity1D(nonK, "lane", dimNonK))
    .multiply(LinearLayout.identity1D(warpSize / nonK, "lane", dimK));
  let kTile = (warpSize / nonK) * kWidth;
  // The 64x64 operand of a 4x64 or 64x4 instruction takes 16 such pieces along k.
  if ((mDim === 64 && nDim === 4 && opIdx === 0) || (mDim === 4 && nDim === 64 && opIdx === 1)) {
    tile = tile.multiply(LinearLayout.identity1D(16, "register", dimK));
    kTile *= 16;
  }
  if (kSize > kTile) tile = tile.multiply(LinearLayout.identity1D(Math.trunc(kSize / kTile), "register", dimK));
  tile = tile.multiply(LinearLayout.identity1D(parent.tilesPerWarp[order[1]!]!, "register", dimNonK)).transposeOuts([dimK, dimNonK]);
  if (rank === 3) tile = tile.multiply(LinearLayout.identity1D(1, "register", "dim0")).multiply(LinearLayout.identity1D(1, "lane", "dim0"));

  const warps = identityStandardND("warp", parent.warpsPerCTA, getMatrixOrder(rank, true));
  return combineCtaCgaWithShape(tile.multiply(warps), parent.cga, shape);
}

function wmmaDotToLinearLayout(shape: readonly number[], { opIdx, kWidth }: DotOperandParams, parent: AmdWmmaParams): LinearLayout {
  const warpSize = 32;
  const rank = shape.length;
  const names = standardOutDimNames(rank);
  const order = getOrderForDotOperand(opIdx, rank, true);
  const dimK = names[order[0]!]!;
  const dimNonK = names[order[1]!]!;
  const kDim = parent.instrShape[2]!;
  const nonK = parent.instrShape[opIdx]!;
  if (parent.ctaLayout) return wmmaOperandOfTiles(shape, opIdx, kWidth, parent, parent.ctaLayout);
  const tilesNonK = parent.tilesPerWarp[order[1]!]!;
  const depth = Math.trunc(warpSize / nonK);

  // Version 1 repeats the values in the upper half of the warp, later versions go on along k there.
  const upperHalf = parent.version === 1 ? LinearLayout.zeros1D(depth, "lane", dimK) : LinearLayout.identity1D(depth, "lane", dimK);
  let tile = LinearLayout.identity1D(kWidth, "register", dimK)
    .multiply(LinearLayout.identity1D(nonK, "lane", dimNonK))
    .multiply(upperHalf);
  const kTile = depth * kWidth;
  // With several tiles per warp, k is filled whole before the next tile.
  const k = tilesNonK > 1 ? Math.max(shape[order[0]!]!, kDim) : kDim;
  tile = tile.multiply(LinearLayout.identity1D(Math.trunc(k / kTile), "register", dimK));
  if (tilesNonK > 1) tile = tile.multiply(LinearLayout.identity1D(tilesNonK, "register", dimNonK));
  if (rank === 3) tile = tile.multiply(LinearLayout.identity1D(1, "register", "dim0")).multiply(LinearLayout.identity1D(1, "lane", "dim0"));

  const warps = broadcastedDotOperandLayout(parent.warpsPerCTA, getMatrixOrder(rank, true), order[0]!, "warp");
  const repDims = order.map((d) => names[d]!);
  return combineCtaCgaWithShape(tile.transposeOuts(repDims).multiply(warps.transposeOuts(repDims)), parent.cga, shape);
}

/** As above, where a layout says which warps compute which tiles of the result: the operand has the tiles along its own dimension. */
function wmmaOperandOfTiles(
  shape: readonly number[],
  opIdx: number,
  kWidth: number,
  parent: AmdWmmaParams,
  ctaLayout: LinearLayout,
): LinearLayout {
  const names = standardOutDimNames(shape.length);
  const order = getOrderForDotOperand(opIdx, shape.length, true);
  const dimK = names[order[0]!]!;
  const dimNonK = names[order[1]!]!;
  const [lanes, depth] = [16, 2];
  const upperHalf = parent.version === 1 ? LinearLayout.zeros1D(depth, "lane", dimK) : LinearLayout.identity1D(depth, "lane", dimK);
  const rows = Math.trunc(parent.instrShape[opIdx]! / lanes);
  let tile = LinearLayout.identity1D(kWidth, "register", dimK)
    .multiply(LinearLayout.identity1D(lanes, "lane", dimNonK))
    .multiply(upperHalf)
    .multiply(LinearLayout.identity1D(Math.trunc(parent.instrShape[2]! / (depth * kWidth)), "register", dimK));
  if (rows > 1) tile = tile.multiply(LinearLayout.identity1D(rows, "register", dimNonK));
  const along = (dim: string): readonly (readonly number[])[] =>
    ctaLayout.getInDimBases(dim).map((basis) => basis.map((c, d) => (d === order[0] ? 0 : c)));
  const moving = along("register").filter((basis) => basis.some((c) => c !== 0));
  const outDims = ctaLayout.getOutDims().map(([name, size], d) => [name, d === order[0] ? 1 : size] as const);
  const tiles = LinearLayout.fromBases(
    [
      ["register", moving],
      ["warp", along("warp")],
    ],
    outDims,
  );
  const spread = tile.multiply(tiles);
  return combineCtaCgaWithShape(spread.transposeOuts(order.map((d) => names[d]!)), dotOperandCga(opIdx, parent.cga), shape);
}

export const DOT_OPERAND: Encoding<DotOperandParams> = {
  kind: "dot_op",
  dialect: "ttg",
  group: "distributed",
  what: "an operand of a dot",
  fields: [
    int("opIdx", "0 for A, 1 for B"),
    { name: "parent", type: "encoding", what: "the encoding of the dot's result" },
    int("kWidth", "consecutive elements of a thread along k", "0 under blocked"),
  ],
  text: ({ opIdx, parent, kWidth }, textOf) =>
    `{opIdx = ${opIdx}, parent = ${textOf(parent)}${kWidth === 0 ? "" : `, kWidth = ${kWidth}`}}`,
  verify: (params, { text }) => verifyDotOperand(params, text(params.parent)),
  toLinearLayout: dotOperandToLinearLayout,
  cga({ opIdx, parent }, cgaOf) {
    const cga = cgaOf(parent);
    return cga && dotOperandCga(opIdx, cga);
  },
  rank: ({ parent }, rankOf) => rankOf(parent),
  order: ({ opIdx, parent }, rank) => (parent.kind === "blocked" ? [...parent.order] : getOrderForDotOperand(opIdx, rank, true)),
};
