/** The lowering for NVIDIA's GPUs: rules that know the GPU, and Triton's version for it. */
import type { GpuTarget } from "../../../gpu/nvidia.js";
import type * as shared from "../../ttg-to-llvm/lowering.js";
import type { NvidiaForms } from "./code-forms.js";

export interface NvidiaTarget extends shared.LoweringTarget {
  readonly gpu: GpuTarget;
  /** 87 for PTX 8.7. */
  readonly ptxVersion: number;
  readonly forms: NvidiaForms;
}
export type Lowering = shared.Lowering<NvidiaTarget>;
export type LoweringRule = shared.LoweringRule<NvidiaTarget>;
