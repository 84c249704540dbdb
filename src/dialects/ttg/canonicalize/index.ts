import type { Pattern } from "../../../rewrite/pattern.js";
import * as convert from "./convert-layout.js";
import { canonicalizeWarpSpecialize } from "./warp-specialize.js";

/** The canonicalization patterns of ttg, in upstream's order. */
export const TTG_CANONICALIZATION: readonly Pattern[] = [
  convert.convertFromConvert,
  convert.convertFromReshape,
  convert.convertFromTranspose,
  convert.convertFromGatherSource,
  convert.convertFromHistogram,
  convert.convertFromAlloc,
  convert.convertFromLocalStore,
  convert.convertFromSplit,
  canonicalizeWarpSpecialize,
];
