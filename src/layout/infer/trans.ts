/** Encodings of tt.trans and ttg.memdesc_trans. Source: Dialect.cpp, inferTransOpEncoding. */
import { type EncodingParams, isDistributed, isShared } from "../encoding-params.js";
import { getSharedAlignment, linearComponentOf, withLinearComponent } from "../encoding-queries.js";
import { linearKind } from "../encodings/generic-linear.js";
import { transposeLinearLayout } from "../standard-dims.js";
import { toLinearLayout } from "../to-linear-layout.js";
import type { Inferred } from "./inferred.js";

/**
 * The encoding under which transposing moves nothing: every place keeps its element, only the dimensions are renamed. Fields that
 * speak of a dimension each are permuted by `order`; the field `order`, which lists dimensions, by its inverse.
 */
export function inferTransOpEncoding(operand: EncodingParams, shape: readonly number[], order: readonly number[]): Inferred {
  if (order.every((dim, i) => dim === i)) return { encoding: operand };
  if (shape.length !== order.length) return { error: `shape and order rank do not match: ${shape.length} vs ${order.length}` };
  const permute = (values: readonly number[]): number[] => order.map((dim) => values[dim]!);
  const renamed = (dims: readonly number[]): number[] => dims.map((dim) => order.indexOf(dim));

  if (operand.kind === "swizzled_shared" || operand.kind === "blocked" || (operand.kind === "nvmma_shared" && order.join() === "1,0")) {
    const rank = operand.cga.getNumOutDims();
    if (rank !== order.length) return rankMismatch(rank, order);
    const cga = transposeLinearLayout(operand.cga, order);
    if (operand.kind === "nvmma_shared") return { encoding: { ...operand, transposed: !operand.transposed, cga } };
    if (operand.kind === "swizzled_shared") return { encoding: { ...operand, order: renamed(operand.order), cga } };
    const sizePerThread = permute(operand.sizePerThread);
    const threadsPerWarp = permute(operand.threadsPerWarp);
    const warpsPerCTA = permute(operand.warpsPerCTA);
    return { encoding: { kind: "blocked", sizePerThread, threadsPerWarp, warpsPerCTA, order: renamed(operand.order), cga } };
  }

  const layout = linearComponentOf(operand) ?? toLinearLayout(shape, operand);
  if (layout.getNumOutDims() !== order.length) return rankMismatch(layout.getNumOutDims(), order);
  const transposed = transposeLinearLayout(layout, order);
  if (isDistributed(operand)) return { encoding: { kind: linearKind(operand), layout: transposed } };
  const component = withLinearComponent(operand, transposed);
  if (component) return { encoding: component };
  if (!isShared(operand)) return { error: "tensor memory cannot be transposed" };
  return { encoding: { kind: "shared_linear", layout: transposed, alignment: getSharedAlignment(operand) } };
}

function rankMismatch(rank: number, order: readonly number[]): { readonly error: string } {
  return { error: `rank of encoding does not match order: ${rank} vs ${order.length}` };
}
