/** `#ttg.shared_linear`: any map from shared memory offsets to the tensor. Source: TritonGPUAttrDefs.td, SharedLinearEncodingAttr. */
import { arrayAttr, dictGet, dictWith } from "../../../ir/builtin-attrs.js";
import type { SharedLinearParams } from "../../../layout/encoding-params.js";
import { SHARED_DIMS } from "../../../layout/encodings/shared-linear.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { standardOutDimNames } from "../../../layout/standard-dims.js";
import { defineEncoding } from "./define-encoding.js";
import { dictionary, type LinearFields, readLinearLayout } from "./read-fields.js";

/** `bases` are those of offset, block; the alignment is in bytes. */
export interface SharedLinearAttrParams extends LinearFields {
  readonly alignment: number;
}

export const SharedLinearEncoding = defineEncoding<SharedLinearAttrParams, SharedLinearParams>("shared_linear", {
  summary: "a linear map from shared memory offset and block to the tensor",
  alias: "shared",
  parse(p) {
    p.punct("<");
    let dict = dictionary(p);
    if (dictGet(dict, "alignment")) p.fail("alignment must be specified outside of the linear layout braces", undefined, "parse.encoding");
    dict = dictGet(dict, "block") ? dict : dictWith(dict, "block", arrayAttr(p.ctx, []));
    p.punct(",");
    p.keyword("alignment");
    p.punct("=");
    const alignment = Number(BigInt.asUintN(32, p.integer()));
    p.punct(">");
    const layout = readLinearLayout(p, dict, SHARED_DIMS);
    if (dict.params.names.length !== 2)
      p.fail("SharedLinearEncodingAttr must have exactly two attributes: offset and block", undefined, "parse.encoding");
    return { ...layout, alignment };
  },
  toEncoding: ({ bases, rank, alignment }) => ({ kind: "shared_linear", layout: sharedLayout({ bases, rank }), alignment }),
  fromEncoding: ({ layout, alignment }) => ({ ...sharedFields(layout), alignment }),
});

/** offset, block -> dim0, dim1, ... */
export function sharedLayout({ bases, rank }: LinearFields): LinearLayout {
  return LinearLayout.fromBases(
    SHARED_DIMS.map((dim, i) => [dim, bases[i]!] as const),
    standardOutDimNames(rank),
  );
}
export function sharedFields(layout: LinearLayout): LinearFields {
  const bases = SHARED_DIMS.map((dim) => (layout.hasInDim(dim) ? layout.getInDimBases(dim) : []));
  return { bases, rank: layout.getNumOutDims() };
}
