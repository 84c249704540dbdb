/** Checks for encodings and shapes that a user typed, so that building a layout from them cannot fail. */
import { assertNever } from "../support/assert.js";
import { type DistributedParams, type EncodingParams, isDistributed } from "./encoding-params.js";
import { getRank, getRepOrder } from "./encoding-queries.js";
import { encodingText } from "./encoding-text.js";
import { verifyAmdMfma } from "./encodings/amd-mfma.js";
import { verifyAmdWmma } from "./encodings/amd-wmma.js";
import { verifyBlocked } from "./encodings/blocked.js";
import { verifyDotOperand } from "./encodings/dot-operand.js";
import { verifyLinear } from "./encodings/linear.js";
import { isPowerOf2, verifyLayoutOrder } from "./encodings/matrix-order.js";
import { nvmmaSharedProblem } from "./encodings/nvmma-shared.js";
import { verifyPaddedShared } from "./encodings/padded-shared.js";
import { verifySharedLinear } from "./encodings/shared-linear.js";
import { verifySlice } from "./encodings/slice.js";
import { verifySwizzledShared } from "./encodings/swizzled-shared.js";
import { verifyTensorMemory } from "./encodings/tensor-memory.js";
import { LayoutError } from "./layout-error.js";
import { toLinearLayout } from "./to-linear-layout.js";

/** The complaints of the attribute's verifier, in upstream's words; empty when it is fine. Parents count as verified. */
export function verifyEncoding(params: EncodingParams): string[] {
  switch (params.kind) {
    case "blocked":
      return verifyBlocked(params);
    case "slice":
      return verifySlice(params, getRank(params.parent));
    case "linear":
      return verifyLinear(params);
    case "amd_mfma":
      return verifyAmdMfma(params);
    case "amd_wmma":
      return verifyAmdWmma(params);
    case "dot_op":
      return verifyDotOperand(params, encodingText(params.parent));
    case "swizzled_shared":
      return verifySwizzledShared(params);
    case "shared_linear":
      return verifySharedLinear(params);
    case "padded_shared":
      return verifyPaddedShared(params);
    case "tensor_memory_encoding":
      return verifyTensorMemory(params);
    case "nvidia_mma":
    case "nvmma_shared":
    case "amd_rotating_shared":
    case "tensor_memory_scales_encoding":
      return []; // Upstream verifies nothing here.
    default:
      return assertNever(params);
  }
}

/**
 * Why a verified encoding has no layout for a shape (where upstream would abort), in one line; undefined if it has one.
 */
export function layoutProblem(shape: readonly number[], params: EncodingParams): string | undefined {
  const rank = getRank(params);
  if (rank !== shape.length) return `the layout has rank ${rank}, but the tensor has rank ${shape.length}`;
  const odd = shape.find((size) => !isPowerOf2(size));
  if (odd !== undefined) return `the shape must consist of powers of two, but contains ${odd}`;
  if (isDistributed(params) && usesVolta(params)) return "version 1 of nvidia_mma has no linear layout";
  if (
    (params.kind === "swizzled_shared" || params.kind === "amd_rotating_shared") &&
    ![params.vec, params.perPhase, params.maxPhase].every((x) => x >= 1)
  )
    return "vec, perPhase and maxPhase must be at least 1";
  // Upstream verifies the order of swizzled_shared only.
  if (params.kind === "amd_rotating_shared" && (params.order.length !== rank || verifyLayoutOrder(params.order).length > 0))
    return `order must be a permutation of 0..(rank-1), but was [${params.order.join(", ")}]`;
  if (params.kind === "nvmma_shared" && ![4, 8, 16, 32, 64].includes(params.elementBitWidth))
    return "elementBitWidth must be 4, 8, 16, 32 or 64";
  const nvmma = params.kind === "nvmma_shared" ? nvmmaSharedProblem(shape, params) : undefined;
  if (nvmma !== undefined) return nvmma;
  try {
    const sizes = toLinearLayout(shape, params).getOutDimSizes();
    return sizes.every((size, d) => size === shape[d]) ? undefined : `the layout covers ${sizes.join("x")} instead of ${shape.join("x")}`;
  } catch (error) {
    if (error instanceof LayoutError) return error.message.split("\n")[0];
    throw error;
  }
}

/** What the module says about the machine, for `verifyTensorLayout`. */
export interface ModuleSizes {
  readonly threadsPerWarp: number;
  /** Undefined outside a context with `ttg.num-warps`. */
  readonly numWarps: number | undefined;
  readonly numCTAs: number;
}

/** The complaints about an encoding on a tensor of this shape in a module. Source: TritonGPUVerifyTensorLayoutInterface. */
export function verifyTensorLayout(params: EncodingParams, shape: readonly number[], module: ModuleSizes): string[] {
  if (!isDistributed(params)) return ["Non-distributed layout is not allowed in tensor type."];
  const rank = getRepOrder(params).length;
  if (rank !== shape.length) return [`Layout has rank ${rank}, but the tensor it's attached to has rank ${shape.length}.`];
  const sizes = shape.join(", ");
  if (!shape.every(isPowerOf2))
    return [`Layout has shape ${sizes}, but the tensor it's attached to has shape ${sizes} which is not a power of two.`];

  const layout = toLinearLayout(shape, params);
  const lanes = layout.getInDimSize("lane");
  if (lanes !== module.threadsPerWarp)
    return [
      `${encodingText(params)}.\nLayout has ${lanes} threads per warp, but the module specifies ${module.threadsPerWarp} threads per warp.`,
    ];
  if (module.numWarps === undefined)
    return ["Could not determine the number of warps per CTA. Operation is not in a context with `ttg.num-warps`."];
  const warps = layout.getInDimSize("warp");
  if (warps !== module.numWarps)
    return [`${encodingText(params)}.\nLayout has ${warps} warps per CTA, but the context requires ${module.numWarps} warps per CTA.`];
  const blocks = layout.getInDimSize("block");
  if (blocks !== module.numCTAs)
    return [`${encodingText(params)}.\nLayout has ${blocks} CTAs per CGA, but the context requires ${module.numCTAs} CTAs per CGA.`];
  return [];
}

/** Is it the layout of a Volta mma, or made from one? Those have no linear layout. */
export function usesVolta(params: DistributedParams): boolean {
  if (params.kind === "slice" || params.kind === "dot_op") return usesVolta(params.parent);
  return params.kind === "nvidia_mma" && params.versionMajor < 2;
}
