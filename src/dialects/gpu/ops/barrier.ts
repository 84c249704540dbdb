import { defineOp } from "../../../ir/define-op.js";

/** Source: mlir/include/mlir/Dialect/GPU/IR/GPUOps.td, GPU_BarrierOp. */
export const BarrierOp = defineOp("gpu.barrier", () => ({
  summary: "Synchronizes all work items of a workgroup.",
  format: "attr-dict",
}));
