import type { Block } from "../ir/block.js";
import { ancestorInRegion } from "../ir/dominance.js";
import type { Operation } from "../ir/operation.js";

/**
 * Whether `a` comes on every way from `b` to the end of the region that `a` is in; `b` may be nested in a region beside it.
 * Source: mlir/lib/IR/Dominance.cpp, PostDominanceInfo.
 */
export function postDominates(a: Operation, b: Operation): boolean {
  if (a === b) return true;
  const inner = ancestorInRegion(b, a.region!);
  if (!inner) return false;
  if (inner === a) return true;
  if (inner.block === a.block) return inner.isBeforeInBlock(a);
  return !reachesEnd(inner.block!, a.block!);
}

/** The same for blocks of a region. */
export const blockPostDominates = (a: Block, b: Block): boolean => a === b || !reachesEnd(b, a);

/** Whether there is a way from a block to one without successors that does not lead through `avoided`. */
function reachesEnd(from: Block, avoided: Block): boolean {
  const seen = new Set<Block>([from, avoided]);
  const stack = [from];
  for (let block = stack.pop(); block; block = stack.pop()) {
    const successors = block.successors();
    if (successors.length === 0) return true;
    for (const next of successors) {
      if (seen.has(next)) continue;
      seen.add(next);
      stack.push(next);
    }
  }
  return false;
}
