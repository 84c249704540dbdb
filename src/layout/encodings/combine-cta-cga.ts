import { ensureLayoutNotLargerThan, ensureLayoutNotSmallerThan } from "../ensure-shape.js";
import type { LinearLayout } from "../linear-layout.js";
import { standardOutDimNames } from "../standard-dims.js";

/**
 * The layout of a whole tensor, from the layout of one CTA's tile (in dims register, lane, warp or offset): the tile repeats
 * along its first in dim, or is cut, until it covers one CTA's part of `shape`, in the order of its out dims; then `cga`
 * spreads the parts. Source: LinearLayoutConversions.cpp, combineCtaCgaWithShape.
 */
export function combineCtaCgaWithShape(ctaLayout: LinearLayout, cga: LinearLayout, shape: readonly number[]): LinearLayout {
  const names = standardOutDimNames(shape.length);
  const whole: Record<string, number> = {};
  const perCta: Record<string, number> = {};
  for (let d = 0; d < shape.length; d++) whole[names[d]!] = shape[d]!;

  const cgaLayout = ensureLayoutNotLargerThan(cga, whole).transposeOuts(ctaLayout.outDimNames);
  for (const dim of names) perCta[dim] = Math.max(1, Math.trunc(whole[dim]! / cgaLayout.getOutDimSize(dim)));
  const fitted = ensureLayoutNotLargerThan(ensureLayoutNotSmallerThan(ctaLayout, perCta), perCta);
  return fitted.multiply(cgaLayout).transposeOuts(names);
}
