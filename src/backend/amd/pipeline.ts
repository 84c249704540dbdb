/**
 * The passes that Triton runs for HIP targets: stage by stage, in order, with options.
 * Source: third_party/amd/backend/compiler.py, make_ttir, make_ttgir, gluon_to_ttgir, make_llir.
 */
import { amdGpuOf, archOf } from "../../gpu/amd.js";
import {
  accelerateMatmulAmd,
  blockPingpong,
  canonicalizePointers,
  coalesceAsyncCopyAmd,
  convertBufferOps,
  foldTrueCmpI,
  hoistLayoutConversions,
  insertInstructionSchedHints,
  inThreadTranspose,
  optimizeDotOperandsAmd,
  optimizeEpilogue,
  pipelineAmd,
  reorderInstructionsAmd,
  scheduleLoopsAmd,
  updateAsyncWaitCount,
} from "../../passes/amd/index.js";
import {
  allocateSharedMemoryAmd,
  convertBuiltinFuncToLLVM,
  convertTritonAMDGPUToLLVM,
  lowerInstructionSchedHints,
  optimizeLdsUsage,
} from "../../passes/amd/to-llvm/index.js";
import { canonicalize, cse, inline, sccp, symbolDce } from "../../passes/common/index.js";
import { convertScfToCf, convertTritonToTritonGpu } from "../../passes/convert/index.js";
import { gluonCanonicalize, gluonInline, gluonResolveAutoEncodings } from "../../passes/gluon/index.js";
import {
  convertArithToLLVM,
  convertControlFlowToLLVM,
  convertIndexToLLVM,
  enableLineInfo,
  extractVariableInfo,
} from "../../passes/llvm/index.js";
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
  coalesce,
  combineTensorSelectAndIf,
  f32DotTC,
  fuseNestedLoops,
  optimizeThreadLocality,
  reduceDataDuplication,
  removeLayoutConversions,
} from "../../passes/ttg/index.js";
import { type BackendStep, type BackendTarget, type Pipeline, stage } from "../backend.js";
import { type HipOptions, hipDefaults } from "./options.js";

export const hipPipeline: Pipeline<Partial<HipOptions>> = ({ target, options: given }, language) => {
  const options = { ...hipDefaults(target), ...given };
  const { arch } = amdGpuOf(archOf(target)!)!;
  return [...(language === "gluon" ? gluonToTtgir : toTtgir({ target, options })), ...toLlvm(arch, options)];
};

const gluonToTtgir = stage("ttgir", [
  gluonInline(),
  gluonResolveAutoEncodings(),
  sccp(),
  loopAwareCse(),
  gluonCanonicalize(),
  combineTensorSelectAndIf(),
]);

const toTtgir = ({ target, options }: BackendTarget<HipOptions>): readonly BackendStep[] => {
  const { numWarps, numCtas: numCTAs } = options;
  const gpu = amdGpuOf(archOf(target)!)!;
  const { arch } = gpu;
  const usePingpong = options.useBlockPingpong ?? (arch === "gfx942" || (arch === "gfx950" && options.useAsyncCopy));
  const usesInThreadTranspose = options.useInThreadTranspose ?? arch === "gfx942";
  const kPack = arch === "gfx950" ? 1 : options.kpack;
  return [
    ...stage("ttir", [
      inline(),
      rewriteTensorPointer(),
      rewriteTensorDescriptorToPointer(),
      canonicalize(),
      combine(),
      reorderBroadcast(),
      cse(),
      loopInvariantCodeMotion(),
      symbolDce(),
      loopUnroll(),
    ]),
    ...stage("ttgir", [
      convertTritonToTritonGpu({ target, numWarps, threadsPerWarp: gpu.warpSize, numCTAs }),
      coalesce(),
      f32DotTC({ emuTF32: false }),
      removeLayoutConversions(),
      optimizeThreadLocality(),
      accelerateMatmulAmd({ archGenerationName: arch, matrixInstructionSize: options.matrixInstrNonkdim, kPack }),
      removeLayoutConversions(),
      optimizeEpilogue(),
      optimizeDotOperandsAmd({ archGenerationName: arch }),
      hoistLayoutConversions(),
      fuseNestedLoops(),
      canonicalize(),
      loopInvariantCodeMotion(),
      canonicalize(),
      scheduleLoopsAmd({ numStages: options.numStages }),
      pipelineAmd({ useAsyncCopy: options.useAsyncCopy, usePingpong }),
      options.useAsyncCopy && coalesceAsyncCopyAmd({ archGenerationName: arch }),
      canonicalize(),
      ...scheduleHints(options).map((variant) => insertInstructionSchedHints({ variant })),
      removeLayoutConversions(),
      reduceDataDuplication(),
      ...(usesInThreadTranspose ? [inThreadTranspose(), removeLayoutConversions()] : []),
      reorderInstructionsAmd(),
      usePingpong && options.numStages > 1 && blockPingpong({ numStages: options.numStages }),
      ...(options.useBufferOps
        ? [
            canonicalizePointers(),
            canonicalize(),
            convertBufferOps({
              archGenerationName: arch,
              allowBufferAtomics: options.useBufferAtomics,
              analyzeSmallTensorOfst: options.analyzeSmallTensorRange,
            }),
          ]
        : []),
      foldTrueCmpI(),
      canonicalize(),
      cse(),
      symbolDce(),
    ]),
  ];
};

const scheduleHints = ({ scheduleHint }: HipOptions): readonly string[] =>
  scheduleHint.toLowerCase() === "none" ? [] : scheduleHint.split(",");

const toLlvm = (arch: string, options: HipOptions): readonly BackendStep[] =>
  stage("llir", [
    updateAsyncWaitCount({ archGenerationName: arch }),
    optimizeLdsUsage({ targetArch: arch, ldsLimit: 0 }),
    convertScfToCf(),
    gluonInline(),
    convertIndexToLLVM(),
    allocateSharedMemoryAmd(),
    convertTritonAMDGPUToLLVM({ arch, ftz: true, fold: true }),
    canonicalize(),
    cse(),
    convertControlFlowToLLVM(),
    convertArithToLLVM(),
    canonicalize(),
    cse(),
    symbolDce(),
    scheduleHints(options).length > 0 && lowerInstructionSchedHints({ arch, num_stages: options.numStages }),
    !options.extractVariableInfo && enableLineInfo(),
    convertBuiltinFuncToLLVM({ ftz: true }),
    ...(options.extractVariableInfo ? [enableLineInfo({ variables: true }), extractVariableInfo()] : []),
  ]);
