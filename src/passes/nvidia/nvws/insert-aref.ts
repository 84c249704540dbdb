import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { AsyncTokenType } from "../../../dialects/ttg/types.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { RankedTensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { getPartitionIds, getPartitionOutputs, hasPartition } from "../automatic-warp-specialization/partition.js";
import { loopsToSpecialize } from "../automatic-warp-specialization/partition-scheduling.js";
import { refuse } from "../not-specializable.js";
import { isTMALoad } from "../tma/tma-copies.js";
import { getFromAref } from "./aref-get.js";
import { isDescLoadAndAlloc, putIntoAref } from "./aref-put.js";
import { isScalar, type Produced, usesByPartition } from "./consumers.js";

export const insertAref = definePass("nvws-insert-aref", {
  name: "NVWSInsertAref",
  summary: "Insert arefs between producer and consumer partitions.",
  source: "third_party/nvidia/lib/Dialect/NVWS/Transforms/InsertAref.cpp",
  statistics: { arefs: "values that go from one partition to others" },
  run(root, pass) {
    const rw = new Rewriter(root.ctx, pass.listener);
    root.walkPostOrder((func) => {
      if (!FuncOp.is(func)) return;
      for (const loop of loopsToSpecialize(func))
        if (hasPartition(loop.op)) insertArefs(rw, loop, () => pass.count("arefs"));
        else if (!func.ctx.triton.dividesByFlow) refuseNest(loop);
    });
  },
});

/** A loop that was not divided stays as it is, unless loops in it do what only a divided one could: upstream ends there. */
function refuseNest(loop: ForView): void {
  loop.op.walkPostOrder((op) => {
    const carries =
      ForOp.is(op) && op.regions[0]!.firstBlock!.args.slice(1).some((value) => RankedTensorType.is(value.type) || isScalar(value));
    const load = LocalAllocOp.match(op)?.src?.definingOp;
    if (!carries && !(load && isTMALoad(load))) return;
    const why = "has neither loads through descriptors nor tcgen05 instructions directly in it";
    refuse(loop.op, `the warp-specialized loop ${why}: those of branches, and of inner loops without flatten=True, do not count`);
  });
}

function insertArefs(rw: Rewriter, loop: ForView, count: () => void): void {
  const insert = (produced: Produced): void => {
    if (communicate(rw, loop, produced)) count();
  };
  // Values that one partition carries to the next round, and another one uses there.
  loop.op.walkPostOrder((op) => {
    if (!ForOp.is(op)) return;
    const [, ...carried] = op.regions[0]!.firstBlock!.args;
    carried.forEach((value, i) => {
      if (!RankedTensorType.is(value.type) && !isScalar(value)) return;
      rw.setStart(op.regions[0]!.firstBlock!);
      insert({ value, partitions: getPartitionOutputs(op)[i]! });
    });
  });
  // Buffers before the loads that fill them: a load may be used in registers too.
  const buffers: Operation[] = [];
  loop.op.walkPostOrder((op) => void (LocalAllocOp.is(op) && buffers.push(op)));
  for (const op of buffers)
    for (const produced of producedBy(op)) {
      rw.setBefore(op);
      insert(produced);
    }
  loop.op.walkPostOrder((op) => {
    if (op === loop.op || op.def.interface(MMAv5OpInterface) || TMEMAllocOp.is(op) || TMEMStoreOp.is(op)) return;
    for (const produced of producedBy(op)) {
      rw.setAfter(op);
      insert(produced);
    }
  });
}

function producedBy(op: Operation): Produced[] {
  if (!hasPartition(op)) return [];
  const outputs = op.regions.length > 0 ? getPartitionOutputs(op) : op.results.map(() => getPartitionIds(op));
  return op.results.flatMap((value, i) => (AsyncTokenType.is(value.type) ? [] : [{ value, partitions: outputs[i]! }]));
}

/** Hands a value to the partitions that use it without computing it, if there are some. */
function communicate(rw: Rewriter, loop: ForView, produced: Produced): boolean {
  const { value } = produced;
  const pair = isDescLoadAndAlloc(value);
  const consumers = usesByPartition(pair ? [value, pair.alloc.src!] : [value], produced.partitions);
  if (consumers.length === 0) return false;
  return rw.from(value.definingOp ?? loop, () => {
    const block = value.parentBlock!;
    const { aref, staleOps } = putIntoAref(rw, loop, produced);
    for (const consumer of consumers) getFromAref(rw, loop, aref, block, consumer);
    for (const op of staleOps)
      if (op.isUsed()) refuse(op, "the op's own partition uses what it loads for another one");
      else rw.erase(op);
    return true;
  });
}
