/** `#ttg.amd_mfma`: the accumulator of an AMD matrix core (CDNA) instruction. Source: TritonGPUAttrDefs.td, AMDMfmaEncodingAttr. */
import type { AmdMfmaParams } from "../../../layout/encoding-params.js";
import { cgaBases, cgaLayout } from "./cga.js";
import { defineEncoding } from "./define-encoding.js";
import { type BasisVectors, bool, bracedDictionary, ints, readFields, uint } from "./read-fields.js";

export interface AmdMfmaAttrParams {
  readonly version: number;
  readonly warpsPerCTA: readonly number[];
  readonly instrShape: readonly number[];
  readonly isTransposed: boolean;
  readonly CGALayout: BasisVectors;
  readonly tilesPerWarp: readonly number[];
  readonly elementBitWidth: number;
}

const KEYS = {
  version: uint("version"),
  warpsPerCTA: ints("warpsPerCTA"),
  instrShape: ints("instrShape"),
  isTransposed: bool("isTransposed"),
  tilesPerWarp: ints("tilesPerWarp"),
  elementBitWidth: uint("elementBitWidth"),
};

export const AmdMfmaEncoding = defineEncoding<AmdMfmaAttrParams, AmdMfmaParams>("amd_mfma", {
  summary: "the accumulator of an AMD matrix core instruction",
  alias: "mma",
  parse(p, at) {
    const fields = readFields(p, at, bracedDictionary(p), KEYS, false);
    const warpsPerCTA = fields.ints("warpsPerCTA");
    const instrShape = fields.ints("instrShape");
    const tilesPerWarp = fields.ints("tilesPerWarp");
    return {
      version: fields.uint("version"),
      warpsPerCTA,
      instrShape,
      isTransposed: fields.bool("isTransposed"),
      CGALayout: fields.cga(warpsPerCTA.length),
      tilesPerWarp: tilesPerWarp.length > 0 ? tilesPerWarp : instrShape.map(() => 1),
      elementBitWidth: fields.uint("elementBitWidth", 32),
    };
  },
  toEncoding: ({ CGALayout, ...rest }) => ({ kind: "amd_mfma", ...rest, cga: cgaLayout(CGALayout, rest.warpsPerCTA.length) }),
  fromEncoding: ({ version, warpsPerCTA, instrShape, isTransposed, cga, tilesPerWarp, elementBitWidth }) => ({
    version,
    warpsPerCTA,
    instrShape,
    isTransposed,
    CGALayout: cgaBases(cga),
    tilesPerWarp,
    elementBitWidth,
  }),
});
