/**
 * Ops that no partition claims run in every partition that needs them.
 * Source: lib/Dialect/TritonGPU/Transforms/WarpSpecialization/PartitionScheduling.cpp, assignMissingPartitions.
 */

import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { ReduceReturnOp } from "../../../dialects/tt/ops/reduce.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { isFloat, isInteger } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { refuse } from "../not-specializable.js";
import { getPartitionIds, hasPartition, insertAll, setPartition } from "./partition.js";

/** Upstream gives up after so many rounds: chains of more ops without a partition are refused. */
const MOST_ROUNDS = 99;

export function assignMissingPartitions(loop: ForView): void {
  loop.op.walkPostOrder((op) => void (TMEMAllocOp.is(op) && assignAccesses(op)));
  const ids = new Map<Operation, Set<number>>();
  const users = new Map<Operation, Iterable<Operation>>();
  loop.op.walkPostOrder((op) => {
    if (op.regions.length > 0) return;
    ids.set(op, hasPartition(op) ? getPartitionIds(op) : new Set());
    if (!hasPartition(op) && !YieldOp.is(op)) users.set(op, usersOf(op));
  });
  spread(loop, ids, users);
  // Scalars without users, as assumptions: they run where their operands are computed.
  const operands = new Map<Operation, Iterable<Operation>>();
  loop.op.walkPostOrder((op) => {
    if (hasPartition(op) || op.regions.length > 0 || YieldOp.is(op) || ReduceReturnOp.is(op)) return;
    if (op.resultTypes.every((type) => isInteger(type) || isFloat(type)))
      operands.set(op, new Set(op.operands.flatMap(({ definingOp }) => definingOp ?? [])));
  });
  spread(loop, ids, operands);
}

/** Loads and stores of tensor memory without a partition go with those that have one. */
function assignAccesses(alloc: Operation): void {
  let mma: number | undefined;
  let load: number | undefined;
  let store: number | undefined;
  let isAccessed = false;
  for (const user of alloc.result(0).users()) {
    const id = (known: number | undefined): number | undefined => (hasPartition(user) ? [...getPartitionIds(user)][0] : known);
    if (user.def.interface(MMAv5OpInterface)) mma = id(mma);
    else {
      isAccessed = true;
      if (TMEMStoreOp.is(user)) store = id(store);
      else if (TMEMLoadOp.is(user)) load = id(load);
      else refuse(user, "tensor memory of a warp-specialized loop is used through views");
    }
  }
  if (mma === undefined) refuse(alloc, "no partition multiplies with this tensor memory");
  if (!isAccessed) return;
  const id = load ?? store ?? refuse(alloc, "no partition loads or stores this tensor memory");
  if (load !== undefined && store !== undefined && load !== store) refuse(alloc, "different partitions load and store this tensor memory");
  for (const user of alloc.results.flatMap((result) => result.users()))
    if ((TMEMLoadOp.is(user) || TMEMStoreOp.is(user)) && !hasPartition(user)) setPartition(user, [id]);
}

/** The ops that use an op's results, through the ends of regions and what loops carry. */
function usersOf(op: Operation): Set<Operation> {
  const users = new Set<Operation>();
  const seen = new Set<Value>(op.results);
  for (const value of seen)
    for (const { owner, index } of value.uses()) {
      const loop = YieldOp.is(owner) ? ForOp.match(owner.parentOp!) : ForOp.match(owner);
      if (YieldOp.is(owner)) {
        if (loop) seen.add(loop.region.firstBlock!.args[index + 1]!);
        else if (IfOp.is(owner.parentOp!)) seen.add(owner.parentOp!.result(index));
        else refuse(owner, "loops other than scf.for cannot be in a warp-specialized one");
      } else if (loop && index >= 3) seen.add(loop.region.firstBlock!.args[index - 2]!);
      else users.add(owner);
    }
  return users;
}

/** Gives each of `sources` the partitions of the ops that it leads to, until nothing changes. */
function spread(loop: ForView, ids: Map<Operation, Set<number>>, sources: ReadonlyMap<Operation, Iterable<Operation>>): void {
  const collect = (op: Operation, into: Set<number>): void => {
    for (const region of op.regions)
      for (const block of region.blocks()) for (const nested of block.ops()) if (nested !== block.lastOp) collect(nested, into);
    const own = ids.get(op);
    if (own) insertAll(into, own);
  };
  for (let round = 1, changed = true; changed; round++) {
    changed = false;
    for (const [op, others] of sources) {
      let own = ids.get(op);
      if (!own) ids.set(op, (own = new Set()));
      const before = own.size;
      for (const other of others) collect(other, own);
      changed ||= own.size !== before;
    }
    if (round > MOST_ROUNDS) refuse(loop.op, "assignMissingPartitions failed to converge");
  }
  for (const [op, own] of ids) if (own.size > 0) setPartition(op, own);
}
