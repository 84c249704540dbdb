/**
 * Removes what cannot run or is not used: unreachable blocks, dead ops and block arguments, blocks that do the same as
 * another, arguments that are the same from everywhere.
 * Source: mlir/lib/Transforms/Utils/RegionUtils.cpp.
 */
import type { Block } from "../ir/block.js";
import { reversePostOrder } from "../ir/dominance.js";
import { BranchOp, wouldOpBeTriviallyDead } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import type { OpOperand, Value } from "../ir/value.js";
import { setSuccessorOperands, successorOperands } from "./branch.js";
import { dropRedundantArguments, mergeIdenticalBlocks } from "./merge-blocks.js";
import type { Rewriter } from "./rewriter.js";

/** All of the simplifications, nested regions included. Returns whether something changed. */
export function simplifyRegions(rw: Rewriter, regions: readonly Region[], mergeBlocks: boolean): boolean {
  let changed = eraseUnreachableBlocks(rw, regions);
  if (runRegionDce(rw, regions)) changed = true;
  if (mergeBlocks) {
    if (mergeIdenticalBlocks(rw, regions)) changed = true;
    if (dropRedundantArguments(rw, regions)) changed = true;
  }
  return changed;
}

/** Erases blocks that control cannot reach. */
export function eraseUnreachableBlocks(rw: Rewriter, regions: readonly Region[]): boolean {
  let erased = false;
  const worklist = [...regions];
  for (let region = worklist.pop(); region; region = worklist.pop()) {
    const reachable = region.empty || region.hasOneBlock ? undefined : new Set(reversePostOrder(region));
    for (const block of region.blocks()) {
      if (reachable && !reachable.has(block)) {
        dropDefinedUses(block);
        rw.eraseBlock(block);
        erased = true;
        continue;
      }
      for (let op = block.firstOp; op; op = op.next) if (op.regions.length > 0) worklist.push(...op.regions);
    }
  }
  return erased;
}

/** Unlinks all uses of what a block defines and of the block itself: for code that goes anyway. */
function dropDefinedUses(block: Block): void {
  for (const arg of block.args) dropUses(arg);
  for (let op = block.firstOp; op; op = op.next) for (const result of op.results) dropUses(result);
  while (block.firstUse) block.firstUse.unlink();
}
function dropUses(value: Value): void {
  while (value.firstUse) value.firstUse.unlink();
}

// --- dead code --------------------------------------------------------------------------------

/** Erases ops and block arguments that nothing live needs, cycles of them included. */
export function runRegionDce(rw: Rewriter, regions: readonly Region[]): boolean {
  if (regions.every(isAllUsed)) return false;
  const live = new Liveness();
  do {
    live.changed = false;
    for (const region of regions) live.region(region);
  } while (live.changed);
  return deleteDead(rw, regions, live);
}

/**
 * Whether every op is used or has effects, and no block but entries has arguments. Then uses have no cycles, so each
 * chain of them ends at an op with effects and all are live: the usual case, found without keeping sets.
 */
function isAllUsed(region: Region): boolean {
  for (let block = region.firstBlock; block; block = block.next) {
    if (block !== region.firstBlock && block.args.length > 0) return false;
    for (let op = block.firstOp; op; op = op.next) {
      if (!op.isUsed() && wouldOpBeTriviallyDead(op)) return false;
      if (op.regions.length > 0 && !op.regions.every(isAllUsed)) return false;
    }
  }
  return true;
}

let lastMark = 0;

/** The ops and arguments proved live so far: everything starts dead. */
class Liveness {
  changed = false;
  /** The mark on live ops: a set of all ops of a kernel takes longer than all the rest. */
  readonly #mark = ++lastMark;
  readonly #args = new Set<Value>();

  isLive(op: Operation): boolean {
    return op.liveMark === this.#mark;
  }
  isArgLive(arg: Value): boolean {
    return this.#args.has(arg);
  }
  private markOp(op: Operation): void {
    if (this.isLive(op)) return;
    op.liveMark = this.#mark;
    this.changed = true;
  }
  private markArg(arg: Value): void {
    if (this.#args.has(arg)) return;
    this.#args.add(arg);
    this.changed = true;
  }

  region(region: Region): void {
    if (region.empty) return;
    const blocks = region.hasOneBlock ? [region.firstBlock!] : reversePostOrder(region).reverse();
    for (const block of blocks) {
      // Users before definitions, so that one round often does.
      for (let op = block.lastOp; op; op = op.prev) this.operation(op);
      if (block === region.firstBlock) continue;
      for (const arg of block.args) if (!this.isArgLive(arg) && this.hasLiveUse(arg)) this.markArg(arg);
    }
  }
  private operation(op: Operation): void {
    for (const region of op.regions) this.region(region);
    if (op.def.isTerminator) return this.terminator(op);
    if (!this.isLive(op) && (this.isNeeded(op) || !wouldOpBeTriviallyDead(op))) this.markOp(op);
  }
  private isNeeded({ results }: Operation): boolean {
    for (let i = 0; i < results.length; i++) if (this.hasLiveUse(results[i]!)) return true;
    return false;
  }
  private terminator(op: Operation): void {
    this.markOp(op);
    if (op.def.interface(BranchOp)) return;
    for (const successor of op.successors) for (const arg of successor.block.args) this.markArg(arg);
  }
  private hasLiveUse(value: Value): boolean {
    for (let use = value.firstUse; use; use = use.nextUse) if (this.isLive(use.owner) && !this.isKnownDead(use)) return true;
    return false;
  }
  /** Whether a branch hands the operand to a dead argument, and so does not use it. */
  private isKnownDead(use: OpOperand): boolean {
    const op = use.owner;
    if (!op.def.isTerminator) return false;
    const branch = op.def.interface(BranchOp);
    if (!branch) return false;
    for (let i = 0; i < op.successors.length; i++) {
      const { start, size } = branch.successorOperandRange(op, i);
      if (use.index >= start && use.index < start + size) return !this.isArgLive(op.successors[i]!.block.args[use.index - start]!);
    }
    return false;
  }
}

function deleteDead(rw: Rewriter, regions: readonly Region[], live: Liveness): boolean {
  let erased = false;
  for (const region of regions) {
    if (region.empty) continue;
    const one = region.hasOneBlock;
    for (const block of one ? [region.firstBlock!] : reversePostOrder(region).reverse()) {
      if (!one) eraseDeadSuccessorOperands(block.lastOp!, live);
      for (let op = block.lastOp; op; ) {
        const prev: Operation | null = op.prev;
        if (!live.isLive(op)) {
          erased = true;
          for (const result of op.results) dropUses(result);
          rw.erase(op);
        } else if (op.regions.length > 0 && deleteDead(rw, op.regions, live)) erased = true;
        op = prev;
      }
    }
    // The arguments of the entry block come from the op around it, so they stay.
    for (let block = region.firstBlock!.next; block; block = block.next)
      for (let i = block.args.length - 1; i >= 0; i--) if (!live.isArgLive(block.args[i]!)) block.eraseArgument(i);
  }
  return erased;
}

function eraseDeadSuccessorOperands(terminator: Operation, live: Liveness): void {
  if (!terminator.def.interface(BranchOp)) return;
  for (let i = terminator.successors.length - 1; i >= 0; i--) {
    const { args } = terminator.successors[i]!.block;
    const values = successorOperands(terminator, i);
    if (values.some((_, k) => !live.isArgLive(args[k]!)))
      setSuccessorOperands(
        terminator,
        i,
        values.filter((_, k) => live.isArgLive(args[k]!)),
      );
  }
}
