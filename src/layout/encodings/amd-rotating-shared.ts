/**
 * `#ttg.amd_rotating_shared`: as swizzled_shared, but block b of `perPhase * maxPhase` rows starts with phase b, so that reads
 * across rows and along them both spread over the banks. Source: AMDRotatingSharedEncodingAttr.
 */

import type { AmdRotatingSharedParams } from "../encoding-params.js";
import type { LinearLayout } from "../linear-layout.js";
import { combineCtaCgaWithShape } from "./combine-cta-cga.js";
import { type Encoding, HAS_CGA, SWIZZLE, swizzleProblem, swizzleText } from "./encoding.js";
import { verifyLayoutOrder } from "./matrix-order.js";
import { swizzledRows } from "./swizzled-shared.js";

/** offset, block -> dim0, dim1, ... */
export function amdRotatingSharedToLinearLayout(shape: readonly number[], params: AmdRotatingSharedParams): LinearLayout {
  const { vec, perPhase, maxPhase, order, cga } = params;
  const phaseOf = (row: number): number => {
    const phase = Math.trunc(row / perPhase) % maxPhase;
    const block = Math.trunc(row / maxPhase / perPhase) % maxPhase;
    return phase ^ block;
  };
  return combineCtaCgaWithShape(swizzledRows(shape, order, vec, phaseOf), cga, shape);
}

export const AMD_ROTATING_SHARED: Encoding<AmdRotatingSharedParams> = {
  kind: "amd_rotating_shared",
  dialect: "ttg",
  group: "shared memory",
  what: "swizzling that rotates from one block of rows to the next",
  fields: SWIZZLE,
  text: swizzleText,
  // Upstream verifies the order of swizzled_shared only.
  problem: (shape, params) =>
    swizzleProblem(params) ??
    (params.order.length !== shape.length || verifyLayoutOrder(params.order).length > 0
      ? `order must be a permutation of 0..(rank-1), but was [${params.order.join(", ")}]`
      : undefined),
  toLinearLayout: amdRotatingSharedToLinearLayout,
  ...HAS_CGA,
  order: ({ order }) => [...order],
};
