/**
 * `#ttg.nvmma_shared`: shared memory as wgmma, tcgen05.mma and TMA read and write it: core matrices of 8 rows, each row
 * `swizzlingByteWidth` bytes of 16-byte groups that are permuted by an xor with the row. Source: NVMMASharedEncodingAttr,
 * LinearLayoutConversions.cpp, TMAUtilities.cpp.
 */

import type { NvmmaSharedParams } from "../encoding-params.js";
import { ensureLayoutNotSmallerThan } from "../ensure-shape.js";
import { LayoutError } from "../layout-error.js";
import { LinearLayout } from "../linear-layout.js";
import { reshapeLayout, standardOutDimNames, transposeLinearLayout } from "../standard-dims.js";
import { getCTASplitNum, getShapePerCTA, isDefaultCga } from "./cga.js";
import { combineCtaCgaWithShape } from "./combine-cta-cga.js";
import { bool, CGA, cgaText, type Encoding, HAS_CGA, int } from "./encoding.js";
import { getMatrixOrder } from "./matrix-order.js";

/** The equivalent vec, perPhase and maxPhase of swizzled_shared. */
export function nvmmaSwizzle({ swizzlingByteWidth, elementBitWidth }: NvmmaSharedParams): {
  vec: number;
  perPhase: number;
  maxPhase: number;
} {
  if (swizzlingByteWidth === 0) return { vec: 1, perPhase: 1, maxPhase: 1 };
  return { vec: 128 / elementBitWidth, perPhase: 128 / swizzlingByteWidth, maxPhase: swizzlingByteWidth / 16 };
}

/** Bytes. */
export function nvmmaAlignment(params: NvmmaSharedParams): number {
  return 128 * nvmmaSwizzle(params).maxPhase;
}

/** offset, block -> dim0, dim1, ...; throws if the shape is smaller than a core matrix (see `nvmmaSharedProblem`). */
export function nvmmaSharedToLinearLayout(shape: readonly number[], params: NvmmaSharedParams, disableSwizzle = false): LinearLayout {
  const problem = nvmmaSharedProblem(shape, params);
  if (problem !== undefined) throw new LayoutError(problem);
  const rank = shape.length;
  const names = standardOutDimNames(rank);
  const shapePerCTA = getShapePerCTA(getCTASplitNum(params.cga), shape);
  const named = Object.fromEntries(names.map((name, i) => [name, shapePerCTA[i]!]));
  const tma = getTMABlockShape(shapePerCTA, params, true);

  if (params.swizzlingByteWidth === 0) {
    const turns = params.transposed && params.turnsPlain;
    const rows = (turns ? turned(tma) : tma).reduceRight(
      (layout, size, i) => layout.multiply(LinearLayout.identity1D(size, "offset", names[i]!)),
      LinearLayout.empty(),
    );
    return combineCtaCgaWithShape(ensureLayoutNotSmallerThan(turns ? turnedBack(rows, names) : rows, named), params.cga, shape);
  }

  // The outer dimensions count as one. Transposed, the contiguous dimension is the first one, so it moves to the end meanwhile.
  const tile = coreMatrixLayout(params, disableSwizzle);
  const [rows, cols] = collapsed(tma, params.transposed);
  const matrix = ensureLayoutNotSmallerThan(tile, { dim0: rows, dim1: cols });
  let layout = reshapeLayout(matrix, params.transposed ? turned(tma) : tma);
  if (params.transposed) layout = turnedBack(layout, names);
  return combineCtaCgaWithShape(ensureLayoutNotSmallerThan(layout, named), params.cga, shape);
}

/** The contiguous dimension of a transposed layout, the first, moves to the end meanwhile. */
const turned = ([first = 1, ...rest]: readonly number[]): readonly number[] => [...rest, first];
const turnedBack = (layout: LinearLayout, { length }: readonly string[]): LinearLayout =>
  transposeLinearLayout(layout, [length - 1, ...Array.from({ length: length - 1 }, (_, i) => i)]);

/** Why a shape has no layout, in upstream's words; undefined if it has one. */
export function nvmmaSharedProblem(shape: readonly number[], params: NvmmaSharedParams): string | undefined {
  if (params.swizzlingByteWidth === 0) return undefined;
  const shapePerCTA = getShapePerCTA(getCTASplitNum(params.cga), shape);
  const contig = shapePerCTA[params.transposed ? 0 : shape.length - 1]! * (params.fp4Padded ? 2 : 1);
  if (Math.min(contig, 256) < (8 * params.swizzlingByteWidth) / params.elementBitWidth)
    return "Block shape is too small for the swizzle byte size in NVMMA Shared Layout.";
  const tile = coreMatrixLayout(params, false);
  const [rows, cols] = collapsed(getTMABlockShape(shapePerCTA, params, true), params.transposed);
  if (shape.length < 2 || rows < tile.getOutDimSize("dim0") || cols * (params.fp4Padded ? 2 : 1) < tile.getOutDimSize("dim1"))
    return "Illegal shared layout";
  return undefined;
}

/** The layout of one core matrix: 8 rows by one swizzle width. */
export function coreMatrixLayout(params: NvmmaSharedParams, disableSwizzle: boolean): LinearLayout {
  const { vec, perPhase, maxPhase } = nvmmaSwizzle(params);
  const tileCols = (8 * Math.max(16, params.swizzlingByteWidth)) / params.elementBitWidth;
  // Under fp4 padding, 8 real elements are followed by 8 places that repeat them.
  const column = (col: number): number => (params.fp4Padded ? Math.trunc(col / 16) * 8 + (col % 8) : col);
  const bases: number[][] = [];
  for (let col = 1; col < tileCols; col *= 2) bases.push([0, column(col)]);
  for (let row = 1; row < 8; row *= 2) bases.push([row, disableSwizzle ? 0 : column(vec * (Math.trunc(row / perPhase) % maxPhase))]);
  return LinearLayout.fromBases([["offset", bases]], standardOutDimNames(2));
}

/**
 * The box that one TMA instruction moves: at most 256 along each dimension, one swizzle width along the contiguous one. Of im2col all
 * rows are in one box.
 */
export function getTMABlockShape(shapePerCTA: readonly number[], params: NvmmaSharedParams, packedSize: boolean, im2col = false): number[] {
  const contig = params.transposed ? 0 : shapePerCTA.length - 1;
  const block = shapePerCTA.map((size, i) =>
    Math.min(im2col && i !== contig ? 1024 : 256, params.fp4Padded && i === contig ? 2 * size : size),
  );
  if (params.swizzlingByteWidth !== 0) block[contig] = (8 * params.swizzlingByteWidth) / params.elementBitWidth;
  if (params.fp4Padded && packedSize) block[contig]! /= 2;
  return block;
}

/** The encoding for a tensor of this shape, contiguous along `order[0]`: the widest swizzle that divides a row. */
export function nvmmaSharedFor(
  shape: readonly number[],
  order: readonly number[],
  cga: LinearLayout,
  elementBitWidth: number,
  fp4Padded: boolean,
): NvmmaSharedParams {
  const shapePerCTA = getShapePerCTA(getCTASplitNum(cga), shape);
  const rowBytes = Math.trunc((shapePerCTA[order[0]!]! * (fp4Padded ? 2 : 1) * elementBitWidth) / 8);
  const rows = order.slice(1).reduce((product, dim) => product * shapePerCTA[dim]!, 1);
  const widest = [128, 64, 32].find((bytes) => rowBytes >= bytes && rowBytes % bytes === 0) ?? 0;
  const swizzlingByteWidth = shape.length < 2 || rows < 8 ? 0 : widest;
  return { kind: "nvmma_shared", swizzlingByteWidth, transposed: order[0] === 0, elementBitWidth, fp4Padded, cga };
}

/** [rows, columns] of a block with its outer dimensions as one; the contiguous dimension last. */
function collapsed(block: readonly number[], transposed: boolean): [rows: number, cols: number] {
  const rows = block.slice(0, -1).reduce((product, size) => product * size, 1);
  const cols = block[block.length - 1]!;
  return transposed ? [cols, rows] : [rows, cols];
}

export const NVMMA_SHARED: Encoding<NvmmaSharedParams> = {
  kind: "nvmma_shared",
  dialect: "ttg",
  group: "shared memory",
  what: "as wgmma, tcgen05 and TMA want it",
  fields: [
    int("swizzlingByteWidth", "0, 32, 64 or 128"),
    bool("transposed", "columns are contiguous"),
    int("elementBitWidth", "bits of an element"),
    bool("fp4Padded", "8 bytes of fp4 are followed by 8 of padding", "false"),
    CGA,
    int("rank", "the rank where there is no CGALayout", "2"),
  ],
  text({ swizzlingByteWidth, transposed, elementBitWidth, fp4Padded, cga }) {
    const head = `swizzlingByteWidth = ${swizzlingByteWidth}, transposed = ${transposed}, elementBitWidth = ${elementBitWidth}`;
    const rank = cga.getNumOutDims();
    return `{${head}${fp4Padded ? ", fp4Padded = true" : ""}${isDefaultCga(cga) && rank !== 2 ? `, rank = ${rank}` : cgaText(cga)}}`;
  },
  problem: (shape, params) =>
    [4, 8, 16, 32, 64].includes(params.elementBitWidth) ? nvmmaSharedProblem(shape, params) : "elementBitWidth must be 4, 8, 16, 32 or 64",
  toLinearLayout: (shape, params) => nvmmaSharedToLinearLayout(shape, params),
  ...HAS_CGA,
  order: ({ transposed }, rank) => (rank === 1 ? [0] : getMatrixOrder(rank, !transposed)),
  alignment: nvmmaAlignment,
};
