/** Checks for encodings and shapes that a user typed, so that building a layout from them cannot fail. */
import { type DistributedParams, type EncodingParams, isDistributed } from "./encoding-params.js";
import { getRank, getRepOrder } from "./encoding-queries.js";
import { encodingText } from "./encoding-text.js";
import { recordOf } from "./encodings/index.js";
import { isPowerOf2 } from "./encodings/matrix-order.js";
import { LayoutError } from "./layout-error.js";
import { toLinearLayout } from "./to-linear-layout.js";

/** The complaints of the attribute's verifier, in upstream's words; empty when it is fine. Parents count as verified. */
export function verifyEncoding(params: EncodingParams): string[] {
  return recordOf(params).verify?.(params, { rank: getRank, text: encodingText }) ?? [];
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
  const problem = recordOf(params).problem?.(shape, params);
  if (problem !== undefined) return problem;
  try {
    const sizes = toLinearLayout(shape, params).getOutDimSizes();
    return sizes.every((size, d) => size === shape[d]) ? undefined : `the layout covers ${sizes.join("x")} instead of ${shape.join("x")}`;
  } catch (error) {
    if (error instanceof LayoutError) return error.message.split("\n")[0];
    throw error;
  }
}

/** The module's settings for the machine, for `verifyTensorLayout`. */
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
