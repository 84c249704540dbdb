/**
 * Dots: on tensor cores where the result has a layout of theirs, else by multiplying and adding.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/DotOpToLLVM.cpp, lib/Conversion/TritonGPUToLLVM/DotOpToLLVM/FMADotUtility.cpp.
 */
import * as ll from "../../../dialects/llvm/ops/index.js";
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { distributedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { Type } from "../../../ir/attribute.js";
import { FloatType, type TensorType } from "../../../ir/builtin-types.js";
import { typeText } from "../../../ir/text-hook.js";
import type { Value } from "../../../ir/value.js";
import type { BlockedParams } from "../../../layout/encoding-params.js";
import { getContigPerThread, getRepOrder, getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { lowerMmaScaled, lowerMmaV2 } from "./dot-mma-v2.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";

const encodingOf = (value: Value) => distributedParams((value.type as TensorType).params.encoding)!;
const shapePerCTA = (value: Value): number[] => getShapePerCTAOf(encodingOf(value), (value.type as TensorType).params.shape);

export const DOTS: readonly LoweringRule[] = [
  rule(DotOp, ({ op, a, b, c, d }, lo) => {
    const encoding = encodingOf(d);
    if (encoding.kind === "nvidia_mma") {
      if (encoding.versionMajor === 2) return lowerMmaV2(lo, op);
      const what = encoding.versionMajor < 2 ? "Volta's, and sm_75 is the oldest target" : "made by ttng.warp_group_dot";
      return lo.fail(op, `a dot of mma version ${encoding.versionMajor} cannot be lowered: such instructions are ${what}`, "lower.mma");
    }
    const [x, y, sum] = [a, b, d].map((value) => (value.type as TensorType).params.elementType) as [Type, Type, Type];
    if (encoding.kind === "blocked" && (x !== sum || y !== sum))
      return lo.fail(
        op,
        `multiply-adds take operands of the type that they sum, ${typeText(sum)}, and these are ${typeText(x)} and ${typeText(y)}`,
        "lower.fma",
      );
    if (encoding.kind !== "blocked") return lo.fail(op, `a dot whose result has a ${encoding.kind} layout cannot be lowered`, "lower.mma");
    return lowerFMA(lo, encoding, a, b, c, d);
  }),
  rule(DotScaledOp, ({ op }, lo) => lowerMmaScaled(lo, op)),
];

/** A shape or tile of two dimensions as one of three, with a batch of one in front; orders likewise. */
const withBatch = (shape: readonly number[]): number[] => (shape.length === 3 ? [...shape] : [1, ...shape]);
const orderWithBatch = (order: readonly number[]): number[] => (order.length === 3 ? [...order] : [...order.map((d) => d + 1), 0]);
const product = (shape: readonly number[]): number => shape.reduce((n, extent) => n * extent, 1);
function linear(coordinate: readonly number[], shape: readonly number[], order: readonly number[]): number {
  return order.reduceRight((sum, d) => sum * shape[d]! + coordinate[d]!, 0);
}

function lowerFMA(lo: Lowering, encoding: BlockedParams, a: Value, b: Value, c: Value, d: Value): void {
  const acc = [...lo.elements(c)];
  const { shape } = (d.type as TensorType).params;
  const contiguous = getContigPerThread(encoding, shape);
  const perThread = withBatch(contiguous);
  const tile = withBatch(contiguous.map((size, i) => size * encoding.threadsPerWarp[i]! * encoding.warpsPerCTA[i]!));
  const inOrder = orderWithBatch(encoding.order);
  const repOrder = orderWithBatch(getRepOrder(encoding));
  const reps = withBatch(shapePerCTA(d)).map((extent, i) => Math.ceil(extent / tile[i]!));
  const K = withBatch(shapePerCTA(a))[2]!;
  const elementsA = lo.elements(a);
  const elementsB = lo.elements(b);

  /** The element of an operand: its place in the repetition, then the repetition. */
  const pick = (elements: readonly Value[], isA: boolean, rep: readonly number[], at: readonly number[], k: number): Value => {
    const tileShape = isA ? [perThread[0]!, perThread[1]!, K] : [perThread[0]!, K, perThread[2]!];
    const repShape = isA ? [reps[0]!, reps[1]!, 1] : [reps[0]!, 1, reps[2]!];
    const inTile = isA ? [at[0]!, at[1]!, k] : [at[0]!, k, at[2]!];
    const which = isA ? [rep[0]!, rep[1]!, 0] : [rep[0]!, 0, rep[2]!];
    return elements[linear(inTile, tileShape, inOrder) + linear(which, repShape, repOrder) * product(tileShape)]!;
  };
  const { b: build } = lo;
  for (const rep of coordinates(reps))
    for (const at of coordinates(perThread)) {
      const index = linear(at, perThread, inOrder) + linear(rep, reps, repOrder) * product(perThread);
      let sum = acc[index]!;
      for (let k = 0; k < K; k++) {
        const x = pick(elementsA, true, rep, at, k);
        const y = pick(elementsB, false, rep, at, k);
        sum = FloatType.is(sum.type) ? build.op(ll.FMulAddOp, [x, y, sum], sum.type) : build.add(build.mul(x, y), sum);
      }
      acc[index] = sum;
    }
  lo.setElements(d, acc);
}
/** All coordinates of a shape, the last dimension fastest. */
function coordinates(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>((list, extent) => list.flatMap((c) => Array.from({ length: extent }, (_, i) => [...c, i])), [[]]);
}
