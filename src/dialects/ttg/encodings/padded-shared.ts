/** `#ttg.padded_shared`: a linear map with padding after every so many elements. Source: TritonGPUAttrDefs.td, PaddedSharedEncodingAttr. */
import type { AttrParser } from "../../../ir/asm.js";
import type { DictAttr } from "../../../ir/builtin-attrs.js";
import type { PaddedSharedParams } from "../../../layout/encoding-params.js";
import { defaultCga } from "../../../layout/encodings/cga.js";
import { isPowerOf2 } from "../../../layout/encodings/matrix-order.js";
import { paddedIdentity, verifyPaddedShared } from "../../../layout/encodings/padded-shared.js";
import { SHARED_DIMS } from "../../../layout/encodings/shared-linear.js";
import { defineEncoding } from "./define-encoding.js";
import { dictionary, ints, type LinearFields, readFields, readLinearLayout } from "./read-fields.js";
import { sharedFields, sharedLayout } from "./shared-linear.js";

/** `bases` are those of offset, block. */
export interface PaddedSharedAttrParams extends LinearFields {
  readonly intervals: readonly number[];
  readonly paddings: readonly number[];
}

const encodingOf = ({ intervals, paddings, ...layout }: PaddedSharedAttrParams): PaddedSharedParams => ({
  kind: "padded_shared",
  intervals,
  paddings,
  linearComponent: sharedLayout(layout),
});

export const PaddedSharedEncoding = defineEncoding<PaddedSharedAttrParams, PaddedSharedParams>("padded_shared", {
  summary: "a linear map from shared memory offsets with padding",
  alias: "shared",
  parse(p, at) {
    p.punct("<");
    const intervals: number[] = [];
    const paddings: number[] = [];
    p.list("[", "]", () => {
      intervals.push(Number(BigInt.asUintN(32, p.integer())));
      p.punct(":");
      p.punct("+");
      paddings.push(Number(BigInt.asUintN(32, p.integer())));
    });
    const dict = dictionary(p);
    const { names } = dict.params;
    const isLinear = names.includes("offset") || names.includes("block");
    const known: readonly string[] = isLinear ? SHARED_DIMS : ["order", "shape"];
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) p.fail(`Unexpected attribute "${unknown}" found`, undefined, "parse.encoding");
    const layout = isLinear ? readLinearLayout(p, dict, SHARED_DIMS) : identityFields(p, at, dict);
    p.punct(">");
    return { intervals, paddings, ...layout };
  },
  problem: (fields, { triton }) => (triton.checksMemory ? undefined : verifyPaddedShared(encodingOf(fields), false)[0]),
  toEncoding: encodingOf,
  fromEncoding: ({ intervals, paddings, linearComponent }) => ({ intervals, paddings, ...sharedFields(linearComponent) }),
});

/** The short form: `order` and `shape` of the rows as they come. */
function identityFields(p: AttrParser, at: number, dict: DictAttr): LinearFields {
  const fields = readFields(p, at, dict, { order: ints("order"), shape: ints("shape") }, false);
  const order = fields.ints("order");
  const shape = fields.ints("shape");
  if (order.length !== shape.length) p.fail("Mismatch of shape and order ranks in padded layout", undefined, "parse.encoding");
  // Upstream aborts on these.
  if (order.length === 0) p.fail("linearComponent cannot be empty", undefined, "parse.encoding");
  if (!shape.every(isPowerOf2)) p.fail("shape must consist of powers of two", undefined, "parse.encoding");
  if ([...order].sort((a, b) => a - b).some((dim, i) => dim !== i))
    p.fail("order must be a permutation of 0..(rank-1)", undefined, "parse.encoding");
  return sharedFields(paddedIdentity(order, shape, defaultCga(shape.length)));
}
