/** `#ttg.swizzled_shared`: rows in shared memory with xor swizzling. Source: TritonGPUAttrDefs.td, SwizzledSharedEncodingAttr. */
import type { AttrParser } from "../../../ir/asm.js";
import type { SwizzledSharedParams } from "../../../layout/encoding-params.js";
import { cgaBases, cgaLayout } from "./cga.js";
import { defineEncoding } from "./define-encoding.js";
import { type BasisVectors, bracedDictionary, ints, readFields, uint } from "./read-fields.js";

export interface SwizzledAttrParams {
  readonly vec: number;
  readonly perPhase: number;
  readonly maxPhase: number;
  readonly order: readonly number[];
  readonly CGALayout: BasisVectors;
}

const KEYS = { vec: uint("vec"), perPhase: uint("perPhase"), maxPhase: uint("maxPhase"), order: ints("order") };

/** Parses the parameters of swizzled_shared and amd_rotating_shared between the angle brackets. */
export function parseSwizzled(p: AttrParser, at: number): SwizzledAttrParams {
  const fields = readFields(p, at, bracedDictionary(p), KEYS, true);
  const order = fields.ints("order");
  return {
    vec: fields.uint("vec"),
    perPhase: fields.uint("perPhase"),
    maxPhase: fields.uint("maxPhase"),
    order,
    CGALayout: fields.cga(order.length),
  };
}

export const SwizzledSharedEncoding = defineEncoding<SwizzledAttrParams, SwizzledSharedParams>("swizzled_shared", {
  summary: "rows in shared memory with xor swizzling",
  alias: "shared",
  parse: parseSwizzled,
  toEncoding: ({ CGALayout, ...rest }) => ({ kind: "swizzled_shared", ...rest, cga: cgaLayout(CGALayout, rest.order.length) }),
  fromEncoding: ({ vec, perPhase, maxPhase, order, cga }) => ({ vec, perPhase, maxPhase, order, CGALayout: cgaBases(cga) }),
});
