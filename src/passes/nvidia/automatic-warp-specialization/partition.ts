/**
 * Which groups of warps run which ops of a warp-specialized loop. Ops say so by attributes:
 *
 *     scf.for ... {
 *       %0 = tt.descriptor_load ... {ttg.partition = array<i32: 2>}
 *       %1 = ttng.tc_gen5_mma ... {ttg.partition = array<i32: 1>}
 *     } {ttg.partition = array<i32: 1, 2>, ttg.partition.outputs = [array<i32: 1>], ttg.partition.stages = [0, 1, 0], ttg.warp_specialize.tag = 0}
 *
 * Source: lib/Dialect/TritonGPU/Transforms/WarpSpecialization/Partition.cpp; lib/Dialect/TritonGPU/IR/Dialect.cpp.
 */

import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { PARTITION, PARTITION_OUTPUTS } from "../../../dialects/ttg/verify-attr.js";
import { ArrayAttr, arrayAttr, i32ArrayAttr, i32Attr, intOf, intsOf } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import {
  bodyOf,
  findAncestorInBlock,
  LOOP_CLUSTER,
  LOOP_STAGE,
  visitNestedOperands,
} from "../../ttg/software-pipelining/pipelined-loops.js";
import { refuse } from "../not-specializable.js";

/** The stages of a loop's partitions; its length is their number. */
export const PARTITION_STAGES = "ttg.partition.stages";
/** The number of the warp-specialized loop that an op outside of it belongs to. */
export const WARP_SPECIALIZE_TAG = "ttg.warp_specialize.tag";

/** Numbers of partitions, in the order of insertion. */
export type PartitionIds = ReadonlySet<number>;

export const hasPartition = (op: Operation | undefined): boolean => op?.hasAttr(PARTITION) ?? false;
/** The partitions of an op, ascending. */
export function getPartitionIds(op: Operation): Set<number> {
  const ids = intsOf(op.attr(PARTITION)) ?? refuse(op, "the op belongs to no partition of the warp-specialized loop");
  return new Set([...ids].sort((a, b) => a - b));
}
/** For each result of an op with regions: the partitions that need it. */
export function getPartitionOutputs(op: Operation): Set<number>[] {
  if (op.numResults === 0) return [];
  const outputs = op.attr(PARTITION_OUTPUTS);
  if (!ArrayAttr.is(outputs)) return refuse(op, "it is not known which partitions need the op's results");
  return outputs.params.elements.map((ids) => new Set(intsOf(ids)));
}
/** The partitions that a value is used by. */
export function partitionIdsOfUse({ owner, index }: OpOperand): Set<number> {
  if (YieldOp.is(owner)) return getPartitionOutputs(owner.parentOp!)[index]!;
  if (ForOp.is(owner) && index >= 3) return getPartitionOutputs(owner)[index - 3]!;
  return getPartitionIds(owner);
}

const idsAttr = (op: Operation, ids: Iterable<number>): ReturnType<typeof i32ArrayAttr> =>
  i32ArrayAttr(
    op.ctx,
    [...ids].sort((a, b) => a - b),
  );
/** Gives an op to partitions; the ends of its regions as well. */
export function setPartition(op: Operation, ids: Iterable<number>): void {
  const attr = idsAttr(op, ids);
  op.setAttr(PARTITION, attr);
  for (const region of op.regions) for (const block of region.blocks()) block.lastOp!.setAttr(PARTITION, attr);
}
/** Says for each result of an op with regions which partitions need it. */
export function setPartitionOutputs(op: Operation, outputs: readonly PartitionIds[]): void {
  if (outputs.length === 0) return op.removeAttr(PARTITION_OUTPUTS);
  op.setAttr(
    PARTITION_OUTPUTS,
    arrayAttr(
      op.ctx,
      outputs.map((ids) => idsAttr(op, ids)),
    ),
  );
}
/** Adds all of `more` to `ids`. */
export function insertAll(ids: Set<number>, more: Iterable<number>): Set<number> {
  for (const id of more) ids.add(id);
  return ids;
}

export const getWarpSpecializeTag = (op: Operation): number | undefined => intOf(op.attr(WARP_SPECIALIZE_TAG));
export const setWarpSpecializeTag = (op: Operation, tag: number): void => op.setAttr(WARP_SPECIALIZE_TAG, i32Attr(op.ctx, tag));

/** Whether a user of a loop's result runs outside of its partitions. */
export const isOutsideOfPartitions = (user: Operation): boolean =>
  !hasPartition(user) || (ForOp.is(user) && getWarpSpecializeTag(user) !== undefined);

/** The place of an op in its loop's schedule. */
export interface StageCluster {
  readonly stage: number;
  readonly cluster: number;
}
export function getStageCluster(op: Operation | undefined): StageCluster | undefined {
  const [stage, cluster] = [intOf(op?.attr(LOOP_STAGE)), intOf(op?.attr(LOOP_CLUSTER))];
  return stage === undefined || cluster === undefined ? undefined : { stage, cluster };
}
/** Sets an op's place in its loop's schedule; undefined changes nothing. */
export function setStageCluster(op: Operation, place: StageCluster | undefined): void {
  if (!place) return;
  op.setAttr(LOOP_STAGE, i32Attr(op.ctx, place.stage));
  op.setAttr(LOOP_CLUSTER, i32Attr(op.ctx, place.cluster));
}

/** Gives an op to partitions, in the schedule too, if there are partitions. */
export function place<T extends { readonly op: Operation }>(view: T, ids: Iterable<number> | undefined, at: StageCluster | undefined): T {
  if (!ids) return view;
  setPartition(view.op, ids);
  setStageCluster(view.op, at);
  return view;
}

/** One group of warps. `stage` says how far its results are ahead of those who use them. */
export interface Partition {
  readonly index: number;
  readonly stage: number;
  /** In the order in which they were given to it; an op may come twice. */
  readonly ops: Operation[];
}
export const isIn = (partition: Partition, op: Operation): boolean => hasPartition(op) && getPartitionIds(op).has(partition.index);
/** Gives an op to one partition, which remembers it. */
export function assign(op: Operation, partition: Partition): void {
  setPartition(op, [partition.index]);
  partition.ops.push(op);
}
export function addPartition(partitions: Partition[], stage: number): Partition {
  const partition: Partition = { index: partitions.length, stage, ops: [] };
  partitions.push(partition);
  return partition;
}

/** The partitions that a loop's attributes describe; undefined when it has none. */
export function partitionsOf(loop: ForView): Partition[] | undefined {
  const stages = loop.op.attr(PARTITION_STAGES);
  if (!ArrayAttr.is(stages) || getWarpSpecializeTag(loop.op) === undefined) return undefined;
  const partitions: Partition[] = [];
  for (const attr of stages.params.elements) {
    const stage = intOf(attr) ?? -1;
    if (stage < 0) refuse(loop.op, `partition stages attribute '${PARTITION_STAGES}' has an invalid element`);
    addPartition(partitions, stage);
  }
  const addOp = (op: Operation): void => {
    for (const id of getPartitionIds(op)) (partitions[id] ?? refuse(op, `invalid partition index ${id}`)).ops.push(op);
  };
  if (!loop.op.ctx.triton.dividesByFlow) for (const op of bodyOf(loop).opsWithoutTerminator()) addOp(op);
  else loop.op.walkPostOrder((op) => void (hasPartition(op) && addOp(op)));
  return partitions;
}

/** The op that computes a value, through carried values, and how many rounds before; undefined when it is none of the loop's. */
export function getDefinitionAndDistance(loop: ForView, value: Value): { readonly def: Value; readonly distance: number } | undefined {
  const body = bodyOf(loop);
  const seen = new Set<Value>();
  let def = value;
  let distance = 0;
  while (!def.definingOp) {
    if (def.argOwner !== body || def.index === 0) return undefined;
    distance++;
    def = body.lastOp!.operand(def.index - 1);
    if (seen.has(def)) return undefined;
    seen.add(def);
  }
  return { def, distance };
}

/** The results of the loop's body that come to a partition from others or from a round before. One may come several times. */
export function iterateDefs(loop: ForView, partition: Partition, visit: (def: Value) => void): void {
  const body = bodyOf(loop);
  for (const op of partition.ops)
    visitNestedOperands(op, ({ value }) => {
      if (value.parentBlock !== body || value === body.args[0]) return;
      if (value.definingOp && isIn(partition, value.definingOp)) return;
      const found = getDefinitionAndDistance(loop, value);
      if (found?.def.parentBlock === body) visit(found.def);
    });
}
/** The uses of a partition's results by others or by a later round; `owner` is the op of the loop's body around. */
export function iterateOutputs(loop: ForView, partition: Partition, visit: (owner: Operation, use: OpOperand) => void): void {
  const body = bodyOf(loop);
  for (const op of partition.ops)
    for (const result of op.results)
      for (const use of result.uses()) {
        const owner = findAncestorInBlock(body, use.owner);
        if (owner && (YieldOp.is(owner) || !isIn(partition, owner))) visit(owner, use);
      }
}
/** The ops that use a partition's results, also through carried values in later rounds: the last found first. */
export function iterateUses(loop: ForView, partition: Partition, visit: (output: Value, use: OpOperand, distance: number) => void): void {
  const body = bodyOf(loop);
  const work: { readonly output: Value; readonly use: OpOperand; readonly distance: number }[] = [];
  iterateOutputs(loop, partition, (_, use) => work.push({ output: use.value, use, distance: 0 }));
  const seen = new Set<OpOperand>();
  for (let item = work.pop(); item; item = work.pop()) {
    const { output, use, distance } = item;
    const owner = findAncestorInBlock(body, use.owner);
    if (!owner) continue;
    if (!YieldOp.is(owner)) {
      visit(output, use, distance);
      continue;
    }
    // Upstream runs in circles where carried values take turns.
    if (distance > 0 && seen.has(use)) continue;
    if (distance > 0) seen.add(use);
    for (const further of body.args[use.index + 1]!.uses()) work.push({ output, use: further, distance: distance + 1 });
  }
}
