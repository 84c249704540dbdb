/** A copy of the loop's ops for each partition, with what it needs. Source: PartitionLoops.cpp, cloneOpsInBlock. */

import { buildFor, buildIf } from "../../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp, type IfView } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { ReduceOp } from "../../../dialects/tt/ops/reduce.js";
import { PARTITION, PARTITION_OUTPUTS } from "../../../dialects/ttg/verify-attr.js";
import type { Block } from "../../../ir/block.js";
import { cloneOperation, type Mapping } from "../../../ir/clone.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { bodyOf } from "../../ttg/software-pipelining/pipelined-loops.js";
import { refuse } from "../not-specializable.js";
import { getPartitionIds, getPartitionOutputs, PARTITION_STAGES } from "./partition.js";

/** Where the ops of a partition go, and what stands for the loop's values there. */
export interface PartitionBuilder {
  readonly index: number;
  readonly rw: Rewriter;
  readonly mapping: Mapping;
}
const buildersOf = (op: Operation, builders: readonly PartitionBuilder[]): PartitionBuilder[] =>
  [...getPartitionIds(op)].map((id) => builders[id] ?? refuse(op, `invalid partition index ${id}`));

/** The numbers of the results that a partition needs. */
function neededBy(op: Operation, index: number): number[] {
  return getPartitionOutputs(op).flatMap((ids, i) => (ids.has(index) ? [i] : []));
}

export function cloneIntoPartitions(op: Operation, builders: readonly PartitionBuilder[]): void {
  if (op.regions.length > 0) refuse(op, "an op with a region of this kind cannot go to partitions");
  for (const { rw, mapping } of buildersOf(op, builders)) rw.clone(op, mapping);
}

export function cloneLoop(loop: ForView, builders: readonly PartitionBuilder[]): void {
  const { op, initArgs } = loop;
  const body = bodyOf(loop);
  const copies = buildersOf(op, builders).map((builder) => {
    const { rw, mapping, index } = builder;
    const needed = neededBy(op, index);
    const [lowerBound, upperBound, step] = [loop.lowerBound, loop.upperBound, loop.step].map((value) => mapping.get(value)) as [
      Value,
      Value,
      Value,
    ];
    const parts = { lowerBound, upperBound, step, initArgs: needed.map((i) => mapping.get(initArgs[i]!)) };
    const copy = rw.from(op, () => buildFor(rw.builder, parts, { loc: op.locRef }));
    copy.op.setAttrs(op.attrs);
    copy.op.removeAttr(PARTITION_OUTPUTS);
    const { args } = bodyOf(copy);
    mapping.map(body.args[0]!, args[0]!);
    needed.forEach((from, to) => void mapping.map(body.args[from + 1]!, args[to + 1]!).map(op.result(from), copy.op.result(to)));
    rw.setStart(bodyOf(copy));
    return { rw, copy: copy.op };
  });
  cloneBlock(body, builders);
  for (const { rw, copy } of copies) {
    rw.setAfter(copy);
    copy.walkPostOrder((nested) => void nested.removeAttr(PARTITION));
    copy.removeAttr(PARTITION_STAGES);
  }
}

function cloneIf({ op, condition, thenRegion, elseRegion }: IfView, builders: readonly PartitionBuilder[]): void {
  const copies = buildersOf(op, builders).map(({ rw, mapping, index }) => {
    const needed = neededBy(op, index);
    const types = needed.map((i) => op.result(i).type);
    const copy = rw.from(op, () => buildIf(rw.builder, types, mapping.get(condition), !elseRegion.empty, { loc: op.locRef }));
    copy.op.setAttrs(op.attrs);
    copy.op.removeAttr(PARTITION_OUTPUTS);
    needed.forEach((from, to) => void mapping.map(op.result(from), copy.op.result(to)));
    return { rw, copy };
  });
  for (const { rw, copy } of copies) rw.setStart(copy.thenRegion.firstBlock!);
  cloneBlock(thenRegion.firstBlock!, builders);
  if (!elseRegion.empty) {
    for (const { rw, copy } of copies) rw.setStart(copy.elseRegion.firstBlock!);
    cloneBlock(elseRegion.firstBlock!, builders);
  }
  for (const { rw, copy } of copies) rw.setAfter(copy);
}

function cloneReduce(op: Operation, builders: readonly PartitionBuilder[]): void {
  const block = op.regions[0]!.firstBlock!;
  const copies = buildersOf(op, builders).map(({ rw, mapping }) => {
    const copy = rw.insert(cloneOperation(op, mapping, { regions: false }));
    copy.removeAttr(PARTITION_OUTPUTS);
    const body = copy.regions[0]!.addBlock();
    for (const arg of block.args) mapping.map(arg, body.addArgument(arg.type, arg.argLoc!));
    rw.setStart(body);
    return { rw, copy };
  });
  cloneBlock(block, builders);
  for (const { rw, copy } of copies) rw.setAfter(copy);
}

function cloneBlock(block: Block, builders: readonly PartitionBuilder[]): void {
  for (const op of block.ops()) {
    const [loop, branch] = [ForOp.match(op), IfOp.match(op)];
    if (loop) cloneLoop(loop, builders);
    else if (branch) cloneIf(branch, builders);
    else if (ReduceOp.is(op)) cloneReduce(op, builders);
    else if (YieldOp.is(op)) cloneYield(op, builders);
    else cloneIntoPartitions(op, builders);
  }
}
function cloneYield(op: Operation, builders: readonly PartitionBuilder[]): void {
  if (op.numOperands === 0) return;
  for (const { rw, mapping, index } of buildersOf(op, builders)) {
    const results = neededBy(op.parentOp!, index).map((i) => mapping.get(op.operand(i)));
    // Loops and branches without results have their ends already.
    if (results.length > 0) rw.from(op, () => rw.create(YieldOp, { results }, { loc: op.locRef }));
  }
}
