/**
 * `#ttg.amd_rotating_shared`: as swizzled_shared, but block b of `perPhase * maxPhase` rows starts with phase b, so that reads
 * across rows and along them both spread over the banks. Source: AMDRotatingSharedEncodingAttr.
 */
import type { AmdRotatingSharedParams } from "../encoding-params.js";
import type { LinearLayout } from "../linear-layout.js";
import { combineCtaCgaWithShape } from "./combine-cta-cga.js";
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
