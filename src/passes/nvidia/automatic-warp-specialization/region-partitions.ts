/**
 * Ops with regions are run by all partitions that run something in them; which of these need a result is said for each result.
 * Source: lib/Dialect/TritonGPU/Transforms/WarpSpecialization/PartitionScheduling.cpp, assignRegionBodyPartition, assignRegionOpPartitions.
 */

import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp, type IfView } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { ReduceOp, ReduceReturnOp } from "../../../dialects/tt/ops/reduce.js";
import { AsyncTokenType } from "../../../dialects/ttg/types.js";
import { PARTITION } from "../../../dialects/ttg/verify-attr.js";
import type { Block } from "../../../ir/block.js";
import type { Operation } from "../../../ir/operation.js";
import { bodyOf, findAncestorInBlock } from "../../ttg/software-pipelining/pipelined-loops.js";
import { refuse } from "../not-specializable.js";
import {
  getPartitionIds,
  getPartitionOutputs,
  hasPartition,
  insertAll,
  type Partition,
  type PartitionIds,
  setPartition,
  setPartitionOutputs,
} from "./partition.js";

/** Assigns ops nested in an op of a partition to that partition. The ops around get theirs later, from the ops in them. */
export function assignRegionBodies(loop: ForView, partitions: readonly Partition[]): void {
  loop.op.walkPostOrder((op) => {
    if (YieldOp.is(op) || ForOp.is(op) || hasPartition(op)) return;
    const around = findAncestorInBlock(bodyOf(ForOp.match(op.parentOfType(ForOp)!)!), op)!;
    if (!hasPartition(around)) return;
    const ids = getPartitionIds(around);
    for (const id of ids) partitions[id]!.ops.push(op);
    setPartition(op, ids);
  });
  loop.op.walkPostOrder((op) => void (!ForOp.is(op) && op.regions.length > 0 && op.removeAttr(PARTITION)));
}

export function assignRegionOps(loop: ForView): void {
  assignSingleRegionOp(loop.op);
  // Ops that only have an effect, such as an assumption, run where their branch does.
  loop.op.walkPostOrder((op) => {
    if (op.numResults > 0 || hasPartition(op) || op.regions.length > 0 || YieldOp.is(op) || ReduceReturnOp.is(op)) return;
    setPartition(op, getPartitionIds(op.parentOp!));
  });
}

function assignSingleRegionOp(op: Operation): PartitionIds {
  const block = op.regions[0]!.firstBlock!;
  return setOutputs(op, partitionsOfBlock(block), partitionsOfYield(block));
}
function setOutputs(op: Operation, ids: Set<number>, outputs: readonly PartitionIds[]): PartitionIds {
  for (const output of outputs) insertAll(ids, output);
  setPartition(op, ids);
  setPartitionOutputs(op, outputs);
  return ids;
}

function partitionsOfBlock(block: Block): Set<number> {
  const ids = new Set<number>();
  for (const op of block.opsWithoutTerminator()) {
    const branch = IfOp.match(op);
    if (branch) insertAll(ids, assignIf(branch));
    else if (ForOp.is(op) || ReduceOp.is(op)) insertAll(ids, assignSingleRegionOp(op));
    else if (hasPartition(op)) insertAll(ids, getPartitionIds(op));
  }
  return ids;
}

/** For each value that a block hands on: the partitions that compute it, or else those that use it in the block. */
function partitionsOfYield(block: Block): Set<number>[] {
  return block.lastOp!.operandUses.map(({ value, index }) => {
    let op = value.definingOp;
    if (ForOp.is(block.parentOp!) && AsyncTokenType.is(value.type)) {
      // A token goes to who uses it in the next round.
      const carried = block.args[index + 1]!;
      if (!carried.hasOneUse()) refuse(block.parentOp!, "a token that the loop carries has no use or several");
      op = carried.firstUse!.owner;
    }
    if (!op) return new Set();
    if (op.regions.length > 0) {
      if (value.definingOp !== op) refuse(op, "a token that the loop carries is not the op's result");
      return getPartitionOutputs(op)[value.index]!;
    }
    if (hasPartition(op)) return getPartitionIds(op);
    const ids = new Set<number>();
    for (const user of op.results.flatMap((result) => result.users())) {
      const inBlock = findAncestorInBlock(block, user);
      if (inBlock && hasPartition(inBlock)) insertAll(ids, getPartitionIds(inBlock));
    }
    return ids;
  });
}

function assignIf({ op, thenRegion, elseRegion }: IfView): PartitionIds {
  const [thenBlock, elseBlock] = [thenRegion.firstBlock!, elseRegion.firstBlock];
  const ids = partitionsOfBlock(thenBlock);
  const ofThen = partitionsOfYield(thenBlock);
  if (!elseBlock) return setOutputs(op, ids, ofThen);
  insertAll(ids, partitionsOfBlock(elseBlock));
  const ofElse = partitionsOfYield(elseBlock);
  const outputs = ofThen.map((thenIds, i) => {
    const [thenValue, elseValue] = [thenBlock.lastOp!.operand(i), elseBlock.lastOp!.operand(i)];
    const elseIds = ofElse[i]!;
    if (AsyncTokenType.is(thenValue.type)) {
      if (!thenValue.definingOp) refuse(op, "a branch hands on a token that the loop carries");
      // A token is its producer's; what is made in the branch is released by the other side.
      return findAncestorInBlock(thenBlock, thenValue.definingOp) ? elseIds : thenIds;
    }
    if (thenValue.definingOp?.block === thenBlock) return thenIds;
    if (elseValue.definingOp?.block === elseBlock) return elseIds;
    return thenIds.size > 0 ? thenIds : elseIds;
  });
  return setOutputs(op, ids, outputs);
}
