/** `#ttg.linear`: any distributed layout whose bases move in one dimension each. Source: TritonGPUAttrDefs.td, LinearEncodingAttr. */
import type { LinearParams } from "../../../layout/encoding-params.js";
import { DISTRIBUTED_DIMS } from "../../../layout/encodings/linear.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { standardOutDimNames } from "../../../layout/standard-dims.js";
import { defineEncoding } from "./define-encoding.js";
import { bracedDictionary, type LinearFields, readLinearLayout } from "./read-fields.js";

/** `bases` are those of register, lane, warp, block. */
export const LinearEncoding = defineEncoding<LinearFields, LinearParams>("linear", {
  summary: "a linear map from register, lane, warp and block to the tensor",
  alias: "linear",
  parse: (p) => readLinearLayout(p, bracedDictionary(p), DISTRIBUTED_DIMS),
  toEncoding: ({ bases, rank }) => ({
    kind: "linear",
    layout: LinearLayout.fromBases(
      DISTRIBUTED_DIMS.map((dim, i) => [dim, bases[i]!] as const),
      standardOutDimNames(rank),
    ),
  }),
  fromEncoding: ({ layout }) => ({ bases: DISTRIBUTED_DIMS.map((dim) => layout.getInDimBases(dim)), rank: layout.getNumOutDims() }),
});
