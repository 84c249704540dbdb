/**
 * Where ops go, with Triton's rule that moving the insertion point also moves the location: to that of the op found
 * there, or of the op around the block. Source: python/src/ir.h, TritonOpBuilder.
 */
import type { Type } from "../../ir/attribute.js";
import type { Block } from "../../ir/block.js";
import type { Builder } from "../../ir/builder.js";
import { type LocationRef, unknownLoc } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";

/** A place between two ops; `before` is null at the end of the block. */
export interface InsertionPoint {
  readonly block: Block | null;
  readonly before: Operation | null;
}

export const insertionPoint = ({ block, before }: Builder): InsertionPoint => ({ block, before });

/** Continues where `insertionPoint` was taken. */
export function restoreInsertion(b: Builder, { block, before }: InsertionPoint): void {
  b.loc = before ? before.locRef : block ? locationAround(b, block) : unknownLoc(b.ctx);
  b.block = block;
  b.before = before;
}
/** Moves the builder to the start of a block; new ops get the location of the first op there. */
export function insertAtStart(b: Builder, block: Block): void {
  b.loc = block.firstOp ? block.firstOp.locRef : locationAround(b, block);
  b.setStart(block);
}
/** Moves the builder to the end of a block; new ops get the location of the last op there. */
export function insertAtEnd(b: Builder, block: Block): void {
  b.loc = block.lastOp ? block.lastOp.locRef : locationAround(b, block);
  b.setEnd(block);
}
function locationAround(b: Builder, block: Block): LocationRef {
  return block.parentOp?.locRef ?? unknownLoc(b.ctx);
}

/** A new block at the end of `region`, of the region of the insertion point by default; ops go there, the location stays. */
export function createBlock(b: Builder, region: Region = b.block!.region!, argumentTypes: readonly Type[] = []): Block {
  const block = region.addBlock();
  for (const type of argumentTypes) block.addArgument(type, unknownLoc(b.ctx));
  b.setEnd(block);
  return block;
}
