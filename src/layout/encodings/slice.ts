/** `#ttg.slice`: a parent encoding with one dimension squeezed out. Source: SliceEncodingAttr. */

import type { SliceParams } from "../encoding-params.js";
import type { LinearLayout } from "../linear-layout.js";
import { removeStandardDim } from "../standard-dims.js";
import { type Encoding, int } from "./encoding.js";

/** The shape that the parent sees: `shape` with a 1 put in at `dim`. */
export function paddedShape(shape: readonly number[], dim: number): number[] {
  return [...shape.slice(0, dim), 1, ...shape.slice(dim)];
}

/** From the parent's layout of the padded shape. Registers that only moved along the squeezed dimension go; lanes and warps stay, as duplicates. */
export function sliceToLinearLayout(parent: LinearLayout, dim: number): LinearLayout {
  return removeStandardDim(parent, dim).removeZeroBasesAlongDim("register");
}

/** Upstream's complaints; `parentRank` is the rank of the parent. */
export function verifySlice(params: SliceParams, parentRank: number): string[] {
  if (parentRank <= 1) return ["parent layout must have at least rank >= 2"];
  if (params.dim >= parentRank) return [`slice dim=${params.dim} must be less than the parent rank=${parentRank}`];
  return [];
}

/** `order` without `dim`, the dimensions above it one lower. */
export function eraseOrder(order: readonly number[], dim: number): number[] {
  return order.filter((d) => d !== dim).map((d) => (d > dim ? d - 1 : d));
}

export const SLICE: Encoding<SliceParams> = {
  kind: "slice",
  dialect: "ttg",
  group: "distributed",
  what: "the parent with one dimension squeezed out",
  fields: [int("dim", "the dimension"), { name: "parent", type: "encoding", what: "any distributed encoding" }],
  text: ({ dim, parent }, textOf) => `{dim = ${dim}, parent = ${textOf(parent)}}`,
  verify: (params, { rank }) => verifySlice(params, rank(params.parent)),
  toLinearLayout: (shape, { dim, parent }, layoutOf) => sliceToLinearLayout(layoutOf(paddedShape(shape, dim), parent), dim),
  cga({ dim, parent }, cgaOf) {
    const cga = cgaOf(parent);
    return cga && removeStandardDim(cga, dim);
  },
  rank: ({ parent }, rankOf) => rankOf(parent) - 1,
  order: ({ dim, parent }, _rank, orderOf) => eraseOrder(orderOf(parent), dim),
};
