/**
 * Unites blocks of a region that do the same. Where they differ in values from outside, the one that stays gets an
 * argument. Source: mlir/lib/Transforms/Utils/RegionUtils.cpp, BlockMergeCluster.
 *
 *     ^bb1: return %x, %y     becomes   ^bb1(%v): return %v, %y     when both have the same successors
 *     ^bb2: return %z, %y
 */
import type { Block } from "../ir/block.js";
import { BranchOp } from "../ir/interfaces.js";
import type { BlockOperand, Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import type { Value } from "../ir/value.js";
import { setSuccessorOperands, successorOperands } from "./branch.js";
import { areEquivalentButOperands, hashOperation } from "./equivalence.js";
import type { Rewriter } from "./rewriter.js";

/** Merges identical blocks of the regions and of those nested in them. Returns whether there were any. */
export function mergeIdenticalBlocks(rw: Rewriter, regions: readonly Region[]): boolean {
  return overNested(regions, (region, again) => {
    if (!mergeIn(rw, region)) return false;
    again();
    return true;
  });
}

/** Uses a value directly where all branches to a block hand it the same one. */
export function dropRedundantArguments(rw: Rewriter, regions: readonly Region[]): boolean {
  return overNested(regions, (region) => {
    let changed = false;
    for (const block of region.blocks()) if (dropRedundantIn(rw, block)) changed = true;
    return changed;
  });
}

/** Visits regions and those nested in them, last first; `again` has the region visited once more. */
function overNested(regions: readonly Region[], visit: (region: Region, again: () => void) => boolean): boolean {
  const stack = [...regions];
  const pending = new Set(regions);
  const push = (region: Region): void => {
    if (pending.has(region)) return;
    pending.add(region);
    stack.push(region);
  };
  let changed = false;
  for (let region = stack.pop(); region; region = stack.pop()) {
    const current = region;
    pending.delete(current);
    if (visit(current, () => push(current))) changed = true;
    for (let block = current.firstBlock; block; block = block.next) for (let op = block.firstOp; op; op = op.next) op.regions.forEach(push);
  }
  return changed;
}

function mergeIn(rw: Rewriter, region: Region): boolean {
  if (region.empty || region.hasOneBlock) return false;
  const bySuccessors = new Map<string, Block[]>();
  for (let block = region.firstBlock!.next; block; block = block.next) {
    const key = block
      .successors()
      .map((b) => b.id)
      .join();
    const group = bySuccessors.get(key);
    if (group) group.push(block);
    else bySuccessors.set(key, [block]);
  }
  let changed = false;
  for (const blocks of bySuccessors.values()) {
    if (blocks.length === 1) continue;
    const clusters: Cluster[] = [];
    for (const block of blocks) {
      if (hasRegions(block) || block.args.some((arg) => isUsedOutside(arg, block))) continue;
      const shape = new BlockShape(block);
      if (!clusters.some((cluster) => cluster.add(shape))) clusters.push(new Cluster(shape));
    }
    for (const cluster of clusters) if (cluster.merge(rw)) changed = true;
  }
  return changed;
}
function hasRegions(block: Block): boolean {
  for (let op = block.firstOp; op; op = op.next) if (op.regions.some((r) => !r.empty)) return true;
  return false;
}
function isUsedOutside(value: Value, block: Block): boolean {
  for (let use = value.firstUse; use; use = use.nextUse) if (use.owner.block !== block) return true;
  return false;
}

/** A block with a hash of its ops and the position of each value it defines. */
class BlockShape {
  hash = 0;
  readonly #order = new Map<Value, number>();
  constructor(readonly block: Block) {
    for (const arg of block.args) this.#order.set(arg, this.#order.size);
    for (let op = block.firstOp; op; op = op.next) {
      for (const result of op.results) this.#order.set(result, this.#order.size);
      this.hash = (Math.imul(this.hash, 31) + hashOperation(op, false)) | 0;
    }
  }
  orderOf(value: Value): number {
    return this.#order.get(value)!;
  }
}

/** A block and those that can be merged into it. */
class Cluster {
  readonly #blocks: Block[] = [];
  /** Op and operand index at which they differ, in order. */
  readonly #differences = new Map<string, readonly [number, number]>();
  constructor(readonly leader: BlockShape) {}

  add(shape: BlockShape): boolean {
    const { leader } = this;
    const [left, right] = [leader.block, shape.block];
    if (leader.hash !== shape.hash || left.args.length !== right.args.length) return false;
    if (left.args.some((arg, i) => arg.type !== right.args[i]!.type)) return false;
    const differences: [number, number][] = [];
    let theirs = right.firstOp;
    let index = 0;
    for (let ours = left.firstOp; ours; ours = ours.next, index++) {
      if (!theirs || !areEquivalentButOperands(ours, theirs)) return false;
      for (let k = 0; k < ours.numOperands; k++) {
        const [a, b] = [ours.operand(k), theirs.operand(k)];
        if (a === b) continue;
        const inside = a.parentBlock === left;
        if (inside !== (b.parentBlock === right)) return false;
        if (inside) {
          if (leader.orderOf(a) !== shape.orderOf(b)) return false;
        } else if (!canBeHandedTo(left, a) || !canBeHandedTo(right, b)) return false;
        else differences.push([index, k]);
      }
      if (isAnyUsedOutside(theirs, right) || isAnyUsedOutside(ours, left)) return false;
      theirs = theirs.next;
    }
    if (theirs) return false;
    for (const difference of differences) this.#differences.set(difference.join(), difference);
    this.#blocks.push(right);
    return true;
  }

  merge(rw: Rewriter): boolean {
    if (this.#blocks.length === 0) return false;
    const leader = this.leader.block;
    const all = [leader, ...this.#blocks];
    if (this.#differences.size > 0) {
      if (!all.every(hasOnlyBranchPredecessors)) return false;
      const places = [...this.#differences.values()].sort(([a, i], [b, k]) => a - b || i - k);
      const ops = all.map((block) => [...block.ops()]);
      const oldArguments = leader.args.length;
      const values = ops.map((list) => places.map(([op, operand]) => list[op]!.operand(operand)));
      for (const [op, operand] of places) {
        const value = ops[0]![op]!.operand(operand);
        ops[0]![op]!.setOperand(operand, leader.addArgument(value.type, value.definingOp?.locRef ?? value.argLoc!));
      }
      const pruned = pruneRedundant(rw, values, oldArguments, leader);
      all.forEach((block, i) => {
        for (const use of blockUses(block))
          setSuccessorOperands(use.owner, use.index, [...successorOperands(use.owner, use.index), ...pruned[i]!]);
      });
    }
    for (const block of this.#blocks) {
      for (const use of blockUses(block)) use.set(leader);
      rw.eraseBlock(block);
    }
    return true;
  }
}

/** False for a value that the terminator of a predecessor defines: that terminator cannot hand it over. */
function canBeHandedTo(block: Block, value: Value): boolean {
  const home = value.parentBlock!;
  return value.definingOp === undefined || value.definingOp !== home.terminator || !block.predecessors().includes(home);
}
function isAnyUsedOutside(op: Operation, block: Block): boolean {
  return op.results.some((result) => isUsedOutside(result, block));
}
function hasOnlyBranchPredecessors(block: Block): boolean {
  return blockUses(block).every((use) => use.owner.def.interface(BranchOp) !== undefined);
}
function blockUses(block: Block): BlockOperand[] {
  const uses: BlockOperand[] = [];
  for (let use = block.firstUse; use; use = use.nextUse) uses.push(use);
  return uses;
}

/** Keeps the first of the new arguments that get the same value in every list. */
function pruneRedundant(rw: Rewriter, lists: readonly Value[][], oldArguments: number, block: Block): readonly Value[][] {
  const first = new Map<Value, number>();
  lists[0]!.forEach((value, i) => {
    if (!first.has(value)) first.set(value, i);
  });
  const replacedBy = new Map<number, number>();
  lists[0]!.forEach((value, j) => {
    const k = first.get(value)!;
    if (k !== j && lists.every((list) => list[k] === list[j])) replacedBy.set(j, k);
  });
  for (const [j, k] of replacedBy) rw.replaceAllUses(block.args[oldArguments + j]!, block.args[oldArguments + k]!);
  for (const j of [...replacedBy.keys()].reverse()) block.eraseArgument(oldArguments + j);
  return lists.map((list) => list.filter((_, j) => !replacedBy.has(j)));
}

function dropRedundantIn(rw: Rewriter, block: Block): boolean {
  const redundant: number[] = [];
  for (let i = 0; i < block.args.length; i++) {
    const value = commonValue(block, i);
    if (!value) continue;
    redundant.push(i);
    rw.replaceAllUses(block.args[i]!, value);
  }
  for (const i of redundant.reverse()) {
    block.eraseArgument(i);
    for (const use of blockUses(block))
      setSuccessorOperands(
        use.owner,
        use.index,
        successorOperands(use.owner, use.index).filter((_, k) => k !== i),
      );
  }
  return redundant.length > 0;
}
/** The value that every branch to `block` hands to argument `index`. */
function commonValue(block: Block, index: number): Value | undefined {
  let common: Value | undefined;
  for (const use of blockUses(block)) {
    if (!use.owner.def.interface(BranchOp)) return undefined;
    const value = successorOperands(use.owner, use.index)[index];
    if (common && value !== common) return undefined;
    common = value;
  }
  return common;
}
