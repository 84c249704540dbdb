/** Who uses a value in other partitions than its own. Source: third_party/nvidia/lib/Dialect/NVWS/Transforms/InsertAref.cpp. */
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { MemDescType } from "../../../dialects/ttg/types.js";
import { isFloat, isInteger } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import { findAncestorInBlock } from "../../ttg/software-pipelining/pipelined-loops.js";
import { getPartitionIds, hasPartition, type PartitionIds, partitionIdsOfUse } from "../automatic-warp-specialization/partition.js";

/** A value with the partitions that compute it. */
export interface Produced {
  readonly value: Value;
  readonly partitions: PartitionIds;
}
export const isScalar = ({ type }: Value): boolean => isInteger(type) || isFloat(type);

/** A partition with the values of others that it uses, and where. */
export interface Consumer {
  readonly partition: number;
  readonly values: Set<Value>;
  readonly uses: OpOperand[];
}

/** The uses of values in partitions that do not compute them, in upstream's order of partitions. */
export function usesByPartition(values: readonly Value[], producers: PartitionIds): Consumer[] {
  const consumers = new Map<number, Consumer>();
  for (const value of values)
    for (const use of value.uses()) {
      // Ops outside of the loop may have no partition.
      if (!hasPartition(use.owner)) continue;
      const { owner } = use;
      const ids = YieldOp.is(owner) || owner.ctx.triton.dividesByFlow ? partitionIdsOfUse(use) : getPartitionIds(owner);
      for (const partition of ids) {
        if (producers.has(partition)) continue;
        let consumer = consumers.get(partition);
        if (!consumer) consumers.set(partition, (consumer = { partition, values: new Set(), uses: [] }));
        consumer.values.add(value);
        consumer.uses.push(use);
      }
    }
  return [...consumers.values()].sort((a, b) => hashBucket(a.partition) - hashBucket(b.partition));
}
/** Upstream visits the buckets of a hash table with 64 of them. */
const hashBucket = (id: number): number => (id * 37) % 64;

/** The ops of a partition that use a value, also through buffers that are views of it. */
export function transitiveConsumers(values: Iterable<Value>, partition: number): Operation[] {
  const found = new Set<Operation>();
  const visit = (value: Value): void => {
    for (const use of value.uses()) {
      const views = value.definingOp ? use.owner.results.filter(({ type }) => MemDescType.is(type)) : [];
      if (views.length > 0) use.owner.results.forEach(visit);
      else if (isOnly(partitionIdsOfUse(use), partition)) {
        found.add(use.owner);
        // The buffer is in use until a loop ends in which it is used.
        if (value.definingOp && use.owner.ctx.triton.dividesByFlow) found.add(findAncestorInBlock(value.definingOp.block!, use.owner)!);
      }
    }
  };
  for (const value of values)
    if (value.definingOp) value.definingOp.results.forEach(visit);
    else visit(value);
  return [...found];
}
const isOnly = (ids: PartitionIds, id: number): boolean => ids.size === 1 && ids.has(id);
