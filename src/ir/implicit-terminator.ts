/** Terminators that the custom syntax leaves out. Source: mlir/lib/IR/Operation.cpp, ensureRegionTerminator. */
import { emptyDict } from "./builtin-attrs.js";
import type { OpDef } from "./define-op.js";
import type { LocationRef } from "./location.js";
import { Operation } from "./operation.js";
import type { Region } from "./region.js";

/**
 * Ends the last block of `region` with an op of kind `terminator` without operands, unless it has a terminator.
 * An empty region gets a block first. Returns the op it added.
 */
export function ensureTerminator(region: Region, terminator: OpDef, loc: LocationRef): Operation | undefined {
  const block = region.lastBlock ?? region.addBlock();
  if (block.terminator) return undefined;
  const op = new Operation(region.ctx, terminator, { loc, attrs: emptyDict(region.ctx) });
  block.append(op);
  return op;
}
