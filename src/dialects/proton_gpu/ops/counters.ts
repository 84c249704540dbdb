/** Counters are read, and stored with the region that they belong to. Source: ProtonGPUOps.td; Ops.cpp. */
import { anyOf, defaultAttr, I32, I32Attr, I64, i32EnumAttr, Unit } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { enclosingModule, totalNumWarps } from "../../ttg/num-warps.js";
import { Segment, SegmentType } from "../types.js";

const Counter = anyOf("32-bit signless integer or 64-bit signless integer", I32, I64);
const readsAndWrites = () => [{ kind: "read" }, { kind: "write" }] as const;

export const ReadCounterOp = defineOp("proton_gpu.read_counter", () => ({
  summary: "Read a GPU metric counter into a scalar register",
  attrs: { metric: defaultAttr(i32EnumAttr("MetricType", "The type of metric to be profiled", { cycle: 0 }), "cycle") },
  results: { counter: Counter },
  format: "attr-dict `:` type($counter)",
  effects: readsAndWrites,
}));

/** Older records give way when the segment is full. */
export const CircularStoreOp = defineOp("proton_gpu.circular_store", () => ({
  summary: "Store the value into a circular buffer",
  operands: { segment: Segment, counter: Counter },
  attrs: { isStart: Unit, scopeId: I32Attr },
  format: "(`start` $isStart^):(`end`)? $segment `,` $counter attr-dict `:` qualified(type($segment)) `,` type($counter)",
  effects: readsAndWrites,
  verify({ op, segment, scopeId }, report) {
    const { selectIds, nBytes } = SegmentType.params(segment.type);
    const segments = selectIds.length || totalNumWarps(enclosingModule(op));
    const bytes = Math.trunc(nBytes / segments);
    if (bytes <= 0 || bytes & (bytes - 1)) return void report.error("profiling buffer segment size must be power of 2", "proton.segment");
    if (scopeId < 0 || scopeId > 255) report.error("scope id must be in [0, 255]", "proton.segment");
  },
}));
