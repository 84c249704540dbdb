import { i64 } from "../../ir/builtin-types.js";
import type { Context } from "../../ir/context.js";
import { cgaFromSplitParams, defaultCga } from "../../layout/encodings/cga.js";
import type { LinearLayout } from "../../layout/linear-layout.js";
import { encodingAttr } from "../ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../ttg/encodings/shared-memory.js";
import { type MemDesc, memDescType } from "../ttg/types.js";

/**
 * The type of an mbarrier that a pass makes, or with `ring` of that many: since 3.7 there is one for each of the CTAs, before one for all of
 * them, with the layout `older`. Source: Pipeliner/PipeliningUtility.cpp, createScalarAlloc.
 */
export function barrierType(ctx: Context, numCTAs: number, ring?: number, older: LinearLayout = defaultCga(1)): MemDesc {
  const each = ctx.triton.barriersOfClusters;
  const cga = each ? cgaFromSplitParams([numCTAs], [numCTAs], [0]) : older;
  const encoding = encodingAttr(ctx, { kind: "swizzled_shared", vec: 1, perPhase: 1, maxPhase: 1, order: [0], cga });
  const shape = [...(ring === undefined ? [] : [ring]), each ? numCTAs : 1];
  return memDescType(shape, i64(ctx), encoding, SharedMemorySpace.get(ctx, {}), true);
}
