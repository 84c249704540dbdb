/**
 * `#ttg.swizzled_shared`: rows in shared memory, their groups of `vec` elements permuted by an xor with the row's phase,
 * `(row / perPhase) % maxPhase`. With vec = 1, perPhase = 1, maxPhase = 4 a 4x4 matrix lies as
 *
 *      0  1  2  3      xor 0
 *      5  4  7  6      xor 1
 *     10 11  8  9      xor 2
 *     15 14 13 12      xor 3
 *
 * Source: SwizzledSharedEncodingAttr, LinearLayoutConversions.cpp.
 */

import type { SwizzledSharedParams } from "../encoding-params.js";
import { LinearLayout } from "../linear-layout.js";
import { standardOutDimNames } from "../standard-dims.js";
import { getCTASplitNum, getShapePerCTA } from "./cga.js";
import { combineCtaCgaWithShape } from "./combine-cta-cga.js";
import { type Encoding, HAS_CGA, SWIZZLE, swizzleProblem, swizzleText } from "./encoding.js";
import { kDimOf, verifyLayoutOrder } from "./matrix-order.js";

/** offset, block -> dim0, dim1, ... */
export function swizzledSharedToLinearLayout(shape: readonly number[], params: SwizzledSharedParams): LinearLayout {
  const { vec, perPhase, maxPhase, order, cga } = params;
  const shapePerCTA = getShapePerCTA(getCTASplitNum(cga), shape);
  const phaseOf = (row: number): number => Math.trunc(row / perPhase) % maxPhase;
  return combineCtaCgaWithShape(swizzledRows(shapePerCTA, order, vec, phaseOf), cga, shape);
}

/** offset -> a tensor of this shape whose rows (along `order[0]`) are xored with `vec * phaseOf(row)`. */
export function swizzledRows(
  shape: readonly number[],
  order: readonly number[],
  vec: number,
  phaseOf: (row: number) => number,
): LinearLayout {
  const names = standardOutDimNames(shape.length);
  if (shape.length === 1) return LinearLayout.identity1D(shape[0]!, "offset", "dim0");
  const [colDim = 0, rowDim = 0, ...others] = order;
  const numCols = shape[colDim]!;
  const numRows = shape[rowDim]!;
  const bases: number[][] = [];
  for (let col = 1; col < numCols; col *= 2) bases.push([0, col]);
  for (let row = 1; row < numRows; row *= 2) bases.push([row, (vec * phaseOf(row)) % numCols]);
  const matrix = LinearLayout.fromBases(
    [["offset", bases]],
    [
      [names[rowDim]!, numRows],
      [names[colDim]!, numCols],
    ],
  );
  return others.reduce((layout, dim) => layout.multiply(LinearLayout.identity1D(shape[dim]!, "offset", names[dim]!)), matrix);
}

/** Upstream's complaints about the parameters. */
export function verifySwizzledShared({ order, cga }: SwizzledSharedParams): string[] {
  const rank = cga.getNumOutDims();
  if (order.length !== rank) return [`order size (${order.length}) must match CTALayout rank (${rank})`];
  return verifyLayoutOrder(order);
}

/** The inputs that decide how a dot operand is swizzled. */
export interface DotSwizzleRequest {
  readonly opIdx: number;
  readonly kWidth: number;
  readonly shape: readonly number[];
  readonly order: readonly number[];
  readonly cga: LinearLayout;
  readonly bitwidth: number;
  /** The operand is read transposed. */
  readonly needTrans: boolean;
  /** For m8n8k4, whose operands are half as large. */
  readonly smallF64: boolean;
}

/** The swizzling under which ldmatrix reads operand `opIdx` of an NVIDIA dot without bank conflicts. */
export function swizzledSharedForNvidiaDot(request: DotSwizzleRequest): SwizzledSharedParams {
  const { opIdx, kWidth, shape, order, cga, bitwidth, needTrans, smallF64 } = request;
  const bankRowBits = 1024;
  const inner = getShapePerCTA(getCTASplitNum(cga), shape)[order[0]!]!;
  // Short rows: several of them share the banks, and so a phase.
  const perPhase = Math.max(Math.trunc(bankRowBits / (bitwidth * inner)), 1);
  const readsAcross = needTrans !== (order[0] !== kDimOf(opIdx, order.length));
  const rows = smallF64 ? 4 : 8;
  const [vec, stride] = readsAcross ? [rows, 4 * kWidth] : [4 * kWidth, rows];
  const phases = Math.max(Math.min(stride, Math.trunc(bankRowBits / (vec * bitwidth))), 1);
  return { kind: "swizzled_shared", vec, perPhase, maxPhase: Math.max(Math.trunc(phases / perPhase), 1), order, cga };
}

/** Plain rows. */
export function unswizzledShared(order: readonly number[], cga: LinearLayout): SwizzledSharedParams {
  return { kind: "swizzled_shared", vec: 1, perPhase: 1, maxPhase: 1, order, cga };
}

export const SWIZZLED_SHARED: Encoding<SwizzledSharedParams> = {
  kind: "swizzled_shared",
  dialect: "ttg",
  group: "shared memory",
  what: "rows with xor swizzling",
  fields: SWIZZLE,
  text: swizzleText,
  verify: verifySwizzledShared,
  problem: (_shape, params) => swizzleProblem(params),
  toLinearLayout: swizzledSharedToLinearLayout,
  ...HAS_CGA,
  order: ({ order }) => [...order],
};
