/** `#ttg.generic_linear`: as `#ttg.linear`, with warps that may move in several dimensions. Source: TritonGPUAttrDefs.td, GenericLinearEncodingAttr. */
import type { GenericLinearParams } from "../../../layout/encoding-params.js";
import { DISTRIBUTED_DIMS } from "../../../layout/encodings/linear.js";
import { defineEncoding } from "./define-encoding.js";
import { layoutOf } from "./linear.js";
import { bracedDictionary, type LinearFields, readLinearLayout } from "./read-fields.js";

export const GenericLinearEncoding = defineEncoding<LinearFields, GenericLinearParams>("generic_linear", {
  summary: "a linear map from register, lane, warp and block to the tensor, also a swizzled one (since Triton 3.8)",
  alias: "generic_linear",
  parse(p, at) {
    if (!p.ctx.triton.genericLinear) p.fail("unknown attribute `generic_linear` in dialect `ttg`", at, "parse.attribute");
    return readLinearLayout(p, bracedDictionary(p), DISTRIBUTED_DIMS);
  },
  toEncoding: (fields) => ({ kind: "generic_linear", layout: layoutOf(fields) }),
  fromEncoding: ({ layout }) => ({ bases: DISTRIBUTED_DIMS.map((dim) => layout.getInDimBases(dim)), rank: layout.getNumOutDims() }),
});
