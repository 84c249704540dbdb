/** Swizzling for tensors whose layout looks like a dot operand's. Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp, swizzleDotOperandLike. */
import { divideLeft } from "../../../layout/divide.js";
import type { DistributedParams, SwizzledSharedParams } from "../../../layout/encoding-params.js";
import { getContigPerThread, getThreadOrder } from "../../../layout/encoding-queries.js";
import { getOrderForDotOperand } from "../../../layout/encodings/matrix-order.js";
import { nvidiaMmaTile } from "../../../layout/encodings/nvidia-mma.js";
import { swizzledSharedForNvidiaDot } from "../../../layout/encodings/swizzled-shared.js";
import type { LinearLayout } from "../../../layout/linear-layout.js";
import { toLinearLayout } from "../../../layout/to-linear-layout.js";
import type { TritonVersion } from "../../../support/triton-version.js";

/** The swizzled layout, when the tensor is made of mma tiles of 8 rows by 4 lanes; undefined otherwise. */
export function swizzleLikeDotOperand(
  params: DistributedParams,
  shape: readonly number[],
  bitwidth: number,
  cga: LinearLayout,
  triton: TritonVersion,
): SwizzledSharedParams | undefined {
  const order = getThreadOrder(params, shape);
  const rank = order.length;
  if (rank < 2) return undefined;
  const opIdx = [0, 1].find((i) => getOrderForDotOperand(i, rank, true).every((dim, d) => dim === order[d]));
  if (opIdx === undefined) return undefined;
  const kWidth = getContigPerThread(params, shape)[order[0]!]!;
  const tileShape = shape.map(() => 1);
  tileShape[order[0]!] = 4 * kWidth;
  tileShape[order[1]!] = 8;
  const tile = nvidiaMmaTile(
    tileShape,
    kWidth,
    order,
    shape.map((_, d) => d),
  );
  if (!divideLeft(toLinearLayout(shape, params), tile)) return undefined;
  return swizzledSharedForNvidiaDot({
    opIdx,
    kWidth,
    shape,
    order,
    cga,
    bitwidth,
    needTrans: false,
    smallF64: triton.smallF64Dots && bitwidth === 64,
  });
}
