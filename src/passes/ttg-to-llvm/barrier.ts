/** Barriers within a CTA. Source: mlir's GPUToNVVM; MemoryOpToLLVM.cpp, LocalBarrierOpConversion. */
import { BarrierOp } from "../../dialects/gpu/ops/barrier.js";
import { LocalBarrierOp } from "../../dialects/ttg/ops/misc.js";
import * as ttg from "../../dialects/ttg/ops/since-3-7.js";
import { type LoweringRule, rule } from "./lowering.js";

export const BARRIERS: readonly LoweringRule[] = [
  rule(BarrierOp, (_op, lo) => lo.code.barrier(lo)),
  rule(ttg.BarrierOp, (_op, lo) => lo.code.barrier(lo)),
  rule(LocalBarrierOp, (_op, lo) => lo.code.barrier(lo)),
];
