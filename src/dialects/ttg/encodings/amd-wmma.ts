/** `#ttg.amd_wmma`: the accumulator of an AMD WMMA (RDNA) instruction. Source: TritonGPUAttrDefs.td, AMDWmmaEncodingAttr. */

import type { AttrParser } from "../../../ir/asm.js";
import type { Attribute } from "../../../ir/attribute.js";
import { DictionaryAttr, dictGet } from "../../../ir/builtin-attrs.js";
import type { AmdWmmaParams } from "../../../layout/encoding-params.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { standardOutDimNames } from "../../../layout/standard-dims.js";
import { cgaBases, cgaLayout } from "./cga.js";
import { defineEncoding } from "./define-encoding.js";
import { type BasisVectors, bool, bracedDictionary, checkLayout, ints, readBases, readFields, uint } from "./read-fields.js";

export interface AmdWmmaAttrParams {
  readonly version: number;
  readonly isTransposed: boolean;
  readonly warpsPerCTA: readonly number[];
  readonly tilesPerWarp: readonly number[];
  readonly CGALayout: BasisVectors;
  readonly ctaLayout?: { readonly register: BasisVectors; readonly warp: BasisVectors; readonly rank: number };
  readonly instrShape: readonly number[];
}

const KEYS = {
  version: uint("version"),
  isTranspose: bool("isTranspose"),
  warpsPerCTA: ints("warpsPerCTA"),
  tilesPerWarp: ints("tilesPerWarp"),
  instrShape: ints("instrShape"),
  rank: uint("rank"),
};
const DEFAULT_INSTR_SHAPE = [16, 16, 16];

type Tiles = NonNullable<AmdWmmaAttrParams["ctaLayout"]>;

/** `{register = [[0, 1]], warp = [[1, 0]]}`: which tile each bit of register and warp leads to. Bits of registers may be left out. */
function readTiles(p: AttrParser, at: number, attr: Attribute, rank: number): Tiles {
  if (!DictionaryAttr.is(attr)) return p.fail("expected dictionary value for 'ctaLayout'", at, "parse.encoding");
  const register = dictGet(attr, "register") === undefined ? [] : readBases(p, attr, "register");
  const warp = readBases(p, attr, "warp");
  checkLayout(
    p,
    at,
    [
      ["register", register],
      ["warp", warp],
    ],
    rank,
  );
  return { register, warp, rank };
}
const layoutOfTiles = ({ register, warp, rank }: Tiles): LinearLayout =>
  LinearLayout.fromBases(
    [
      ["register", register],
      ["warp", warp],
    ],
    standardOutDimNames(rank),
  );
/** How many of them lead along each dimension. */
const reach = (bases: BasisVectors, rank: number): number[] =>
  Array.from({ length: rank }, (_, d) => 2 ** bases.filter((basis) => basis[d] !== 0).length);

export const AmdWmmaEncoding = defineEncoding<AmdWmmaAttrParams, AmdWmmaParams>("amd_wmma", {
  summary: "the accumulator of an AMD WMMA instruction",
  alias: "mma",
  parse(p, at) {
    const dict = bracedDictionary(p);
    const fields = readFields(p, at, dict, KEYS, false);
    const warpsPerCTA = fields.ints("warpsPerCTA");
    const instrShape = fields.has("instrShape") ? fields.ints("instrShape") : DEFAULT_INSTR_SHAPE;
    const tilesPerWarp = fields.ints("tilesPerWarp");
    const ctaLayout = p.ctx.triton.wmmaByLayout ? dictGet(dict, "ctaLayout") : undefined;
    if (ctaLayout !== undefined) {
      const rank = fields.uint("rank", 2);
      const tiles = readTiles(p, at, ctaLayout, rank);
      return {
        version: fields.uint("version"),
        isTransposed: fields.bool("isTranspose"),
        warpsPerCTA: reach(tiles.warp, rank),
        tilesPerWarp: reach(tiles.register, rank),
        ctaLayout: tiles,
        CGALayout: fields.cga(rank),
        instrShape,
      };
    }
    return {
      version: fields.uint("version"),
      isTransposed: fields.bool("isTranspose"),
      warpsPerCTA,
      tilesPerWarp: tilesPerWarp.length > 0 ? tilesPerWarp : instrShape.map(() => 1),
      CGALayout: fields.cga(warpsPerCTA.length),
      instrShape,
    };
  },
  toEncoding: ({ CGALayout, ctaLayout, ...rest }) => ({
    kind: "amd_wmma",
    ...rest,
    cga: cgaLayout(CGALayout, rest.warpsPerCTA.length),
    ...(ctaLayout && { ctaLayout: layoutOfTiles(ctaLayout) }),
  }),
  fromEncoding: ({ version, isTransposed, warpsPerCTA, tilesPerWarp, cga, ctaLayout, instrShape }) => ({
    ...(ctaLayout && {
      ctaLayout: {
        register: ctaLayout.getInDimBases("register"),
        warp: ctaLayout.getInDimBases("warp"),
        rank: ctaLayout.getNumOutDims(),
      },
    }),
    version,
    isTransposed,
    warpsPerCTA,
    tilesPerWarp,
    CGALayout: cgaBases(cga),
    instrShape,
  }),
});
