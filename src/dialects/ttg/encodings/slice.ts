/** `#ttg.slice`: the parent with dimension `dim` squeezed out. Source: TritonGPUAttrDefs.td, SliceEncodingAttr. */
import type { Attribute } from "../../../ir/attribute.js";
import { dictGet, IntegerAttr } from "../../../ir/builtin-attrs.js";
import type { SliceParams } from "../../../layout/encoding-params.js";
import { Bug } from "../../../support/assert.js";
import { defineEncoding, distributedParams, encodingAttr } from "./define-encoding.js";
import { bracedDictionary } from "./read-fields.js";

export interface SliceAttrParams {
  readonly dim: number;
  readonly parent: Attribute;
}

export const SliceEncoding = defineEncoding<SliceAttrParams, SliceParams>("slice", {
  summary: "the parent with one dimension squeezed out",
  parse(p, at) {
    const dict = bracedDictionary(p);
    const dim = dictGet(dict, "dim");
    if (!IntegerAttr.is(dim)) return p.fail("expected an integer 'dim'", at, "parse.encoding");
    const parent = dictGet(dict, "parent");
    if (parent === undefined || !distributedParams(parent)) return p.fail("expected a distributed encoding trait", at, "parse.encoding");
    return { dim: Number(BigInt.asUintN(32, dim.params.value)), parent };
  },
  print: ({ dim, parent }, p) => `<{dim = ${dim}, parent = ${p.attr(parent)}}>`,
  toEncoding({ dim, parent }) {
    const params = distributedParams(parent);
    if (!params) throw new Bug("the parent of a slice is not distributed");
    return { kind: "slice", dim, parent: params };
  },
  fromEncoding: ({ dim, parent }, ctx) => ({ dim, parent: encodingAttr(ctx, parent) }),
});
