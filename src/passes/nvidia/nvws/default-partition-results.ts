/**
 * Scalars that a warp-specialized loop computes for the code after it are computed by the default partition too, with all that they need.
 * Source: third_party/nvidia/lib/Dialect/NVWS/Transforms/AssignStagePhase.cpp, visitBackwardSlice.
 */

import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { ReduceOp } from "../../../dialects/tt/ops/reduce.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { WARP_SPECIALIZE } from "../../ttg/fuse-nested-loops/fuse-one-level.js";
import { findAncestorInBlock } from "../../ttg/software-pipelining/pipelined-loops.js";
import {
  getPartitionIds,
  getPartitionOutputs,
  isOutsideOfPartitions,
  setPartition,
  setPartitionOutputs,
} from "../automatic-warp-specialization/partition.js";
import { loopsToSpecialize } from "../automatic-warp-specialization/partition-scheduling.js";
import { refuse } from "../not-specializable.js";
import { isScalar } from "./consumers.js";

/** The partition whose results are those of the whole. */
const DEFAULT = 0;

export function assignDefaultPartitionToResults(root: Operation): void {
  for (const loop of loopsToSpecialize(root)) {
    const seen = new Set<Value>();
    for (const result of loop.op.results) {
      if (!isScalar(result) || !result.users().some(isOutsideOfPartitions)) continue;
      addToOutput(result);
      addBackwardSlice(loop, loop.region.firstBlock!.lastOp!.operand(result.index), seen);
    }
  }
}
function addToOutput({ definingOp: op, index }: Value): void {
  const outputs = getPartitionOutputs(op!);
  outputs[index]!.add(DEFAULT);
  setPartition(op!, getPartitionIds(op!).add(DEFAULT));
  setPartitionOutputs(op!, outputs);
}

function addBackwardSlice(loop: ForView, first: Value, seen: Set<Value>): void {
  const work = [first];
  for (let value = work.pop(); value; value = work.pop()) {
    if (seen.has(value)) continue;
    seen.add(value);
    const op = value.definingOp;
    if (!op) {
      const around = value.argOwner!.parentOp!;
      if (!ForOp.is(around) || around.hasAttr(WARP_SPECIALIZE)) continue;
      if (value.index === 0) refuse(around, "a result of the warp-specialized loop depends on the counter of an inner one");
      work.push(around.operand(value.index + 2));
    } else if (IfOp.is(op) || ForOp.is(op)) {
      addToOutput(value);
      for (const region of op.regions) if (!region.empty) work.push(region.firstBlock!.lastOp!.operand(value.index));
      // The condition, or the bounds and the step.
      work.push(...op.operands.slice(0, IfOp.is(op) ? 1 : 3));
    } else if (findAncestorInBlock(loop.region.firstBlock!, op)) {
      if (!YieldOp.is(op) && !ReduceOp.is(op)) setPartition(op, getPartitionIds(op).add(DEFAULT));
      work.push(...op.operands);
    }
  }
}
