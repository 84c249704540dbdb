import { WarpGroupOp, WarpGroupReturnOp, WarpGroupYieldOp } from "../../../dialects/nvws/ops/warp-group.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { LocalAllocOp, LocalDeallocOp, LocalLoadOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { memDescType } from "../../../dialects/ttg/types.js";
import { ArrayAttr } from "../../../ir/builtin-attrs.js";
import { RankedTensorType } from "../../../ir/builtin-types.js";
import { Mapping } from "../../../ir/clone.js";
import type { Operation } from "../../../ir/operation.js";
import { Region } from "../../../ir/region.js";
import type { Value } from "../../../ir/value.js";
import { definePass, type PassNote, type PassReport } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";
import { bodyOf, forLoops } from "../../ttg/software-pipelining/pipelined-loops.js";
import { refuse } from "../not-specializable.js";
import { rowsInSharedMemory } from "../pipeline/shared-encoding.js";
import { cloneIntoPartitions, cloneLoop, type PartitionBuilder } from "./clone-into-partitions.js";
import {
  getPartitionIds,
  getPartitionOutputs,
  getWarpSpecializeTag,
  hasPartition,
  isOutsideOfPartitions,
  iterateUses,
  PARTITION_STAGES,
  type Partition,
  partitionsOf,
} from "./partition.js";

export const partitionLoops = definePass("tritongpu-partition-loops", {
  name: "TritonGPUPartitionLoops",
  summary: "split scheduled loops into `ttg.warp_specialize`",
  source: "lib/Dialect/TritonGPU/Transforms/WarpSpecialization/PartitionLoops.cpp",
  statistics: { loops: "loops that were split" },
  run(root, pass) {
    const rw = new Rewriter(root.ctx, pass.listener);
    for (const loop of forLoops(root)) {
      if (!ArrayAttr.is(loop.op.attr(PARTITION_STAGES))) continue;
      const partitions = partitionsOf(loop);
      if (!partitions || !areSeparate(loop, partitions, pass.report)) return pass.fail();
      if (partitions.length <= 1) continue;
      rw.from(loop, () => splitLoop(rw, loop, partitions));
      pass.count("loops");
    }
  },
});

/** Whether no partition uses what only others compute. */
function areSeparate(loop: ForView, partitions: readonly Partition[], report: PassReport): boolean {
  let separate = true;
  for (const partition of partitions) {
    iterateUses(loop, partition, (output, { owner }, distance) => {
      const consumers = getPartitionIds(owner);
      const op = output.definingOp!;
      const producers = getPartitionIds(op);
      if (consumers.has(partition.index) || [...consumers].every((id) => producers.has(id))) return;
      const notes = [...consumers].map((id): PassNote => ({ op: owner, message: `use at distance ${distance} in partition #${id} here` }));
      report.warning(op, `non-root partition #${partition.index} has direct SSA consumer`, "pass.warp-specialization", notes);
      separate = false;
    });
    if (!separate) return false;
  }
  return true;
}

/** Whether a partition computes the tensor that a loop yields. */
function computesTensor(loop: ForView, result: number, { index }: Partition): boolean {
  const value = bodyOf(loop).lastOp!.operand(result);
  if (!RankedTensorType.is(value.type)) return false;
  const op = value.definingOp ?? refuse(loop.op, "the loop hands on a tensor that it got");
  return (IfOp.is(op) ? getPartitionOutputs(op)[value.index]! : getPartitionIds(op)).has(index);
}

function splitLoop(rw: Rewriter, loop: ForView, partitions: readonly Partition[]): void {
  const { op } = loop;
  const options = { loc: op.locRef };
  const outputs = getPartitionOutputs(op);
  const [main, ...others] = partitions as [Partition, ...Partition[]];
  // The results of the whole are those of the first partition.
  const kept = op.results.filter((_, i) => outputs[i]!.has(main.index));
  rw.setBefore(op);
  /** For a tensor that only other partitions have: the buffer through which it comes. */
  const buffers = op.results.map(({ type }, i): Value | undefined => {
    if (outputs[i]!.has(main.index) || !op.result(i).hasUses() || !RankedTensorType.is(type)) return undefined;
    if (!others.some((partition) => computesTensor(loop, i, partition))) return undefined;
    const { shape, elementType } = type.params;
    const types = [memDescType(shape, elementType, rowsInSharedMemory(type), SharedMemorySpace.get(rw.ctx, {}), true)];
    return rw.value(LocalAllocOp, {}, { ...options, types });
  });
  const numWarps = partitions.map(() => lookupNumWarps(op));
  const regions = partitions.map(() => new Region(rw.ctx, null, 0));
  const types = kept.map(({ type }) => type);
  const group = rw.create(WarpGroupOp, { numWarps, partitionRegions: regions }, { ...options, types });
  const builders = partitions.map(({ index }): PartitionBuilder => {
    const own = new Rewriter(rw.ctx, rw.listener);
    return { index, rw: own.setEnd(group.op.regions[index]!.addBlock()), mapping: new Mapping() };
  });
  const tag = getWarpSpecializeTag(op);
  const stale: Operation[] = [];
  for (const each of [...op.block!.ops()]) {
    if (!hasPartition(each)) continue;
    const own = getWarpSpecializeTag(each) ?? refuse(each, "the op belongs to a partition, but of no warp-specialized loop");
    if (own !== tag) continue;
    if (each === op) cloneLoop(loop, builders);
    else cloneIntoPartitions(each, builders);
    stale.push(each);
  }
  const ids = getPartitionIds(op);
  for (const { index, rw: own, mapping } of builders) {
    if (!ids.has(index)) own.create(WarpGroupYieldOp, { values: [] }, options);
    else if (index === main.index) own.create(WarpGroupYieldOp, { values: kept.map((value) => mapping.get(value)) }, options);
    else {
      buffers.forEach((dst, i) => {
        if (dst && computesTensor(loop, i, partitions[index]!)) own.create(LocalStoreOp, { src: mapping.get(op.result(i)), dst }, options);
      });
      own.create(WarpGroupReturnOp, {}, options);
    }
  }
  rw.setAfter(group);
  for (const [i, result] of op.results.entries()) {
    const src = buffers[i];
    if (src) {
      const loaded = rw.value(LocalLoadOp, { src }, { ...options, types: [result.type] });
      rw.create(LocalDeallocOp, { src }, options);
      rw.replaceAllUses(result, loaded);
    } else if (result.users().some(isOutsideOfPartitions)) {
      const at = kept.indexOf(result);
      rw.replaceAllUses(
        result,
        group.op.results[at] ?? refuse(op, "code after the loop uses a result that the first partition does not have"),
      );
    }
  }
  for (const each of stale.reverse()) {
    if (each.isUsed()) refuse(each, "another partition, or code outside of the loop, uses what the op computes");
    rw.erase(each);
  }
}
