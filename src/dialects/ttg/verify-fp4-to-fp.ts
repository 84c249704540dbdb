import type { TensorType } from "../../ir/builtin-types.js";
import type { OpReport } from "../../ir/define-op.js";
import { areLayoutsEquivalent } from "../../layout/encoding-queries.js";
import { inferFp4ToFpOpEncoding } from "../../layout/infer/join-split.js";
import { toLinearLayout } from "../../layout/to-linear-layout.js";
import { layoutProblem } from "../../layout/verify-encoding.js";
import { distributedParams } from "./encodings/define-encoding.js";

/** The result holds twice as many elements along `axis`, each thread those it unpacks. Source: Ops.cpp, Fp4ToFpOp::verifyFp4ToFp. */
export function verifyFp4ToFp(src: TensorType, res: TensorType, axis: number, report: OpReport): void {
  const from = src.params;
  const to = res.params;
  const error = (message: string) => void report.plain(message, "ttg.fp4-to-fp");
  const shapes = fp4ShapeProblem(from.shape, to.shape, axis);
  if (shapes !== undefined) return error(shapes);
  if (!to.encoding !== !from.encoding) return error("source and result must both have an encoding, or neither");
  if (!to.encoding) return;
  const srcParams = distributedParams(from.encoding);
  const resParams = distributedParams(to.encoding);
  if (!srcParams || !resParams) return error("source and result must have distributed encodings");
  const problem = layoutProblem(from.shape, srcParams) ?? layoutProblem(to.shape, resParams);
  if (problem !== undefined) return error(problem);
  // Backwards, which is the more general inference.
  const inferred = inferFp4ToFpOpEncoding(to.shape, axis, resParams, false, to.encoding.ctx.triton.pairsFp4First);
  if ("error" in inferred) return error("failed to infer encoding");
  if (areLayoutsEquivalent(from.shape, inferred.encoding, srcParams)) return;
  const [wanted, got] = [toLinearLayout(from.shape, inferred.encoding), toLinearLayout(from.shape, srcParams)];
  error(`Src and Dst encodings are not compatible:\n${wanted.toString()}\n${got.toString()}`);
}

/** Why two fp4 in each byte along `axis` do not make a tensor of that shape; undefined where they do. */
export function fp4ShapeProblem(from: readonly number[], to: readonly number[], axis: number): string | undefined {
  const rank = from.length;
  if (rank !== to.length) return `source rank ${rank} != result rank ${to.length}`;
  // Upstream compares as unsigned.
  if (axis < 0 || axis >= rank) return `axis ${axis >>> 0} out of range for rank ${rank}`;
  for (let i = 0; i < rank; i++) {
    const [a, b] = [from[i]!, to[i]!];
    if (i === axis && b !== a * 2) return `axis ${axis} dimension must be 2x source dimension (src=${a}, dst=${b})`;
    if (i !== axis && a !== b) return `dimension ${i} mismatch (src=${a}, dst=${b}, axis=${axis})`;
  }
  return undefined;
}
