/** mbarriers of gfx1250. Source: TritonAMDGPUOps.td; Dialect.cpp. */
import { I32, I32Attr } from "../../../ir/constraints.js";
import type { OpReport } from "../../../ir/define-op.js";
import { defineOp } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { readsShared, verifyBarrierType, writesShared } from "../../ttg/ttg-op.js";
import { MemDescOperand } from "../../ttg/types.js";

function verifyCount(op: Operation, alloc: Value, count: number, report: OpReport): void {
  if (verifyBarrierType(op, alloc, report) && count < 1) report.error("count must be greater than or equal to 1", "ttg.barrier");
}
const readsAndWrites = (value: Value) => [readsShared(value), writesShared(value)];

export const InitBarrierOp = defineOp("amdg.init_barrier", () => ({
  summary: "Initialize a barrier in the given shared memory allocation.",
  operands: { alloc: MemDescOperand },
  attrs: { count: I32Attr },
  format: "$alloc `,` $count attr-dict `:` qualified(type($alloc))",
  verify: ({ op, alloc, count }, report) => verifyCount(op, alloc, count, report),
  effects: ({ alloc }) => [writesShared(alloc)],
}));

export const WaitBarrierOp = defineOp("amdg.wait_barrier", () => ({
  summary: "wait until the mbarrier phase completes.",
  operands: { alloc: MemDescOperand, phase: I32 },
  format: "$alloc `,` $phase attr-dict `:` qualified(type($alloc))",
  verify: ({ op, alloc }, report) => void verifyBarrierType(op, alloc, report),
  effects: ({ alloc }) => readsAndWrites(alloc),
}));

export const ArriveBarrierOp = defineOp("amdg.arrive_barrier", () => ({
  summary: "perform the arrive operation on an mbarrier",
  operands: { alloc: MemDescOperand },
  attrs: { count: I32Attr },
  results: { result: I32 },
  format: "$alloc `,` $count attr-dict `:` qualified(type($alloc)) `->` type($result)",
  verify: ({ op, alloc, count }, report) => verifyCount(op, alloc, count, report),
  effects: ({ alloc }) => readsAndWrites(alloc),
}));

export const AsyncCopyMbarrierArriveOp = defineOp("amdg.async_copy_mbarrier_arrive", () => ({
  summary: "arrive on mbarrier once all previously issued copies are completed",
  operands: { barrier: MemDescOperand },
  format: "$barrier attr-dict `:` qualified(type($barrier))",
  verify: ({ op, barrier }, report) => void verifyBarrierType(op, barrier, report),
  effects: ({ barrier }) => readsAndWrites(barrier),
}));
