/** From an encoding and a shape to the linear layout. Source: LinearLayoutConversions.cpp, toLinearLayout. */
import { assertNever } from "../support/assert.js";
import type { EncodingParams } from "./encoding-params.js";
import { amdMfmaToLinearLayout } from "./encodings/amd-mfma.js";
import { amdRotatingSharedToLinearLayout } from "./encodings/amd-rotating-shared.js";
import { amdWmmaToLinearLayout } from "./encodings/amd-wmma.js";
import { blockedToLinearLayout } from "./encodings/blocked.js";
import { dotOperandToLinearLayout } from "./encodings/dot-operand.js";
import { linearToLinearLayout } from "./encodings/linear.js";
import { nvidiaMmaToLinearLayout } from "./encodings/nvidia-mma.js";
import { nvmmaSharedToLinearLayout } from "./encodings/nvmma-shared.js";
import { sharedLinearToLinearLayout } from "./encodings/shared-linear.js";
import { paddedShape, sliceToLinearLayout } from "./encodings/slice.js";
import { swizzledSharedToLinearLayout } from "./encodings/swizzled-shared.js";
import { tensorMemoryScalesToLinearLayout, tensorMemoryToLinearLayout } from "./encodings/tensor-memory.js";
import type { LinearLayout } from "./linear-layout.js";

/**
 * Where the elements of a tensor of this shape are: in dims register, lane, warp, block of a distributed encoding; offset, block
 * of a shared one (of padded_shared: before padding); row, col of tensor memory. Out dims dim0, dim1, ...
 *
 * Remembered per `params` object, so use one object per encoding. Of a view of shared memory pass the shape of the allocation.
 * Throws LayoutError where upstream aborts; ask `layoutProblem` first about shapes and encodings that a user typed.
 */
export function toLinearLayout(shape: readonly number[], params: EncodingParams): LinearLayout {
  let byShape = cache.get(params);
  if (byShape === undefined) {
    byShape = new Map();
    cache.set(params, byShape);
  }
  const key = shape.join("x");
  let layout = byShape.get(key);
  if (layout === undefined) {
    layout = compute(shape, params);
    byShape.set(key, layout);
  }
  return layout;
}

const cache = new WeakMap<EncodingParams, Map<string, LinearLayout>>();

function compute(shape: readonly number[], params: EncodingParams): LinearLayout {
  switch (params.kind) {
    case "blocked":
      return blockedToLinearLayout(shape, params);
    case "slice":
      return sliceToLinearLayout(toLinearLayout(paddedShape(shape, params.dim), params.parent), params.dim);
    case "linear":
      return linearToLinearLayout(shape, params);
    case "nvidia_mma":
      return nvidiaMmaToLinearLayout(shape, params);
    case "amd_mfma":
      return amdMfmaToLinearLayout(shape, params);
    case "amd_wmma":
      return amdWmmaToLinearLayout(shape, params);
    case "dot_op":
      return dotOperandToLinearLayout(shape, params);
    case "swizzled_shared":
      return swizzledSharedToLinearLayout(shape, params);
    case "amd_rotating_shared":
      return amdRotatingSharedToLinearLayout(shape, params);
    case "nvmma_shared":
      return nvmmaSharedToLinearLayout(shape, params);
    case "shared_linear":
      return sharedLinearToLinearLayout(shape, params.layout);
    case "padded_shared":
      return sharedLinearToLinearLayout(shape, params.linearComponent);
    case "tensor_memory_encoding":
      return tensorMemoryToLinearLayout(shape, params);
    case "tensor_memory_scales_encoding":
      return tensorMemoryScalesToLinearLayout(shape, params);
    default:
      return assertNever(params);
  }
}
