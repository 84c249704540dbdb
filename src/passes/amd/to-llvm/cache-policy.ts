/** The bits of an access that say how caches treat it. Source: third_party/amd/lib/TritonAMDGPUToLLVM/Utility.cpp, getCtrlBitsForCacheModifierOnTarget. */
import type { Lowering } from "./amd-lowering.js";

/** An atomic with it returns the value that was there. */
export const SC0 = 1;
const NT = 2;
const SC1 = 16;
/** The bits for a cache modifier; only CDNA has them. */
export function cacheBits({ target }: Lowering, cache: string, isLoad: boolean): number {
  if (target.family !== "CDNA3" && target.family !== "CDNA4") return 0;
  if (cache === "cs" || (cache === "cg" && isLoad)) return SC0 | NT;
  return cache === (isLoad ? "cv" : "wt") ? SC0 | SC1 : 0;
}
