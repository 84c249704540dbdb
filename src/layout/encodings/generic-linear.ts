/** `#ttg.generic_linear`: any distributed layout that reaches all elements; warps may move in several dimensions. Source: GenericLinearEncodingAttr. */
import type { EncodingParams, GenericLinearParams } from "../encoding-params.js";
import type { Encoding } from "./encoding.js";
import { DISTRIBUTED_DIMS, isPermutation, OF_LINEAR_MAP, verifyInDims, verifyOutDims } from "./linear.js";

/** Upstream's complaints about the parameters. */
export function verifyGenericLinear({ layout }: GenericLinearParams): string[] {
  const swizzled = ["register", "lane", "block"].find((dim) =>
    layout.getInDimBases(dim).some((basis) => basis.filter((c) => c !== 0).length > 1),
  );
  return [
    ...verifyInDims(layout, DISTRIBUTED_DIMS),
    ...verifyOutDims(layout),
    ...(swizzled === undefined
      ? []
      : [
          `In a generic linear layout, register, lane, and block bases must move in at most one dimension. Swizzled bases found in '${swizzled}'.`,
        ]),
  ].slice(0, 1);
}

/** Whether the encoding, or the one that it is a part of, is none that `#ttg.linear` can say. */
export function isGenericLinear(params: EncodingParams): boolean {
  if (params.kind === "dot_op" || params.kind === "slice") return isGenericLinear(params.parent);
  if (params.kind === "amd_wmma") return params.ctaLayout !== undefined && !isPermutation(params.ctaLayout);
  return params.kind === "generic_linear";
}

/** The kind of the layout that an op on such a tensor makes of it. */
export const linearKind = (params: EncodingParams): "linear" | "generic_linear" => (isGenericLinear(params) ? "generic_linear" : "linear");

export const GENERIC_LINEAR: Encoding<GenericLinearParams> = {
  ...OF_LINEAR_MAP,
  kind: "generic_linear",
  what: "any linear map; warps may move in several dimensions at once (Triton 3.8)",
  verify: verifyGenericLinear,
};
