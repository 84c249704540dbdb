import type { Operation } from "../../../ir/operation.js";
import type { Region } from "../../../ir/region.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

/** Puts the ops of a region's only block in the place of `op`, whose results become what the block yields. */
export function replaceOpWithRegion(rw: Rewriter, op: Operation, region: Region, args: readonly Value[] = []): true {
  const block = region.firstBlock!;
  const terminator = block.lastOp!;
  rw.inlineBlockBefore(block, op, args);
  // Read after the move: yielded block arguments have become `args`.
  rw.replace(op, terminator.operands);
  return rw.erase(terminator);
}
