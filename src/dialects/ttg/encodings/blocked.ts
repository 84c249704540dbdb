/** `#ttg.blocked`: registers, lanes and warps tile the tensor as nested boxes. Source: TritonGPUAttrDefs.td, BlockedEncodingAttr. */
import type { BlockedParams } from "../../../layout/encoding-params.js";
import { cgaBases, cgaLayout } from "./cga.js";
import { defineEncoding } from "./define-encoding.js";
import { type BasisVectors, bracedDictionary, ints, readFields } from "./read-fields.js";

export interface BlockedAttrParams {
  readonly sizePerThread: readonly number[];
  readonly threadsPerWarp: readonly number[];
  readonly warpsPerCTA: readonly number[];
  readonly order: readonly number[];
  readonly CGALayout: BasisVectors;
}

const KEYS = {
  sizePerThread: ints("number of elements per thread"),
  threadsPerWarp: ints("number of threads per warp"),
  warpsPerCTA: ints("number of warps per CTA"),
  order: ints("order"),
};

export const BlockedEncoding = defineEncoding<BlockedAttrParams, BlockedParams>("blocked", {
  summary: "registers, lanes and warps tile the tensor as nested boxes",
  alias: "blocked",
  parse(p, at) {
    const fields = readFields(p, at, bracedDictionary(p), KEYS, true);
    const sizePerThread = fields.ints("sizePerThread");
    const threadsPerWarp = fields.ints("threadsPerWarp");
    const warpsPerCTA = fields.ints("warpsPerCTA");
    return { sizePerThread, threadsPerWarp, warpsPerCTA, order: fields.ints("order"), CGALayout: fields.cga(sizePerThread.length) };
  },
  toEncoding: ({ CGALayout, ...rest }) => ({ kind: "blocked", ...rest, cga: cgaLayout(CGALayout, rest.sizePerThread.length) }),
  fromEncoding: ({ sizePerThread, threadsPerWarp, warpsPerCTA, order, cga }) => ({
    sizePerThread,
    threadsPerWarp,
    warpsPerCTA,
    order,
    CGALayout: cgaBases(cga),
  }),
});
