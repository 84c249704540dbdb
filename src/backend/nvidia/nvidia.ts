/** NVIDIA's backend. */
import { convertScfToCf } from "../../passes/convert/convert-scf-to-cf.js";
import { convertTritonToTritonGpu } from "../../passes/convert/convert-triton-to-tritongpu.js";
import { allocateSharedMemoryNv } from "../../passes/nvidia/allocate-shared-memory-nv.js";
import { fenceInsertion } from "../../passes/nvidia/fence-insertion.js";
import { mmaLowering } from "../../passes/nvidia/mma-lowering.js";
import { proxyFenceInsertion } from "../../passes/nvidia/proxy-fence-insertion.js";
import { tensorMemoryAllocation } from "../../passes/nvidia/tensor-memory/tensor-memory-allocation.js";
import { tmaLowering } from "../../passes/nvidia/tma/tma-lowering.js";
import {
  convertNVGPUToLLVM,
  convertNVVMToLLVM,
  convertTritonGPUToLLVM,
  convertWarpSpecializeToLLVM,
} from "../../passes/nvidia/to-llvm/index.js";
import { rewriteTensorDescriptorToPointer } from "../../passes/tt/rewrite-tensor-descriptor-to-pointer.js";
import { rewriteTensorPointer } from "../../passes/tt/rewrite-tensor-pointer.js";
import { allocateWarpGroups } from "../../passes/ttg/allocate-warp-groups.js";
import { globalScratchMemoryAllocation } from "../../passes/ttg/global-scratch-memory-allocation.js";
import type { Backend } from "../backend.js";
import { CUDA, type CudaOptions } from "./options.js";
import { cudaPipeline } from "./pipeline.js";
import { RULES_3_6 } from "./triton-3.6.js";
import { RULES_3_7 } from "./triton-3.7.js";
import { RULES_3_8 } from "./triton-3.8.js";
import { RULES_3_9 } from "./triton-3.9.js";

export const NVIDIA: Backend<CudaOptions> = {
  ...CUDA,
  pipelines: new Map([RULES_3_6, RULES_3_7, RULES_3_8, RULES_3_9].map((rules) => [rules.version, cudaPipeline(rules)])),
  lowering: [
    rewriteTensorPointer,
    rewriteTensorDescriptorToPointer,
    convertTritonToTritonGpu,
    tmaLowering,
    fenceInsertion,
    mmaLowering,
    allocateWarpGroups,
    convertScfToCf,
    allocateSharedMemoryNv,
    tensorMemoryAllocation,
    globalScratchMemoryAllocation,
    proxyFenceInsertion,
    convertTritonGPUToLLVM,
    convertNVGPUToLLVM,
    convertWarpSpecializeToLLVM,
    convertNVVMToLLVM,
  ],
};
