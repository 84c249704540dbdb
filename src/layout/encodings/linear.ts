/** `#ttg.linear`: any distributed layout whose bases move in one dimension each. Source: LinearEncodingAttr. */

import { orderPerDim } from "../bases-per-dim.js";
import type { LinearParams } from "../encoding-params.js";
import { ensureLayoutNotLargerThan, ensureLayoutNotSmallerThan } from "../ensure-shape.js";
import type { LinearLayout } from "../linear-layout.js";
import { linearToCga } from "./cga.js";
import { bases, basesText, type Encoding } from "./encoding.js";
import { isPowerOf2 } from "./matrix-order.js";

/** The in dims of a distributed layout, fastest first. */
export const DISTRIBUTED_DIMS = ["register", "lane", "warp", "block"] as const;

/** The parameters of an encoding that is a linear map. */
type LinearMap = Pick<LinearParams, "layout">;

/** The layout, repeated along registers or cut to the shape; registers that point beyond the shape go, lanes and warps become duplicates. */
export function linearToLinearLayout(shape: readonly number[], { layout }: LinearMap): LinearLayout {
  const named: Record<string, number> = {};
  layout.outDimNames.forEach((dim, d) => {
    named[dim] = shape[d]!;
  });
  const permuted = linearOrder(layout).map((d) => layout.outDimNames[d]!);
  const grown = ensureLayoutNotSmallerThan(layout.transposeOuts(permuted), named);
  return ensureLayoutNotLargerThan(grown, named, /*broadcastRegisters=*/ false).transposeOuts(layout.outDimNames);
}

/** The dimensions as registers walk them; those they do not move come last, the last dimension first. */
export function linearOrder(layout: LinearLayout): number[] {
  const rank = layout.getNumOutDims();
  return orderPerDim(
    layout,
    "register",
    Array.from({ length: rank }, (_, i) => rank - 1 - i),
  );
}

/** Upstream's complaints about the parameters. */
export function verifyLinear({ layout }: LinearParams): string[] {
  return [
    ...verifyInDims(layout, DISTRIBUTED_DIMS),
    ...verifyOutDims(layout),
    ...(movesOneDimEach(layout) ? [] : ["In a distributed layout, each base must move in at most one dimension."]),
  ].slice(0, 1);
}

/** Complaints unless the in dims are `expected`. */
export function verifyInDims(layout: LinearLayout, expected: readonly string[]): string[] {
  return layout.inDimNames.flatMap((dim, i) =>
    i >= expected.length || dim === expected[i] ? [] : [`Expected input dimension ${i} to be '${expected[i]}'. Got "${dim}"`],
  );
}

/** Complaints unless the out dims are dim0, dim1, ... */
export function verifyOutDims(layout: LinearLayout): string[] {
  return layout.outDimNames.flatMap((dim, i) =>
    dim === `dim${i}` ? [] : [`Expected output dimensions to be ['dim0', 'dim1', ...]. Got "${dim}" at position ${i}`],
  );
}

/** Does every basis move in at most one dimension? */
export function movesOneDimEach(layout: LinearLayout): boolean {
  return layout.packed.every((v) => layout.unpack(v).filter((c) => c !== 0).length <= 1);
}

/** Whether the bases that are not zero are powers of two in one dimension each, every one once. */
export function isPermutation(layout: LinearLayout): boolean {
  const moving = layout.packed.filter((v) => v !== 0);
  const isUnit = (v: number) =>
    layout.unpack(v).filter((c) => c !== 0).length === 1 && layout.unpack(v).every((c) => c === 0 || isPowerOf2(c));
  return moving.every(isUnit) && new Set(moving).size === moving.length && 2 ** moving.length === layout.getTotalOutDimSize();
}

/** All that an encoding has which is a linear map, but its kind and what it is. */
export const OF_LINEAR_MAP = {
  dialect: "ttg",
  group: "distributed",
  fields: DISTRIBUTED_DIMS.map((name) => bases(name, `where each bit of ${name} leads`)),
  text: ({ layout }: LinearMap) => `{${basesText(layout)}}`,
  toLinearLayout: linearToLinearLayout,
  cga: ({ layout }: LinearMap) => linearToCga(layout),
  rank: ({ layout }: LinearMap) => layout.getNumOutDims(),
  order: ({ layout }: LinearMap) => linearOrder(layout),
} as const;

export const LINEAR: Encoding<LinearParams> = {
  ...OF_LINEAR_MAP,
  kind: "linear",
  what: "any linear map whose bases move in one dimension each",
  verify: verifyLinear,
};
