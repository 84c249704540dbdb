/** Barriers, waits, and hints to LLVM's order of instructions. Source: ROCDLOps.td. */
import { I16Attr, I32Attr } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";

export const BarrierOp = defineOp("rocdl.barrier", () => ({
  summary: "workgroup barrier, after a fence",
  format: "attr-dict",
}));
export const SBarrierOp = defineOp("rocdl.s.barrier", () => ({
  summary: "workgroup barrier",
  format: "attr-dict",
}));
export const SWaitcntOp = defineOp("rocdl.s.waitcnt", () => ({
  summary: "wait until counters of memory operations are low",
  attrs: { bitfield: I32Attr },
  format: "attr-dict $bitfield",
}));
export const SSleepOp = defineOp("rocdl.s.sleep", () => ({
  summary: "sleep for a number of cycles",
  attrs: { count: I32Attr },
  format: "attr-dict $count",
}));
export const SetPrioOp = defineOp("rocdl.s.setprio", () => ({
  summary: "priority of a wave among those of its SIMD unit",
  attrs: { priority: I16Attr },
  format: "$priority attr-dict",
}));
export const SchedBarrierOp = defineOp("rocdl.sched.barrier", () => ({
  summary: "instructions that LLVM may move across: those of the mask",
  attrs: { mask: I32Attr },
  format: "$mask attr-dict",
}));
export const SchedGroupBarrierOp = defineOp("rocdl.sched.group.barrier", () => ({
  summary: "a group of instructions of one kind, which LLVM keeps together",
  attrs: { mask: I32Attr, size: I32Attr, groupId: I32Attr },
  format: "$mask `,` $size `,` $groupId attr-dict",
}));
export const IglpOptOp = defineOp("rocdl.iglp.opt", () => ({
  summary: "LLVM's strategy for the order of instructions in the block",
  attrs: { variant: I32Attr },
  format: "$variant attr-dict",
}));
