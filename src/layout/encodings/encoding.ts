/** The definition of an encoding: one record a kind, in the file of its name. `index.ts` lists them. */
import type { DistributedParams, EncodingParams, SharedParams } from "../encoding-params.js";
import type { LinearLayout } from "../linear-layout.js";
import { isDefaultCga } from "./cga.js";

/** A field of the attribute, for help. */
export interface Field {
  readonly name: string;
  readonly type: "int" | "ints" | "bool" | "bases" | "encoding" | "pads";
  readonly what: string;
  /** The value that is not printed; a field without one must be there. */
  readonly default?: string;
}

/** An encoding inside of another one is asked through the function given last. */
export interface Encoding<P extends EncodingParams = EncodingParams> {
  readonly kind: P["kind"];
  readonly dialect: "ttg" | "ttng";
  /** The group that help lists it in. */
  readonly group: "matrix instructions" | "distributed" | "shared memory" | "tensor memory";
  /** For help. */
  readonly what: string;
  readonly fields: readonly Field[];
  /** The text between the angle brackets; keys at their defaults are left out. */
  text(params: P, textOf: (parent: DistributedParams) => string): string;
  /** The complaints of upstream's verifier; without it upstream verifies nothing. */
  verify?(params: P, of: { readonly rank: (p: DistributedParams) => number; readonly text: (p: DistributedParams) => string }): string[];
  /** Why verified parameters have no layout for a shape, where upstream aborts. */
  problem?(shape: readonly number[], params: P): string | undefined;
  toLinearLayout(
    shape: readonly number[],
    params: P,
    layoutOf: (shape: readonly number[], parent: DistributedParams) => LinearLayout,
  ): LinearLayout;
  /** How CTAs share the tensor; undefined for tensor memory. */
  cga(params: P, cgaOf: (parent: DistributedParams) => LinearLayout | undefined): LinearLayout | undefined;
  rank(params: P, rankOf: (parent: DistributedParams) => number): number;
  /** The order of the dimensions, fastest first: in which a tile repeats over the tensor of `rank`, or shared memory runs through it. */
  order?(params: P, rank: number, orderOf: (parent: DistributedParams) => number[]): number[];
  /** Elements known to be equal are computed one by one all the same. */
  readonly computesEqualElements?: true;
  /** Bytes, for a buffer in shared memory; 16 without it. */
  alignment?(params: P): number;
  /** Where an offset of the linear layout is in shared memory, and what a buffer of so many elements takes there; as they are without it. */
  readonly padding?: {
    /** `adds` unused elements after `every` so many. */
    pairs(params: P): readonly (readonly [every: number, adds: number])[];
    place(params: P, offset: number): number;
    size(params: P, elements: number): number;
  };
  /** The layout that the parameters hold in full, padding aside: views keep it, whatever shape they have. */
  readonly component?: { of(params: P): LinearLayout; with(params: P, layout: LinearLayout): SharedParams };
}

/** Encodings whose parameters hold their CTAs' layout. */
export const HAS_CGA = {
  cga: ({ cga }: { readonly cga: LinearLayout }) => cga,
  rank: ({ cga }: { readonly cga: LinearLayout }) => cga.getNumOutDims(),
};

// --- fields ---------------------------------------------------------------------------------------

const field =
  (type: Field["type"]) =>
  (name: string, what: string, otherwise?: string): Field => ({
    name,
    type,
    what,
    ...(otherwise === undefined ? {} : { default: otherwise }),
  });
export const int = field("int");
export const ints = field("ints");
export const bool = field("bool");
export const bases = field("bases");
export const ORDER = ints("order", "the dimensions, fastest first");
export const WARPS = ints("warpsPerCTA", "warps along each dimension");
export const CGA = bases("CGALayout", "which part of the tensor each CTA of the cluster holds", "one CTA");
export const SWIZZLE = [
  int("vec", "elements that stay together when a row is swizzled"),
  int("perPhase", "rows that are swizzled alike"),
  int("maxPhase", "number of ways in which rows are swizzled"),
  ORDER,
  CGA,
];

// --- texts ----------------------------------------------------------------------------------------

/** `[1, 2]`. */
export const list = (values: readonly number[]): string => `[${values.join(", ")}]`;

/** `, CGALayout = [[1, 0]]`, or nothing for a single CTA. */
export function cgaText(cga: LinearLayout): string {
  return isDefaultCga(cga) ? "" : `, CGALayout = [${cga.getInDimBases("block").map(list).join(", ")}]`;
}

export function tilesText(tilesPerWarp: readonly number[]): string {
  return tilesPerWarp.every((tiles) => tiles === 1) ? "" : `, tilesPerWarp = ${list(tilesPerWarp)}`;
}

/** `register = [[0, 1]], lane = [], ...`. */
export function basesText(layout: LinearLayout): string {
  return layout
    .getBases()
    .map(([inDim, vectors]) => `${inDim} = [${vectors.map(list).join(", ")}]`)
    .join(", ");
}

interface Swizzled {
  readonly vec: number;
  readonly perPhase: number;
  readonly maxPhase: number;
  readonly order: readonly number[];
  readonly cga: LinearLayout;
}
/** As swizzled_shared and amd_rotating_shared are printed. */
export function swizzleText({ vec, perPhase, maxPhase, order, cga }: Swizzled): string {
  return `{vec = ${vec}, perPhase = ${perPhase}, maxPhase = ${maxPhase}, order = ${list(order)}${cgaText(cga)}}`;
}
export function swizzleProblem({ vec, perPhase, maxPhase }: Swizzled): string | undefined {
  return [vec, perPhase, maxPhase].every((x) => x >= 1) ? undefined : "vec, perPhase and maxPhase must be at least 1";
}
