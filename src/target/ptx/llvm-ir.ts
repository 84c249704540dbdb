/** LLVM IR for NVPTX, as Triton hands it to LLVM. */

import { gpuOf } from "../../gpu/nvidia.js";
import { intOf, intsOf } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import { DATA_LAYOUT } from "../llvm-ir/data-layout.js";
import type { LlvmIrTarget } from "../llvm-ir/target.js";
import { libdeviceAsm } from "./libdevice-asm.js";

export interface NvptxOptions {
  /** `nvvm-reflect-ftz` among the module's flags: libdevice flushes subnormals. */
  readonly reflectFtz: boolean;
  /** The compute capability for which libdevice functions are defined. */
  readonly capability: number;
  readonly fusion: boolean;
}

export const isKernel = (func: Operation): boolean => (intOf(func.attr("nvvm.kernel")) ?? (func.hasAttr("nvvm.kernel") ? 1 : 0)) !== 0;

/** Kernel attributes: the name in the dialect, and LLVM's key. */
const ATTRIBUTES = [
  ["nvvm.blocksareclusters", "nvvm.blocksareclusters"],
  ["nvvm.cluster_dim", "nvvm.cluster_dim"],
  ["nvvm.cluster_max_blocks", "nvvm.maxclusterrank"],
  ["nvvm.maxnreg", "nvvm.maxnreg"],
  ["nvvm.maxntid", "nvvm.maxntid"],
  ["nvvm.minctasm", "nvvm.minctasm"],
  ["nvvm.reqntid", "nvvm.reqntid"],
] as const;

/** The properties of NVIDIA's target in LLVM IR. */
export const nvptxTarget = (options: NvptxOptions): LlvmIrTarget => ({
  dataLayout: DATA_LAYOUT,
  flags: options.reflectFtz ? ['!{i32 4, !"nvvm-reflect-ftz", i32 1}'] : [],
  kernel: (func) => (isKernel(func) ? { convention: "ptx_kernel" } : undefined),
  attributes: (func) =>
    ATTRIBUTES.flatMap(([name, key]) => {
      const attr = func.attr(name);
      if (!attr) return [];
      return [[key, name === "nvvm.blocksareclusters" ? undefined : (intsOf(attr)?.join(",") ?? String(intOf(attr)))]];
    }),
  assembly: (func) => libdeviceAsm(func, { ...options, gpu: gpuOf(options.capability), ftz: options.reflectFtz, numThreads: undefined }),
});
