/** `#ttg.shared_linear`: any map from shared memory offsets to the tensor. Source: SharedLinearEncodingAttr. */

import { orderPerDim } from "../bases-per-dim.js";
import type { SharedLinearParams } from "../encoding-params.js";
import { LayoutError } from "../layout-error.js";
import type { LinearLayout } from "../linear-layout.js";
import { linearToCga } from "./cga.js";
import { bases, basesText, type Encoding, int } from "./encoding.js";
import { verifyInDims, verifyOutDims } from "./linear.js";
import { isPowerOf2 } from "./matrix-order.js";

/** The in dims of a shared layout. */
export const SHARED_DIMS = ["offset", "block"] as const;

/** offset, block -> dim0, dim1, ...: the layout as it is; it fits one shape only. */
export function sharedLinearToLinearLayout(shape: readonly number[], layout: LinearLayout): LinearLayout {
  const sizes = layout.getOutDimSizes();
  if (sizes.length !== shape.length || !sizes.every((size, d) => size === shape[d]))
    throw new LayoutError(`a shared layout of shape ${sizes.join("x")} does not fit the shape ${shape.join("x")}`);
  return layout;
}

/** The dimensions as offsets walk them; those they do not move come last, the last dimension first. */
export function offsetOrder(layout: LinearLayout): number[] {
  const rank = layout.getNumOutDims();
  return orderPerDim(
    layout,
    "offset",
    Array.from({ length: rank }, (_, i) => rank - 1 - i),
  );
}

/** Upstream's complaints about the parameters. */
export function verifySharedLinear({ layout, alignment }: SharedLinearParams): string[] {
  if (!isPowerOf2(alignment)) return ["alignment must be a positive power of two"];
  const dims = [...verifyInDims(layout, SHARED_DIMS), ...verifyOutDims(layout)];
  if (dims.length > 0) return dims.slice(0, 1);
  if (layout.getNumOutDims() === 0) return ["SharedLinearEncodingAttr requires at least one output dimension."];
  if (!layout.isSurjective()) return ["The layout must be surjective"];
  const withoutBroadcast = SHARED_DIMS.reduce((l, dim) => (l.hasInDim(dim) ? l.removeZeroBasesAlongDim(dim) : l), layout);
  return withoutBroadcast.isInvertible() ? [] : ["After removing the zero bases the layout must be bijective"];
}

export const SHARED_LINEAR: Encoding<SharedLinearParams> = {
  kind: "shared_linear",
  dialect: "ttg",
  group: "shared memory",
  what: "any linear map",
  fields: [
    bases("offset", "where each bit of the offset leads"),
    bases("block", "where each bit of block leads", "none"),
    int("alignment", "bytes; after the braces"),
  ],
  text({ layout, alignment }) {
    const oneBlock = layout.hasInDim("block") && layout.getInDimSizeLog2("block") === 0;
    return `{${basesText(oneBlock ? layout.sublayout(["offset"], layout.outDimNames) : layout)}}, alignment = ${alignment}`;
  },
  verify: verifySharedLinear,
  toLinearLayout: (shape, { layout }) => sharedLinearToLinearLayout(shape, layout),
  cga: ({ layout }) => linearToCga(layout),
  rank: ({ layout }) => layout.getNumOutDims(),
  order: ({ layout }) => offsetOrder(layout),
  alignment: ({ alignment }) => alignment,
};
