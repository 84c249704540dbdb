/**
 * How the CTAs of a cluster (CGA) share a tensor: a layout from `block` to dim0, dim1, ...
 *
 * Four CTAs that split the rows of a matrix in two and both hold the columns whole:
 *
 *     cgaFromSplitParams([2, 2], [2, 1], [1, 0])   // block = 1 -> (0, 0), block = 2 -> (1, 0)
 *
 * In 3.6 the attributes spell it `CGALayout = [[0, 0], [1, 0]]`; before as CTAsPerCGA, CTASplitNum, CTAOrder.
 * Source: Dialect.cpp, CTAEncodingAttr.
 */
import { basesPerDim, orderPerDim } from "../bases-per-dim.js";
import { divideLeft } from "../divide.js";
import { LayoutError } from "../layout-error.js";
import { LinearLayout } from "../linear-layout.js";
import { standardOutDimNames } from "../standard-dims.js";

/** A single CTA. */
export function defaultCga(rank: number): LinearLayout {
  return LinearLayout.fromBases([["block", []]], standardOutDimNames(rank));
}

/** From the bases of `CGALayout`. The reason if they are no layout. */
export function cgaFromBases(bases: readonly (readonly number[])[], rank: number): LinearLayout | string {
  return LinearLayout.tryFromBases([["block", bases]], standardOutDimNames(rank));
}

/**
 * From the older spelling: along each dimension `CTAsPerCGA` CTAs, `CTASplitNum` of them with different parts and the others
 * repeating those; dimensions are walked in `CTAOrder`. The sizes are powers of two and CTASplitNum divides CTAsPerCGA.
 */
export function cgaFromSplitParams(
  CTAsPerCGA: readonly number[],
  CTASplitNum: readonly number[],
  CTAOrder: readonly number[],
): LinearLayout {
  const names = standardOutDimNames(CTAOrder.length);
  let layout = LinearLayout.empty();
  for (const dim of CTAOrder) {
    const total = CTAsPerCGA[dim]!;
    const split = CTASplitNum[dim]!;
    if (total % split !== 0) throw new LayoutError("invalid CTA encoding parameters");
    layout = layout
      .multiply(LinearLayout.identity1D(split, "block", names[dim]!))
      .multiply(LinearLayout.zeros1D(total / split, "block", names[dim]!));
  }
  return layout.transposeOuts(names);
}

/** CTAs along each dimension, repeats included. */
export function getCTAsPerCGA(cga: LinearLayout): number[] {
  return basesPerDim(cga, "block", false);
}

/** CTAs with different parts along each dimension. */
export function getCTASplitNum(cga: LinearLayout): number[] {
  return basesPerDim(cga, "block");
}

/** The dimensions in the order in which CTAs walk them. */
export function getCTAOrder(cga: LinearLayout): number[] {
  return orderPerDim(
    cga,
    "block",
    Array.from({ length: cga.getNumOutDims() }, (_, i) => i),
  );
}

/** The layout for a tensor of another rank: leading dimensions go, or come with an extent of 1. Source: TMAUtilities.cpp, updateCTALayoutForShape. */
export function cgaOfRank(cga: LinearLayout, rank: number): LinearLayout {
  const had = cga.getNumOutDims();
  if (had === rank) return cga;
  const fitted = (numbers: readonly number[], filler: number): number[] => [
    ...new Array<number>(Math.max(0, rank - had)).fill(filler),
    ...numbers.slice(Math.max(0, had - rank)),
  ];
  const bases = cga.getBases().map(([dim, own]) => [dim, own.map((basis) => fitted(basis, 0))] as const);
  const sizes = fitted(
    cga.getOutDims().map(([, size]) => size),
    1,
  );
  return LinearLayout.fromBases(
    bases,
    standardOutDimNames(rank).map((name, dim) => [name, sizes[dim]!] as const),
    false,
  );
}

/** Is it the layout of a single CTA? */
export function isDefaultCga(cga: LinearLayout): boolean {
  return cga.packed.length === 0 && cga.getTotalOutDimSizeLog2() === 0;
}

/** The complaints of CTAEncodingAttr's verifier. */
export function verifyCga(cga: LinearLayout): string[] {
  if (cga.getNumInDims() !== 1 || cga.inDimNames[0] !== "block")
    return ["CTA encoding must have exactly one input dimension named 'block'."];
  const expected = standardOutDimNames(cga.getNumOutDims());
  if (!cga.outDimNames.every((name, i) => name === expected[i]))
    return [`CTA encoding output dims must be [dim0, dim1, ...], but got [${cga.outDimNames.map((name) => `"${name}"`).join(", ")}].`];
  return [];
}

/**
 * The part of a whole layout (last in dim `block`) that says how CTAs share the tensor: what is left after dividing by the
 * layout within one CTA.
 */
export function linearToCga(layout: LinearLayout): LinearLayout {
  const split = basesPerDim(layout, "block");
  const inDims = layout.inDimNames.filter((dim) => dim !== "block");
  const withinCta = LinearLayout.fromBases(
    layout.sublayout(inDims, layout.outDimNames).getBases(),
    layout.getOutDims().map(([name, size], d) => [name, size / split[d]!] as const),
    false,
  );
  const cga = divideLeft(layout, withinCta);
  if (cga === undefined) throw new LayoutError("the blocks of a layout do not tile it");
  return cga.sublayout(["block"], layout.outDimNames);
}

/** The shape of one CTA's part; `splitNum` may have more dimensions (a view of the last ones) or fewer (pipelined buffers in front). */
export function getShapePerCTA(splitNum: readonly number[], shape: readonly number[]): number[] {
  const offset = shape.length - splitNum.length;
  return shape.map((size, i) => Math.trunc(size / Math.min(size, i < offset ? 1 : splitNum[i - offset]!)));
}
