/**
 * The passes that Triton runs for CUDA targets: stage by stage, in order, with options. 3.7 runs those of 3.6; what differs in them is
 * in `VersionRules`.
 * Source: third_party/nvidia/backend/compiler.py, make_ttir, make_ttgir, gluon_to_ttgir, make_llir.
 */
import { capabilityOf, gpuOf } from "../../gpu/nvidia.js";
import { canonicalize, cse, inline, sccp, symbolDce } from "../../passes/common/index.js";
import { convertScfToCf, convertTritonToTritonGpu } from "../../passes/convert/index.js";
import { gluonCanonicalize, gluonInferCoalescedEncodings, gluonInline, gluonResolveAutoEncodings } from "../../passes/gluon/index.js";
import { canonicalizeLlvmIr, enableLineInfo, extractVariableInfo } from "../../passes/llvm/index.js";
import {
  accelerateMatmul,
  allocateSharedMemoryNv,
  assignLatencies,
  automaticWarpSpecialization,
  checkMatmulTwoCTA,
  concurrencySanitizer,
  fenceInsertion,
  hoistTmemAlloc,
  interleaveTMem,
  mmaLowering,
  optimizeAccumulatorInit,
  optimizeDescriptorEncoding,
  optimizeDotOperands,
  optimizePartitionWarps,
  optimizeTmemLayouts,
  pipeline,
  planCTA,
  promoteLhsToTmem,
  proxyFenceInsertion,
  removeTmemTokens,
  scheduleLoops,
  tensorMemoryAllocation,
  tmaLowering,
  tmemBarrierInsertion,
  tmemLoadReduce,
  warpSpecialization,
} from "../../passes/nvidia/index.js";
import {
  convertNVGPUToLLVM,
  convertNVVMToLLVM,
  convertTritonGPUToLLVM,
  convertWarpSpecializeToLLVM,
  initializeWsClusterBarriers,
} from "../../passes/nvidia/to-llvm/index.js";
import {
  combine,
  loopAwareCse,
  loopInvariantCodeMotion,
  loopUnroll,
  reorderBroadcast,
  rewriteTensorDescriptorToPointer,
  rewriteTensorPointer,
} from "../../passes/tt/index.js";
import {
  allocateWarpGroups,
  coalesce,
  coalesceAsyncCopy,
  combineTensorSelectAndIf,
  f32DotTC,
  fuseNestedLoops,
  globalScratchMemoryAllocation,
  optimizeThreadLocality,
  prefetch,
  reduceDataDuplication,
  removeLayoutConversions,
  reorderInstructions,
} from "../../passes/ttg/index.js";
import type { TritonVersion } from "../../support/triton-version.js";
import { type BackendStep, type BackendTarget, type Pipeline, stage } from "../backend.js";
import { type CudaOptions, ptxVersionOf } from "./options.js";

/** The options of passes that differ between versions. */
export interface VersionRules {
  readonly version: TritonVersion;
  /** Whether Hopper's loops of one stage are divided too. */
  readonly dividesOneStage: boolean;
  /** Block pointers are rewritten; since 3.8 the language makes tensors of pointers of them itself. */
  readonly blockPointers: boolean;
  /** The architectures whose dots read operands a round ahead; all where none are named. */
  readonly prefetches: readonly string[] | undefined;
  /** The conversion to LLVM gives scratch memory its place, and a pass for the LLVM dialect alone follows it. */
  readonly lowersThenCanonicalizes: boolean;
  /** A pass fuses reductions into loads of tensor memory. */
  readonly reducesLoads: boolean;
}

export const cudaPipeline =
  (rules: VersionRules): Pipeline<CudaOptions> =>
  (target, language) => {
    const steps = [...(language === "gluon" ? gluonToTtgir : toTtgir(target, rules)), ...toLlvm(target, rules)];
    const { lastStage } = rules.version;
    return lastStage === undefined ? steps : steps.filter(({ stage }) => stage === lastStage);
  };

const gluonToTtgir = stage("ttgir", [
  gluonInline(),
  gluonInferCoalescedEncodings(),
  gluonResolveAutoEncodings(),
  tmaLowering(),
  gluonCanonicalize(),
  sccp(),
  loopAwareCse(),
  gluonCanonicalize(),
  combineTensorSelectAndIf(),
]);

const toTtgir = (
  { target, options }: BackendTarget<CudaOptions>,
  { dividesOneStage, blockPointers, prefetches, reducesLoads }: VersionRules,
): readonly BackendStep[] => {
  const { numWarps, numCtas: numCTAs, numStages, maxnreg } = options;
  const capability = capabilityOf(target)!;
  const gpu = gpuOf(capability);
  const hoist = optimizeDotOperands({ hoistLayoutConversion: gpu.asyncCopies });
  return [
    ...stage("ttir", [
      inline(),
      blockPointers && rewriteTensorPointer(),
      !gpu.tma && rewriteTensorDescriptorToPointer(),
      canonicalize(),
      combine(),
      reorderBroadcast(),
      cse(),
      symbolDce(),
      loopUnroll(),
    ]),
    ...stage("ttgir", [
      convertTritonToTritonGpu({ target, numWarps, threadsPerWarp: gpu.warpSize, numCTAs, maxnreg }),
      coalesce(),
      f32DotTC({ emuTF32: gpu.tf32 }),
      planCTA(),
      removeLayoutConversions(),
      optimizeThreadLocality(),
      accelerateMatmul(),
      removeLayoutConversions(),
      hoist,
      optimizeDescriptorEncoding(),
      loopAwareCse(),
      ...(gpu.architecture === "Blackwell"
        ? blackwellLoops(numStages)
        : gpu.asyncCopies
          ? ampereLoops(numStages, dividesOneStage)
          : [loopInvariantCodeMotion()]),
      canonicalize(),
      loopAwareCse(),
      (!prefetches || prefetches.includes(gpu.architecture)) && prefetch(),
      hoist,
      coalesceAsyncCopy(),
      optimizeTmemLayouts(),
      reducesLoads && tmemLoadReduce(),
      gpu.tma && tmaLowering(),
      removeLayoutConversions(),
      interleaveTMem(),
      reduceDataDuplication(),
      reorderInstructions(),
      loopAwareCse(),
      symbolDce(),
      fenceInsertion({ computeCapability: capability }),
      mmaLowering(),
      sccp(),
      cse(),
      canonicalize(),
    ]),
  ];
};

const toLlvm = (
  { target, options }: BackendTarget<CudaOptions>,
  { version, lowersThenCanonicalizes: since38 }: VersionRules,
): readonly BackendStep[] => {
  const capability = capabilityOf(target)!;
  const ofTarget = { computeCapability: capability };
  const lowering = { ...ofTarget, ptxVersion: ptxVersionOf(options, capability, version) };
  return stage("llir", [
    combineTensorSelectAndIf(),
    allocateWarpGroups({ instrumented: since38 && options.instrumentationMode === "consan" }),
    convertScfToCf(),
    gluonInline(),
    allocateSharedMemoryNv(lowering),
    tensorMemoryAllocation(),
    checkMatmulTwoCTA(),
    options.instrumentationMode === "consan" && concurrencySanitizer(),
    !since38 && globalScratchMemoryAllocation(),
    proxyFenceInsertion(ofTarget),
    // The next canonicalizer would erase it, so it is not made.
    since38 && tmemBarrierInsertion(),
    convertTritonGPUToLLVM({ ...lowering, fold: true, allocateScratch: since38 }),
    since38 && initializeWsClusterBarriers(lowering),
    since38 ? canonicalizeLlvmIr() : canonicalize(),
    cse(),
    ...(since38 ? [convertWarpSpecializeToLLVM(), convertNVGPUToLLVM()] : [convertNVGPUToLLVM(), convertWarpSpecializeToLLVM()]),
    canonicalize(),
    cse(),
    symbolDce(),
    convertNVVMToLLVM(),
    enableLineInfo({ variables: options.extractVariableInfo }),
    options.extractVariableInfo && extractVariableInfo(),
  ]);
};

const ampereLoops = (numStages: number, oneStage: boolean) => [
  fuseNestedLoops(),
  canonicalize(),
  loopInvariantCodeMotion(),
  canonicalize(),
  combineTensorSelectAndIf(),
  warpSpecialization({ numStages, dumpIntermediateSteps: true, oneStage }),
  assignLatencies({ numStages }),
  scheduleLoops(),
  pipeline({ numStages, dumpIntermediateSteps: true }),
];
const blackwellLoops = (numStages: number) => [
  fuseNestedLoops(),
  canonicalize(),
  loopInvariantCodeMotion(),
  optimizeAccumulatorInit(),
  hoistTmemAlloc({ hoistOutOfIf: false }),
  promoteLhsToTmem(),
  assignLatencies({ numStages }),
  scheduleLoops(),
  automaticWarpSpecialization({ numStages }),
  pipeline({ numStages, dumpIntermediateSteps: true }),
  optimizePartitionWarps(),
  combineTensorSelectAndIf(),
  hoistTmemAlloc({ hoistOutOfIf: true }),
  removeTmemTokens(),
];
