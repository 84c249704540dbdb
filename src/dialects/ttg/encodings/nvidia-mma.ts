/** `#ttg.nvidia_mma`: the accumulator of a tensor core instruction. Source: TritonGPUAttrDefs.td, NvidiaMmaEncodingAttr. */
import type { NvidiaMmaParams } from "../../../layout/encoding-params.js";
import { cgaBases, cgaLayout } from "./cga.js";
import { defineEncoding } from "./define-encoding.js";
import { type BasisVectors, bracedDictionary, ints, readFields, uint } from "./read-fields.js";

export interface NvidiaMmaAttrParams {
  readonly versionMajor: number;
  readonly versionMinor: number;
  readonly warpsPerCTA: readonly number[];
  readonly CGALayout: BasisVectors;
  readonly instrShape: readonly number[];
}

const KEYS = {
  versionMajor: uint("versionMajor"),
  versionMinor: uint("versionMinor"),
  warpsPerCTA: ints("warpsPerCTA"),
  instrShape: ints("instrShape"),
};

export const NvidiaMmaEncoding = defineEncoding<NvidiaMmaAttrParams, NvidiaMmaParams>("nvidia_mma", {
  summary: "the accumulator of an NVIDIA tensor core instruction",
  alias: "mma",
  parse(p, at) {
    const fields = readFields(p, at, bracedDictionary(p), KEYS, false);
    const warpsPerCTA = fields.ints("warpsPerCTA");
    return {
      versionMajor: fields.uint("versionMajor"),
      versionMinor: fields.uint("versionMinor"),
      warpsPerCTA,
      CGALayout: fields.cga(warpsPerCTA.length),
      instrShape: fields.ints("instrShape"),
    };
  },
  toEncoding: ({ CGALayout, ...rest }) => ({ kind: "nvidia_mma", ...rest, cga: cgaLayout(CGALayout, rest.warpsPerCTA.length) }),
  fromEncoding: ({ versionMajor, versionMinor, warpsPerCTA, cga, instrShape }) => ({
    versionMajor,
    versionMinor,
    warpsPerCTA,
    CGALayout: cgaBases(cga),
    instrShape,
  }),
});
