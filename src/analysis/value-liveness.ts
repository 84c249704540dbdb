/**
 * From which op to which op a value lives. Ops are numbered in post-order, so that an op comes after what is nested in it, and a value
 * from outside that a loop body uses lives until the loop ends:
 *
 *     %a = ...                       // 0
 *     scf.for { use(%a)  scf.yield } // 1, 2, and 3 for the loop: %a lives in [0, 4)
 *
 * Where loops are blocks, it lives through all blocks from which a use can be reached.
 * Source: mlir/lib/Analysis/Liveness.cpp, resolveLiveness.
 */
import type { Block } from "../ir/block.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";

/** [start, end) in numbers of ops. */
export interface LiveRange {
  readonly start: number;
  readonly end: number;
}
export function rangesIntersect(a: LiveRange, b: LiveRange): boolean {
  return a.start < b.end && b.start < a.end;
}

/** The number of each op under `root`, itself included: post-order. */
export function numberOps(root: Operation): ReadonlyMap<Operation, number> {
  const ids = new Map<Operation, number>();
  root.walkPostOrder((op) => void ids.set(op, ids.size));
  return ids;
}

/** Where a value defined under the numbered root lives. */
export function liveRange(value: Value, ids: ReadonlyMap<Operation, number>): LiveRange {
  let start = Infinity;
  let end = -Infinity;
  for (const { first, last } of liveStretches(value)) {
    start = Math.min(start, ids.get(first)!);
    end = Math.max(end, ids.get(last)! + 1);
  }
  return { start, end };
}
/** Does the value live at an op, in the op's own block? */
export const isAliveAt = (value: Value, op: Operation): boolean =>
  liveStretches(value).some(
    ({ first, last }) =>
      first.block === op.block && !(op !== first && op.isBeforeInBlock(first)) && !(op !== last && last.isBeforeInBlock(op)),
  );

/** By block, the first and the last op between which a value lives. */
function liveStretches(value: Value): { readonly first: Operation; readonly last: Operation }[] {
  const home = value.parentBlock!;
  const users = value.users();
  const liveIn = liveInBlocks(home, users);
  const stretches: { readonly first: Operation; readonly last: Operation }[] = [];
  const visited = new Set<Block>([home, ...users.map((user) => user.block!)]);
  // The loop also visits the blocks that it adds.
  for (const block of visited) {
    const first = (block === home ? value.definingOp : undefined) ?? block.firstOp!;
    const liveOut = block.successors().some((next) => liveIn.has(next)) || escapes(block, home, users);
    stretches.push({ first, last: liveOut ? block.lastOp! : lastUser(block, first, users) });
    for (const next of block.successors()) if (liveIn.has(next)) visited.add(next);
  }
  return stretches;
}

/** The blocks at whose start the value is alive: those from which a use is reached before its definition. */
function liveInBlocks(home: Block, users: readonly Operation[]): ReadonlySet<Block> {
  const live = new Set<Block>();
  for (const user of users) {
    // The value is used in each block around the use, up to its own region.
    for (let block: Block | null = user.block; block && block !== home; block = block.parentOp?.block ?? null) {
      live.add(block);
      if (block.region === home.region) break;
    }
  }
  for (const block of live) for (const before of block.predecessors()) if (before !== home) live.add(before);
  return live;
}

/** Is the value defined here and used in another block of the same region? */
function escapes(block: Block, home: Block, users: readonly Operation[]): boolean {
  return block === home && users.some((user) => ancestorIn(block, user) === undefined);
}
function lastUser(block: Block, first: Operation, users: readonly Operation[]): Operation {
  let last = first;
  for (const user of users) {
    const here = ancestorIn(block, user);
    if (here && last.isBeforeInBlock(here)) last = here;
  }
  return last;
}
/** The op of the block that an op is, or is nested in. */
function ancestorIn(block: Block, op: Operation): Operation | undefined {
  let at: Operation | null = op;
  while (at && at.block !== block) at = at.parentOp;
  return at ?? undefined;
}
