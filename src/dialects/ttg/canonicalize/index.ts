import type { Pattern } from "../../../rewrite/pattern.js";
import * as convert from "./convert-layout.js";
import { canonicalizeWarpSpecialize } from "./warp-specialize.js";

/** Those of ttg.convert_layout (ttng has one more), which passes also apply by themselves. */
export const TTG_CONVERT_LAYOUT_PATTERNS: readonly Pattern[] = [
  convert.convertFromConvert,
  convert.convertFromReshape,
  convert.convertFromTranspose,
  convert.convertFromGatherSource,
  convert.convertFromHistogram,
  convert.convertFromAlloc,
  convert.convertFromLocalStore,
  convert.convertFromSplit,
];
/** The canonicalization patterns of ttg, in upstream's order. */
export const TTG_CANONICALIZATION: readonly Pattern[] = [...TTG_CONVERT_LAYOUT_PATTERNS, canonicalizeWarpSpecialize];
