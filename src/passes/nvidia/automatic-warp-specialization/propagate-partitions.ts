/**
 * Gives the ops between partitions to one of them, or copies them to both.
 * Source: lib/Dialect/TritonGPU/Transforms/WarpSpecialization/PartitionScheduling.cpp, propagatePartitions, optimizePartitions.
 */

import { topologicalSort } from "../../../analysis/slices.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { BroadcastOp, ExpandDimsOp } from "../../../dialects/tt/ops/shape.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { bodyOf, findAncestorInBlock } from "../../ttg/software-pipelining/pipelined-loops.js";
import { refuse } from "../not-specializable.js";
import { definitionsOf, hasDefPartition } from "./initial-partitions.js";
import { assign, getPartitionIds, hasPartition, iterateDefs, iterateOutputs, iterateUses, type Partition } from "./partition.js";

/** Neighbouring ops without a partition that something of a partition leads to. */
interface Cluster {
  readonly ops: Set<Operation>;
  /** From where their operands come. */
  readonly defPartitions: Set<Partition>;
  /** Where their results are used. */
  readonly sinkPartitions: Set<Partition>;
}

export function propagatePartitions(rw: Rewriter, loop: ForView, partitions: readonly Partition[]): void {
  for (const cluster of clustersOf(loop, partitions)) {
    const [defPartition] = cluster.defPartitions;
    const [first] = cluster.ops;
    if (!first) continue;
    if (!defPartition) refuse(first, "the op is between partitions but uses nothing of them");
    const [sinkPartition] = cluster.sinkPartitions;
    // Without a sink the results come around to where they are from.
    const path = sinkPartition && criticalPath(loop, cluster, sinkPartition);
    if (path && path.size < cluster.ops.size) copyToSink(rw, path, sinkPartition!);
    for (const op of cluster.ops) assign(op, defPartition!);
  }
}

function clustersOf(loop: ForView, partitions: readonly Partition[]): readonly Cluster[] {
  const all: Cluster[] = [];
  const clusterOf = new Map<Operation, Cluster>();
  const getOrCreate = (op: Operation): Cluster => {
    let cluster = clusterOf.get(op);
    if (!cluster) {
      cluster = { ops: new Set([op]), defPartitions: new Set(), sinkPartitions: new Set() };
      clusterOf.set(op, cluster);
      all.push(cluster);
    }
    return cluster;
  };
  for (const partition of partitions) {
    iterateDefs(loop, partition, ({ definingOp }) => {
      if (!hasPartition(definingOp) && hasDefPartition(loop, definingOp!, partitions))
        getOrCreate(definingOp!).sinkPartitions.add(partition);
    });
    iterateUses(loop, partition, (_, use) => {
      const user = findAncestorInBlock(bodyOf(loop), use.owner)!;
      if (!hasPartition(user)) getOrCreate(user).defPartitions.add(partition);
    });
  }
  const work = [...clusterOf.keys()];
  for (let op = work.pop(); op; op = work.pop()) {
    const cluster = clusterOf.get(op)!;
    const add = (neighbour: Operation): void => {
      clusterOf.set(neighbour, cluster);
      cluster.ops.add(neighbour);
      work.push(neighbour);
    };
    for (const def of definitionsOf(loop, op)) {
      if (hasPartition(def)) for (const id of getPartitionIds(def)) cluster.defPartitions.add(partitions[id]!);
      else if (hasDefPartition(loop, def, partitions)) {
        const other = clusterOf.get(def);
        if (!other) add(def);
        else if (other !== cluster) {
          for (const moved of other.ops) clusterOf.set(moved, cluster);
          move(other.ops, cluster.ops);
          move(other.defPartitions, cluster.defPartitions);
          move(other.sinkPartitions, cluster.sinkPartitions);
        }
      }
    }
    for (const user of usersInLoop(loop, op)) {
      if (hasPartition(user)) for (const id of getPartitionIds(user)) cluster.sinkPartitions.add(partitions[id]!);
      // A user that is in another cluster brings the two together itself.
      else if (!clusterOf.has(user)) add(user);
    }
  }
  return all;
}
function move<T>(from: Set<T>, to: Set<T>): void {
  for (const item of from) to.add(item);
  from.clear();
}

/** The ops of the body that use an op's results, also in later rounds. */
function usersInLoop(loop: ForView, root: Operation): Operation[] {
  const body = bodyOf(loop);
  const users: Operation[] = [];
  const work = root.results.flatMap((result) => [...result.uses()]);
  const seen = new Set<OpOperand>(work);
  for (let use = work.pop(); use; use = work.pop()) {
    const owner = findAncestorInBlock(body, use.owner)!;
    if (!YieldOp.is(owner)) users.push(owner);
    else
      for (const further of body.args[use.index + 1]!.uses())
        if (!seen.has(further)) {
          seen.add(further);
          work.push(further);
        }
  }
  return users;
}

/** The ops of a cluster that lead to its sink. */
function criticalPath(loop: ForView, cluster: Cluster, sink: Partition): Set<Operation> {
  const path = new Set<Operation>();
  const add = (op: Operation): void => void (cluster.ops.has(op) && path.add(op));
  iterateDefs(loop, sink, ({ definingOp }) => add(definingOp!));
  for (const op of path) definitionsOf(loop, op).forEach(add);
  return path;
}

/** The sink computes what leads to it again; what is left of the cluster then may be dead. */
function copyToSink(rw: Rewriter, path: ReadonlySet<Operation>, sink: Partition): void {
  const sinkOps = new Set(sink.ops);
  for (const op of topologicalSort([...path]).reverse()) {
    const copy = rw.setBefore(op).clone(op);
    op.results.forEach((result, i) => void rw.replaceUsesWhere(result, copy.result(i), ({ owner }) => sinkOps.has(owner)));
    sinkOps.add(copy);
    assign(copy, sink);
  }
}

/** Where another partition uses a broadcast, it broadcasts itself: less goes from one to the other. */
export function rematerializeBroadcasts(rw: Rewriter, loop: ForView, partitions: readonly Partition[]): void {
  for (const partition of partitions) {
    const uses: OpOperand[] = [];
    iterateOutputs(loop, partition, (_, use) => void (YieldOp.is(use.owner) || uses.push(use)));
    for (const use of uses) rematerialize(rw, partitions, use);
  }
}
function rematerialize(rw: Rewriter, partitions: readonly Partition[], first: OpOperand): void {
  let use = first;
  for (let def = use.value.definingOp; def && (BroadcastOp.is(def) || ExpandDimsOp.is(def)); def = use.value.definingOp) {
    const copy = rw.setBefore(def).clone(def);
    for (const id of getPartitionIds(use.owner)) assign(copy, partitions[id]!);
    use.set(copy.result(0));
    use = copy.operandUses[0]!;
  }
}
