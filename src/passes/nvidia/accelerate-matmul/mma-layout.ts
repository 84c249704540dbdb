/**
 * How a dot is spread over tensor core instructions and warps.
 * Source: lib/Dialect/TritonGPU/Transforms/AccelerateMatmul.cpp (warpsPerTile, computeOrigBitWidth), Utility.cpp
 * (mmaVersionToInstrShape).
 */
import { getBackwardSlice, getForwardSlice, getSlice } from "../../../analysis/slices.js";
import { DotOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { BroadcastOp, ExpandDimsOp, JoinOp, ReshapeOp, SplitOp, TransOp } from "../../../dialects/tt/ops/shape.js";
import { distributedParams, encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { Fp4ToFpOp } from "../../../dialects/ttg/ops/misc.js";
import type { Type } from "../../../ir/attribute.js";
import {
  bitWidth,
  elementTypeOrSelf,
  FloatType,
  isFloat,
  isInteger,
  RankedTensorType,
  type TensorType,
} from "../../../ir/builtin-types.js";
import { isMemoryEffectFree } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { Elementwise } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import type { NvidiaMmaParams } from "../../../layout/encoding-params.js";
import { getCTALayout, getOrder, getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import type { TritonVersion } from "../../../support/triton-version.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";

/** Ops that give a tensor another shape. */
export const isView = (op: Operation): boolean => [ExpandDimsOp, ReshapeOp, TransOp, JoinOp, SplitOp].some((def) => def.is(op));

/** The layout of the result when the dot is done by mma or wgmma. */
export function mmaEncoding(dot: Operation, version: 2 | 3): NvidiaMmaParams {
  const { a, d } = dot.def.interface(DotOpInterface)!;
  const { shape, encoding } = (d(dot).type as TensorType).params;
  const params = distributedParams(encoding)!;
  const shapePerCTA = getShapePerCTAOf(params, shape);
  const numWarps = lookupNumWarps(dot);
  // Every dot that wgmma supports has an instruction for its width.
  const instrShape = mmaVersionToInstrShape(version, shapePerCTA, elementTypeOrSelf(a(dot).type), numWarps, dot.ctx.triton)!;
  const warpsPerCTA = version === 2 ? warpsPerTileV2(dot, shapePerCTA, numWarps) : warpsPerTileV3(dot, shapePerCTA, numWarps);
  return { kind: "nvidia_mma", versionMajor: version, versionMinor: 0, warpsPerCTA, cga: getCTALayout(params)!, instrShape };
}

/**
 * The shape of one instruction: [m, n] for mma (with 1 for a batch in front), [m, n, k] per warp for wgmma, of a warp group for
 * tcgen05. Undefined where no instruction fits.
 */
export function mmaVersionToInstrShape(
  version: 2 | 3 | 5,
  shape: readonly number[],
  element: Type,
  numWarps: number,
  triton: TritonVersion,
): number[] | undefined {
  const k = Math.trunc(256 / bitWidth(element)!);
  if (version === 2) {
    const m = triton.smallF64Dots && isFloat(element, "f64") ? 8 : 16;
    return shape.map((_, d) => (d === shape.length - 1 ? 8 : d === shape.length - 2 ? m : 1));
  }
  const [m, n] = shape as [number, number];
  if (version === 5) return [m >= 128 ? 128 : 64, Math.min(n, 256), k];
  if (m % 64 !== 0 || n % 8 !== 0) return undefined;
  const mWarps = Math.max(Math.trunc(m / 16), 1);
  const nWarps = Math.max(Math.trunc(numWarps / mWarps), 1);
  const maxN = Math.max(Math.trunc(n / nWarps), 8);
  const widest = validN(element).find((width) => n % width === 0 && width <= maxN);
  return widest === undefined ? undefined : [16, widest, k];
}
/** The widths of wgmma, widest first. */
function validN(element: Type): readonly number[] {
  if (isInteger(element, 8)) return [224, 208, 192, 176, 160, 144, 128, 112, 96, 80, 64, 48, 32, 24, 16, 8];
  const kinds = ["f8E5M2", "f8E4M3FN", "f8E4M3FNUZ", "f16", "bf16", "f32"];
  if (!FloatType.is(element) || !kinds.includes(element.params.kind)) return [];
  return Array.from({ length: 32 }, (_, i) => 256 - 8 * i);
}

/** Warps along each dimension of a dot done by mma. `shape` is one CTA's part of the result. */
export function warpsPerTileV2(dot: Operation, shape: readonly number[], numWarps: number): number[] {
  if (shape.length === 3) return [numWarps, 1, 1];
  const filter = (op: Operation): boolean => op.region === dot.region && !TransOp.is(op);
  let hasChainedDot = false;
  for (const op of getSlice(dot, { filter }, { filter })) {
    if (op === dot || !(DotOp.is(op) || DotScaledOp.is(op))) continue;
    const { type } = op.result(0);
    if (!RankedTensorType.is(type) || type.params.shape.length !== shape.length) continue;
    const mma = encodingParams(type.params.encoding);
    // A dot that this one feeds, or is fed by, and that is done already: the same warps, to keep the data in place.
    if (mma?.kind === "nvidia_mma") return [...mma.warpsPerCTA];
    hasChainedDot = true;
  }
  const [m, n] = shape as [number, number];
  if (hasChainedDot) return m >= n ? [numWarps, 1] : [1, numWarps];
  // An operand costs registers by the repetitions along its own dimension: keep both low, m first as a's tiles are larger.
  const reps = [Math.ceil(m / 16), Math.ceil(n / 8)] as [number, number];
  const warps = [1, 1] as [number, number];
  while (warps[0] * warps[1] < numWarps) {
    if (reps[0] >= reps[1]) {
      warps[0] *= 2;
      if (reps[0] !== 1) reps[0] = Math.trunc(reps[0] / 2);
    } else {
      warps[1] *= 2;
      reps[1] = Math.trunc(reps[1] / 2);
    }
  }
  return warps;
}

/** As `warpsPerTileV2` for wgmma, which takes four warps along m. */
export function warpsPerTileV3(dot: Operation, shape: readonly number[], numWarps: number): number[] {
  // Reductions between chained dots (attention) stay within a warp when all warps lie along m.
  if (getForwardSlice(dot.result(0)).some((op) => op.def.interface(DotOpInterface))) return [numWarps, 1];
  const warps = [4, 1] as [number, number];
  while (warps[0] * warps[1] < numWarps) warps[shape[0]! > 16 * warps[0] ? 0 : 1] *= 2;
  return warps;
}

/** The width in bits of the elements that `operand` was made of when it was loaded: narrow ones are kept together along k. */
export function computeOrigBitWidth(operand: Value): number {
  const { definingOp } = operand;
  const slice = definingOp ? getBackwardSlice(definingOp, { omitBlockArguments: true, filter: keepsElements }) : [];
  if (slice.some((op) => Fp4ToFpOp.is(op))) return 4;
  const widthOf = (type: Type): number => bitWidth(elementTypeOrSelf(type)) ?? 64;
  let width = widthOf(operand.type);
  for (const op of slice)
    if ((LoadOp.is(op) || DescriptorLoadOp.is(op)) && RankedTensorType.is(op.result(0).type))
      width = Math.min(width, widthOf(op.result(0).type));
  // A join halves the elements next to each other that come from one load.
  return slice.some((op) => JoinOp.is(op) && (!op.ctx.triton.joinsPack || packs(op, width))) ? Math.trunc(width / 2) : width;
}
/** Whether a join puts what two values of that width became side by side, along the last dimension. */
function packs(join: Operation, width: number): boolean {
  const { shape, elementType, encoding } = (join.result(0).type as TensorType).params;
  const rank = shape.length;
  if (rank < 2 || bitWidth(elementType) !== 2 * width) return false;
  const [fastest, next] = getOrder(distributedParams(encoding)!, shape);
  return fastest === rank - 1 && next === rank - 2;
}
function keepsElements(op: Operation): boolean {
  if (op.def.traits.has(Elementwise) && isMemoryEffectFree(op)) return true;
  return isView(op) || [Fp4ToFpOp, LoadOp, DescriptorLoadOp, BroadcastOp, ConvertLayoutOp].some((def) => def.is(op));
}
