/** `#ttg.nvmma_shared`: shared memory as wgmma, tcgen05 and TMA want it. Source: TritonGPUAttrDefs.td, NVMMASharedEncodingAttr. */
import type { NvmmaSharedParams } from "../../../layout/encoding-params.js";
import { cgaBases, cgaLayout } from "./cga.js";
import { defineEncoding } from "./define-encoding.js";
import { type BasisVectors, bool, bracedDictionary, readFields, uint } from "./read-fields.js";

export interface NvmmaSharedAttrParams {
  readonly swizzlingByteWidth: number;
  readonly transposed: boolean;
  readonly elementBitWidth: number;
  readonly fp4Padded: boolean;
  readonly CGALayout: BasisVectors;
  readonly rank: number;
}

const KEYS = {
  swizzlingByteWidth: uint("swizzlingByteWidth"),
  transposed: bool("transposed"),
  elementBitWidth: uint("elementBitWidth"),
  fp4Padded: bool("fp4Padded"),
  rank: uint("rank"),
};

export const NvmmaSharedEncoding = defineEncoding<NvmmaSharedAttrParams, NvmmaSharedParams>("nvmma_shared", {
  summary: "shared memory as wgmma, tcgen05 and TMA want it",
  alias: "shared",
  parse(p, at) {
    const fields = readFields(p, at, bracedDictionary(p), KEYS, true);
    const rank = fields.uint("rank", (p.ctx.triton.checksMemory ? fields.cgaRank() : undefined) ?? 2);
    if (rank > 64) p.fail(`rank ${rank} is too large`, at, "parse.encoding");
    return {
      swizzlingByteWidth: fields.uint("swizzlingByteWidth"),
      transposed: fields.bool("transposed"),
      elementBitWidth: fields.uint("elementBitWidth"),
      fp4Padded: fields.bool("fp4Padded"),
      CGALayout: fields.cga(rank),
      rank,
    };
  },
  toEncoding: ({ CGALayout, rank, ...rest }, { triton }) => ({
    kind: "nvmma_shared",
    ...rest,
    cga: cgaLayout(CGALayout, rank),
    ...(triton.turnsPlain && rest.transposed && rest.swizzlingByteWidth === 0 ? { turnsPlain: true } : {}),
  }),
  fromEncoding: ({ swizzlingByteWidth, transposed, elementBitWidth, fp4Padded, cga }) => ({
    swizzlingByteWidth,
    transposed,
    elementBitWidth,
    fp4Padded,
    CGALayout: cgaBases(cga),
    rank: cga.getNumOutDims(),
  }),
});
