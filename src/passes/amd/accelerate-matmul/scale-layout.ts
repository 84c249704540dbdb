/**
 * Layouts of the scales of scaled matrix instructions.
 * Source: lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp, chooseScaledMfmaScaleLayout, chooseScaledWmmaScaleLayout;
 * third_party/amd/lib/TritonAMDGPUTransforms/AccelerateAMDMatmul.cpp; lib/Dialect/TritonGPU/Transforms/LayoutPropagationUtility.cpp.
 */
import { getBackwardSlice } from "../../../analysis/slices.js";
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { SplatOp } from "../../../dialects/tt/ops/shape.js";
import { distributedParams, encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import type { Attribute } from "../../../ir/attribute.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { largestVectorisation } from "../../../layout/bank-conflicts.js";
import { getCTALayout, getOrder } from "../../../layout/encoding-queries.js";
import { defaultCga } from "../../../layout/encodings/cga.js";
import { combineCtaCgaWithShape } from "../../../layout/encodings/combine-cta-cga.js";
import { unswizzledShared } from "../../../layout/encodings/swizzled-shared.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { identityStandardND } from "../../../layout/standard-dims.js";
import { toLinearLayout } from "../../../layout/to-linear-layout.js";
import { inferSrcEncoding } from "../../ttg/remove-layout-conversions/infer-encoding.js";
import { shapeOf, typeOf } from "./operands.js";

/** The warps of scales: those of the product, with that of the operand's own dimension first. */
function withWarps(tile: LinearLayout, opIdx: 0 | 1, shape: readonly number[], warpsPerCTA: readonly number[]): LinearLayout {
  const [x = 1, y = 1] = warpsPerCTA;
  const warps = identityStandardND("warp", opIdx === 1 ? [y, x] : [x, y], opIdx === 1 ? [0, 1] : [1, 0]);
  const names = ["dim0", "dim1"];
  return combineCtaCgaWithShape(tile.transposeOuts(names).multiply(warps.transposeOuts(names)), defaultCga(2), shape);
}

/** Powers of two from `from` on that are less than `to`. */
function doublings(from: number, to: number): number[] {
  const found: number[] = [];
  for (let n = from; n < to; n *= 2) found.push(n);
  return found;
}

/** The scale of operand `opIdx` (rows or columns x k / 32) of an MFMA of `m` rows: a lane has one for its 32 elements. */
export function mfmaScaleLayout(
  opIdx: 0 | 1,
  shape: readonly number[],
  m: number,
  tilesPerWarp: readonly number[],
  warpsPerCTA: readonly number[],
): LinearLayout {
  const registers = [
    ...doublings(m === 32 ? 2 : 4, shape[1]!).map((k) => [k, 0]),
    ...doublings(m, tilesPerWarp[opIdx]! * m).map((row) => [0, row]),
  ];
  const lanes = [...doublings(1, m).map((row) => [0, row]), ...doublings(1, 64 / m).map((k) => [k, 0])];
  const tile = LinearLayout.fromBases(
    [
      ["register", registers],
      ["lane", lanes],
    ],
    ["dim1", "dim0"],
  );
  return withWarps(tile, opIdx, shape, warpsPerCTA);
}

/** The scale of an operand of a WMMA with one tile a warp: 16 lanes have four along k each, the other 16 the same. */
export function wmmaScaleLayout(opIdx: 0 | 1, shape: readonly number[], warpsPerCTA: readonly number[]): LinearLayout {
  const tile = LinearLayout.identity1D(4, "register", "dim1")
    .multiply(LinearLayout.identity1D(16, "lane", "dim0"))
    .multiply(LinearLayout.zeros1D(2, "lane", "dim0"))
    .multiply(LinearLayout.identity1D(Math.trunc(shape[1]! / 4), "register", "dim1"));
  return withWarps(tile, opIdx, shape, warpsPerCTA);
}

/** Tiles of a product that a warp computes next to each other, so that the scales are loaded in vectors as wide as can be. */
export function tilesPerWarpForScale(
  a: Value | undefined,
  b: Value | undefined,
  nonKDim: number,
  m: number,
  n: number,
  warpsPerCTA: readonly number[],
): readonly [number, number] {
  let largest = 2;
  let chosen: [number, number] = [1, 1];
  for (let x = 1; x <= Math.min(2, Math.trunc(m / nonKDim)); x++)
    for (let y = 1; y <= Math.min(2, Math.trunc(n / nonKDim)); y++) {
      const widths = [a, b].map((scale, i) =>
        vectorWidth(scale, (shape) => mfmaScaleLayout(i as 0 | 1, shape, nonKDim, [x, y], warpsPerCTA)),
      );
      const score = widths[0]! + widths[1]!;
      if (score <= largest) continue;
      largest = score;
      chosen = [x, y];
    }
  if (!a && b) chosen[0] = Math.min(Math.ceil(m / nonKDim), chosen[1]);
  if (!b && a) chosen[1] = Math.min(Math.ceil(n / nonKDim), chosen[0]);
  return chosen;
}

/** The number of scales that one access loads when they must have that layout; constants count as four. */
function vectorWidth(scale: Value | undefined, layoutFor: (shape: readonly number[]) => LinearLayout): number {
  if (!scale) return 1;
  const layout = layoutFor(shapeOf(scale));
  const def = scale.definingOp;
  if (ConstantOp.is(def) || SplatOp.is(def)) return 4;
  const source = sourceLoad(layout, scale);
  if (!source) return 1;
  const { shape, encoding } = typeOf(source.load.result(0)).params;
  const params = distributedParams(encoding)!;
  const memory = toLinearLayout(shape, unswizzledShared(getOrder(params, shape), getCTALayout(params)!));
  return largestVectorisation(source.layout.invertAndCompose(memory).flattenOuts(), 8).vec;
}

/** The load that a value is a view of, and the layout that the load needs for the value to have `layout`. */
function sourceLoad(layout: LinearLayout, value: Value): { readonly load: Operation; readonly layout: LinearLayout } | undefined {
  let encoding: Attribute | undefined = encodingAttr(typeOf(value).ctx, { kind: "linear", layout });
  let op = value.definingOp;
  while (op && !LoadOp.is(op)) {
    if (op.numOperands !== 1) return undefined;
    if (!ConvertLayoutOp.is(op)) encoding = encoding && inferSrcEncoding(op, encoding);
    op = op.operand(0).definingOp;
  }
  const params = distributedParams(encoding);
  return op && params ? { load: op, layout: toLinearLayout(shapeOf(op.result(0)), params) } : undefined;
}

/** Marks the values that scales are computed from when a scaled dot becomes a plain one, whose layout depends on them. */
export const DECOMPOSED_SCALE = "amdg.decomposed_dot_scaled_source";

/** The value marked as the scale of an operand. The mark is removed. */
export function takeMarkedScale(operand: Value): Value | undefined {
  const def = operand.definingOp;
  const marked = def && [...getBackwardSlice(def, { omitBlockArguments: true }), def].find((op) => op.hasAttr(DECOMPOSED_SCALE));
  marked?.removeAttr(DECOMPOSED_SCALE);
  return marked?.result(0);
}
