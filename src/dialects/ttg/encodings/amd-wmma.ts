/** `#ttg.amd_wmma`: the accumulator of an AMD WMMA (RDNA) instruction. Source: TritonGPUAttrDefs.td, AMDWmmaEncodingAttr. */
import type { AmdWmmaParams } from "../../../layout/encoding-params.js";
import { cgaBases, cgaLayout } from "./cga.js";
import { defineEncoding } from "./define-encoding.js";
import { type BasisVectors, bool, bracedDictionary, ints, readFields, uint } from "./read-fields.js";

export interface AmdWmmaAttrParams {
  readonly version: number;
  readonly isTransposed: boolean;
  readonly warpsPerCTA: readonly number[];
  readonly tilesPerWarp: readonly number[];
  readonly CGALayout: BasisVectors;
  readonly instrShape: readonly number[];
}

const KEYS = {
  version: uint("version"),
  isTranspose: bool("isTranspose"),
  warpsPerCTA: ints("warpsPerCTA"),
  tilesPerWarp: ints("tilesPerWarp"),
  instrShape: ints("instrShape"),
};
const DEFAULT_INSTR_SHAPE = [16, 16, 16];

export const AmdWmmaEncoding = defineEncoding<AmdWmmaAttrParams, AmdWmmaParams>("amd_wmma", {
  summary: "the accumulator of an AMD WMMA instruction",
  alias: "mma",
  parse(p, at) {
    const fields = readFields(p, at, bracedDictionary(p), KEYS, false);
    const warpsPerCTA = fields.ints("warpsPerCTA");
    const instrShape = fields.has("instrShape") ? fields.ints("instrShape") : DEFAULT_INSTR_SHAPE;
    const tilesPerWarp = fields.ints("tilesPerWarp");
    return {
      version: fields.uint("version"),
      isTransposed: fields.bool("isTranspose"),
      warpsPerCTA,
      tilesPerWarp: tilesPerWarp.length > 0 ? tilesPerWarp : instrShape.map(() => 1),
      CGALayout: fields.cga(warpsPerCTA.length),
      instrShape,
    };
  },
  toEncoding: ({ CGALayout, ...rest }) => ({ kind: "amd_wmma", ...rest, cga: cgaLayout(CGALayout, rest.warpsPerCTA.length) }),
  fromEncoding: ({ version, isTransposed, warpsPerCTA, tilesPerWarp, cga, instrShape }) => ({
    version,
    isTransposed,
    warpsPerCTA,
    tilesPerWarp,
    CGALayout: cgaBases(cga),
    instrShape,
  }),
});
