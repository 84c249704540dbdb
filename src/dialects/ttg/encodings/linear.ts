/** `#ttg.linear`: any distributed layout whose bases move in one dimension each. Source: TritonGPUAttrDefs.td, LinearEncodingAttr. */
import type { LinearParams } from "../../../layout/encoding-params.js";
import { DISTRIBUTED_DIMS, isPermutation } from "../../../layout/encodings/linear.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { standardOutDimNames } from "../../../layout/standard-dims.js";
import { defineEncoding } from "./define-encoding.js";
import { bracedDictionary, type LinearFields, readLinearLayout } from "./read-fields.js";

export const layoutOf = ({ bases, rank }: LinearFields): LinearLayout =>
  LinearLayout.fromBases(
    DISTRIBUTED_DIMS.map((dim, i) => [dim, bases[i]!] as const),
    standardOutDimNames(rank),
  );

/** `bases` are those of register, lane, warp, block. */
export const LinearEncoding = defineEncoding<LinearFields, LinearParams>("linear", {
  summary: "a linear map from register, lane, warp and block to the tensor",
  alias: "linear",
  parse: (p) => readLinearLayout(p, bracedDictionary(p), DISTRIBUTED_DIMS),
  problem: (fields, { triton }) =>
    triton.checksMemory && !isPermutation(layoutOf(fields))
      ? "LinearEncodingAttr requires a permutation matrix layout after removing broadcast bases"
      : undefined,
  toEncoding: (fields) => ({ kind: "linear", layout: layoutOf(fields) }),
  fromEncoding: ({ layout }) => ({ bases: DISTRIBUTED_DIMS.map((dim) => layout.getInDimBases(dim)), rank: layout.getNumOutDims() }),
});
