import type { Operation } from "../../../ir/operation.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

/** Moves the code of a loop or if to one that takes its place, region by region; an `else` that is not there stays that of `to`. */
export function takeBody(rw: Rewriter, to: Operation, from: Operation): void {
  from.regions.forEach((region, i) => {
    if (region.empty) return;
    for (const block of [...to.regions[i]!.blocks()]) rw.eraseBlock(block);
    to.regions[i]!.takeBlocksOf(region);
  });
}
