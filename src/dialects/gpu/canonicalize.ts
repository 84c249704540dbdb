/** Source: mlir/lib/Dialect/GPU/IR/GPUDialect.cpp. */
import { pattern } from "../../rewrite/pattern.js";
import { BarrierOp } from "./ops/barrier.js";

/** barrier; barrier -> barrier */
const eraseRedundantGpuBarrierOps = pattern("erase-redundant-gpu-barrier-ops", BarrierOp, ({ op }, rw) =>
  BarrierOp.is(op.next) ? rw.erase(op) : rw.noMatch("no barrier follows"),
);

export const GPU_CANONICALIZATION = [eraseRedundantGpuBarrierOps];
