/**
 * The passes that Triton runs for CUDA targets, as data: stage by stage, in order, with options.
 * Source: third_party/nvidia/backend/compiler.py, make_ttir, make_ttgir, make_llir.
 */
import type { PipelineStep, Stage } from "../../trace/stage.js";
import type { CudaOptions } from "../options.js";
import { ptxVersionOf } from "../options.js";

export interface PipelineTarget {
  readonly capability: number;
  readonly options: CudaOptions;
}
export type Pipeline = (target: PipelineTarget) => readonly PipelineStep[];

/** Pipelines by Triton version. */
export const CUDA_PIPELINES: ReadonlyMap<string, Pipeline> = new Map([["3.6", triton36]]);
export const DEFAULT_VERSION = "3.6";

/** Names in dumps, by flag. */
const PASS_NAMES: Readonly<Record<string, string>> = {
  "allocate-shared-memory-nv": "AllocateSharedMemoryNv",
  canonicalize: "Canonicalizer",
  "convert-nv-gpu-to-llvm": "ConvertNVGPUToLLVM",
  "convert-nvvm-to-llvm": "ConvertNVVMToLLVMPass",
  "convert-scf-to-cf": "SCFToControlFlowPass",
  "convert-triton-gpu-to-llvm": "ConvertTritonGPUToLLVM",
  "convert-triton-to-tritongpu": "ConvertTritonToTritonGPU",
  "convert-warp-specialize-to-llvm": "ConvertWarpSpecializeToLLVM",
  cse: "CSE",
  "enable-line-info": "LLVMDIScope",
  "gluon-inline": "GluonInline",
  inline: "Inliner",
  "nvgpu-warp-specialization": "NVGPUWarpSpecialization",
  sccp: "SCCP",
  "symbol-dce": "SymbolDCE",
  "triton-combine": "TritonCombineOps",
  "triton-licm": "TritonLoopInvariantCodeMotion",
  "triton-loop-aware-cse": "TritonLoopAwareCSE",
  "triton-loop-unroll": "TritonLoopUnroll",
  "triton-nvidia-check-matmul-two-cta": "TritonNvidiaGPUCheckMatmulTwoCTAPass",
  "triton-nvidia-gpu-fence-insertion": "TritonGPUFenceInsertion",
  "triton-nvidia-gpu-plan-cta": "TritonGPUPlanCTAPass",
  "triton-nvidia-gpu-proxy-fence-insertion": "TritonGPUProxyFenceInsertion",
  "triton-nvidia-gpu-remove-tmem-tokens": "TritonNvidiaGPURemoveTMEMTokensPass",
  "triton-nvidia-interleave-tmem": "TritonNvidiaGPUInterleaveTMemPass",
  "triton-nvidia-mma-lowering": "TritonNvidiaGPUMMALoweringPass",
  "triton-nvidia-optimize-descriptor-encoding": "TritonNvidiaGPUOptimizeDescriptorEncodingPass",
  "triton-nvidia-optimize-tmem-layouts": "TritonNvidiaGPUOptimizeTMemLayoutsPass",
  "triton-nvidia-tma-lowering": "TritonNvidiaGPUTMALoweringPass",
  "triton-reorder-broadcast": "TritonReorderBroadcast",
  "triton-rewrite-tensor-descriptor-to-pointer": "TritonRewriteTensorDescriptorToPointer",
  "triton-rewrite-tensor-pointer": "TritonRewriteTensorPointer",
  "triton-tensor-memory-allocation": "TritonTensorMemoryAllocationPass",
  "tritongpu-F32DotTC": "TritonGPUF32DotTC",
  "tritongpu-accelerate-matmul": "TritonGPUAccelerateMatmul",
  "tritongpu-allocate-warp-groups": "TritonGPUAllocateWarpGroups",
  "tritongpu-assign-latencies": "TritonGPUAssignLatencies",
  "tritongpu-automatic-warp-specialization": "TritonGPUAutomaticWarpSpecialization",
  "tritongpu-coalesce": "TritonGPUCoalesce",
  "tritongpu-coalesce-async-copy": "TritonGPUCoalesceAsyncCopy",
  "tritongpu-combine-tensor-select-and-if": "TritonGPUCombineTensorSelectAndIf",
  "tritongpu-fuse-nested-loops": "TritonGPUFuseNestedLoops",
  "tritongpu-global-scratch-memory-allocation": "TritonGPUGlobalScratchAllocationPass",
  "tritongpu-hoist-tmem-alloc": "TritonGPUHoistTMEMAlloc",
  "tritongpu-optimize-accumulator-init": "TritonGPUOptimizeAccumulatorInit",
  "tritongpu-optimize-dot-operands": "TritonGPUOptimizeDotOperands",
  "tritongpu-optimize-partition-warps": "TritonGPUOptimizePartitionWarps",
  "tritongpu-optimize-thread-locality": "TritonGPUOptimizeThreadLocality",
  "tritongpu-pipeline": "TritonGPUPipeline",
  "tritongpu-prefetch": "TritonGPUPrefetch",
  "tritongpu-promote-lhs-to-tmem": "TritonNvidiaGPUPromoteLHSToTMemPass",
  "tritongpu-reduce-data-duplication": "TritonGPUReduceDataDuplication",
  "tritongpu-remove-layout-conversions": "TritonGPURemoveLayoutConversions",
  "tritongpu-reorder-instructions": "TritonGPUReorderInstructions",
  "tritongpu-schedule-loops": "TritonGPUScheduleLoops",
};

const CANONICALIZE = "canonicalize max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true";
const DUMP = "dump-intermediate-steps=true";

/** Steps of a stage from `flag options` texts; empty texts are steps that the target leaves out. */
function stage(name: Stage, texts: readonly string[]): PipelineStep[] {
  return texts
    .filter((text) => text !== "")
    .map((text) => {
      const [flag = "", ...options] = text.split(" ");
      return { stage: name, flag, pass: PASS_NAMES[flag] ?? flag, options: options.join(" ") };
    });
}

function triton36({ capability, options }: PipelineTarget): readonly PipelineStep[] {
  const generation = Math.floor(capability / 10);
  const hoist = `tritongpu-optimize-dot-operands hoist-layout-conversion=${capability >= 80}`;
  const stages = `num-stages=${options.numStages}`;
  const lowering = `compute-capability=${capability} ptx-version=${ptxVersionOf(options, capability)}`;
  const ttir = stage("ttir", [
    "inline default-pipeline=canonicalize inlining-threshold=4294967295 max-iterations=4",
    "triton-rewrite-tensor-pointer",
    generation < 9 ? "triton-rewrite-tensor-descriptor-to-pointer" : "",
    CANONICALIZE,
    "triton-combine",
    "triton-reorder-broadcast",
    "cse",
    "symbol-dce",
    "triton-loop-unroll",
  ]);
  const ampereAndHopper = [
    "tritongpu-fuse-nested-loops",
    CANONICALIZE,
    "triton-licm",
    CANONICALIZE,
    "tritongpu-combine-tensor-select-and-if",
    `nvgpu-warp-specialization ${DUMP} ${stages}`,
    `tritongpu-assign-latencies ${stages}`,
    "tritongpu-schedule-loops",
    `tritongpu-pipeline ${DUMP} ${stages}`,
  ];
  const blackwell = [
    "tritongpu-fuse-nested-loops",
    CANONICALIZE,
    "triton-licm",
    "tritongpu-optimize-accumulator-init",
    "tritongpu-hoist-tmem-alloc hoist-out-of-if=false",
    "tritongpu-promote-lhs-to-tmem",
    `tritongpu-assign-latencies ${stages}`,
    "tritongpu-schedule-loops",
    `tritongpu-automatic-warp-specialization ${stages}`,
    `tritongpu-pipeline ${DUMP} ${stages}`,
    "tritongpu-optimize-partition-warps",
    "tritongpu-combine-tensor-select-and-if",
    "tritongpu-hoist-tmem-alloc hoist-out-of-if=true",
    "triton-nvidia-gpu-remove-tmem-tokens",
  ];
  const ttgir = stage("ttgir", [
    `convert-triton-to-tritongpu enable-source-remat=false num-ctas=${options.numCtas} num-warps=${options.numWarps} target=cuda:${capability} threads-per-warp=32`,
    "tritongpu-coalesce",
    `tritongpu-F32DotTC emu-tf32=${generation >= 8}`,
    "triton-nvidia-gpu-plan-cta",
    "tritongpu-remove-layout-conversions",
    "tritongpu-optimize-thread-locality",
    "tritongpu-accelerate-matmul",
    "tritongpu-remove-layout-conversions",
    hoist,
    "triton-nvidia-optimize-descriptor-encoding",
    "triton-loop-aware-cse",
    ...(generation >= 10 ? blackwell : generation >= 8 ? ampereAndHopper : ["triton-licm"]),
    CANONICALIZE,
    "triton-loop-aware-cse",
    "tritongpu-prefetch",
    hoist,
    "tritongpu-coalesce-async-copy",
    "triton-nvidia-optimize-tmem-layouts",
    generation >= 9 ? "triton-nvidia-tma-lowering" : "",
    "tritongpu-remove-layout-conversions",
    "triton-nvidia-interleave-tmem",
    "tritongpu-reduce-data-duplication",
    "tritongpu-reorder-instructions",
    "triton-loop-aware-cse",
    "symbol-dce",
    `triton-nvidia-gpu-fence-insertion compute-capability=${capability}`,
    "triton-nvidia-mma-lowering",
    "sccp",
    "cse",
    CANONICALIZE,
  ]);
  const llir = stage("llir", [
    "tritongpu-combine-tensor-select-and-if",
    "tritongpu-allocate-warp-groups",
    "convert-scf-to-cf",
    "gluon-inline",
    `allocate-shared-memory-nv ${lowering}`,
    "triton-tensor-memory-allocation",
    "triton-nvidia-check-matmul-two-cta",
    "tritongpu-global-scratch-memory-allocation",
    `triton-nvidia-gpu-proxy-fence-insertion compute-capability=${capability}`,
    `convert-triton-gpu-to-llvm ${lowering}`,
    CANONICALIZE,
    "cse",
    "convert-nv-gpu-to-llvm",
    "convert-warp-specialize-to-llvm",
    CANONICALIZE,
    "cse",
    "symbol-dce",
    "convert-nvvm-to-llvm",
    "enable-line-info",
  ]);
  return [...ttir, ...ttgir, ...llir];
}
